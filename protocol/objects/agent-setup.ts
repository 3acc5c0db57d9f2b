/**
 * What Relay writes into the files of each agent: its MCP server, its hooks, and a few lines of instructions; and what of
 * them is Relay's when it is taken out again. SPEC.md, "Setting up agents".
 */
import { startsRelay } from "./agent-entries.ts";
import { type Dialect, entriesAt, LENIENT, putIn, STRICT, takeOut } from "./json-text.ts";
import { blockIn, MARKDOWN, TOML, withBlock, withoutBlock } from "./marked.ts";
import { shellWord } from "./shell-word.ts";
import { TextFault } from "./text-fault.ts";
import { parseToml } from "./toml-text.ts";

/** The agents that can be set up. */
export const AGENTS = ["claude", "codex", "gemini"] as const;
export type AgentName = (typeof AGENTS)[number];

/** How Relay is started: a program and what comes before Relay's own arguments. */
export interface Starter {
  program: string;
  args: readonly string[];
}

/** What an agent's entries are made from. */
export interface SetupOptions {
  starter: Starter;
  /** Binds the server and the hooks, where no worktree says who this is. */
  part: string | null;
  /** Whether the server pushes the doorbell into the session: Claude Code only. */
  channel: boolean;
  /** The lines for the agent. */
  block: string;
}

/** One file of the user's that is changed as text. */
export interface FileEdit {
  /** Where it lies: at the top of the worktree, or in the agent's own folder. */
  base: "worktree" | "agent";
  path: string;
  /** @throws TextFault where it is malformed, or something else has the place */
  add(text: string | null): string;
  /** @throws TextFault where it is malformed */
  remove(text: string): string | null;
}

/** The moments of a session that hooks are for. */
export type Moment = "session-start" | "prompt" | "stop" | "idle";

/** A waiter may wait this long; then the next turn begins another. */
export const WAIT_S = 604_800;
/** A hook that answers does so in far less than a second; this is for a machine that is on its knees. */
const ANSWER_S = 10;

/** What has to be changed to set an agent up. */
export function editsFor(agent: AgentName, options: SetupOptions): FileEdit[] {
  switch (agent) {
    case "claude":
      return [
        serverEdit("worktree", ".mcp.json", STRICT, options),
        hooksEdit("worktree", ".claude/settings.local.json", STRICT, claudeHooks(options)),
        blockEdit("CLAUDE.md", options.block),
      ];
    case "codex":
      return [tomlEdit(options), hooksEdit("agent", "hooks.json", STRICT, codexHooks(options)), blockEdit("AGENTS.md", options.block)];
    case "gemini": {
      const server = serverEdit("worktree", ".gemini/settings.json", LENIENT, options);
      const hooks = hooksEdit("worktree", ".gemini/settings.json", LENIENT, geminiHooks(options));
      return [joined(server, hooks), blockEdit("GEMINI.md", options.block)];
    }
  }
}

/** Two changes of one file. */
function joined(first: FileEdit, second: FileEdit): FileEdit {
  return {
    ...first,
    add: (text) => second.add(first.add(text)),
    remove(text) {
      const left = second.remove(text);
      return left === null ? null : first.remove(left);
    },
  };
}

const serverArgs = ({ starter, part, channel }: SetupOptions): string[] => [
  ...starter.args,
  "mcp",
  ...(part === null ? [] : ["--part", part]),
  ...(channel ? ["--channel"] : []),
];

const hookArgs = ({ starter, part }: SetupOptions, agent: AgentName, moment: Moment): string[] => [
  ...starter.args,
  "hook",
  moment,
  "--agent",
  agent,
  ...(part === null ? [] : ["--part", part]),
];

function serverEdit(base: FileEdit["base"], path: string, dialect: Dialect, options: SetupOptions): FileEdit {
  const value = { command: options.starter.program, args: serverArgs(options) };
  const servers = ["mcpServers"];
  return {
    base,
    path,
    add(text) {
      const there = entriesAt(text, servers, dialect).filter(({ key }) => key === "relay");
      const foreign = there.find((entry) => !startsRelay(entry.value, "mcp"));
      if (foreign !== undefined) throw taken(text, '"relay"', "mcpServers");
      if (text !== null && there.some((entry) => JSON.stringify(entry.value) === JSON.stringify(value))) return text;
      const rest = there.length === 0 || text === null ? text : takeOut(text, servers, ({ key }) => key === "relay", dialect);
      return putIn(rest, servers, { key: "relay", value }, dialect);
    },
    remove: (text) => takeOut(text, servers, ({ key, value: entry }) => key === "relay" && startsRelay(entry, "mcp"), dialect),
  };
}

const taken = (text: string | null, what: string, where: string): TextFault =>
  faultAt(text, what, `${where} has an entry ${what} that is not Relay's; give it another name first`);

/** A fault at the first line that has some words. */
const faultAt = (text: string | null, what: string, problem: string): TextFault =>
  new TextFault(Math.max(1, (text ?? "").split("\n").findIndex((line) => line.includes(what)) + 1), problem);

/** Event → what is put under it. */
type Hooks = [event: string, group: unknown][];

function claudeHooks(options: SetupOptions): Hooks {
  const { program: command } = options.starter;
  const hook = (moment: Moment) => ({ type: "command", command, args: hookArgs(options, "claude", moment) });
  const waiter = { ...hook("idle"), asyncRewake: true, timeout: WAIT_S };
  return [
    ["SessionStart", { hooks: [{ ...hook("session-start"), timeout: ANSWER_S }, waiter] }],
    ["UserPromptSubmit", { hooks: [{ ...hook("prompt"), timeout: ANSWER_S }] }],
    ["Stop", { hooks: [{ ...hook("stop"), timeout: ANSWER_S }, waiter] }],
  ];
}

/** A command line of plain words; a path with other characters in quotes. */
const commandLine = ({ starter }: SetupOptions, args: readonly string[]): string => [starter.program, ...args].map(shellWord).join(" ");

function codexHooks(options: SetupOptions): Hooks {
  const hook = (moment: Moment) => ({
    hooks: [{ type: "command", command: commandLine(options, hookArgs(options, "codex", moment)), timeout: ANSWER_S }],
  });
  return [
    ["SessionStart", hook("session-start")],
    ["UserPromptSubmit", hook("prompt")],
    ["Stop", hook("stop")],
  ];
}

function geminiHooks(options: SetupOptions): Hooks {
  const hook = (moment: Moment) => ({
    hooks: [
      {
        name: `relay-${moment}`,
        type: "command",
        command: commandLine(options, hookArgs(options, "gemini", moment)),
        timeout: ANSWER_S * 1_000,
      },
    ],
  });
  return [
    ["SessionStart", hook("session-start")],
    ["BeforeAgent", hook("prompt")],
    ["AfterAgent", hook("stop")],
  ];
}

function hooksEdit(base: FileEdit["base"], path: string, dialect: Dialect, hooks: Hooks): FileEdit {
  const isOurs = ({ value }: { value: unknown }): boolean => {
    const inner = (value as { hooks?: unknown[] } | null)?.hooks;
    return Array.isArray(inner) && inner.length > 0 && inner.every((hook) => startsRelay(hook, "hook"));
  };
  const remove = (text: string): string | null => {
    let left: string | null = text;
    for (const [event] of [...hooks].reverse()) if (left !== null) left = takeOut(left, ["hooks", event], isOurs, dialect);
    return left;
  };
  const has = (text: string, [event, group]: Hooks[number]): boolean => {
    const own = entriesAt(text, ["hooks", event], dialect).filter(isOurs);
    return own.length === 1 && JSON.stringify(own[0]?.value) === JSON.stringify(group);
  };
  return {
    base,
    path,
    add(text) {
      if (text !== null && hooks.every((each) => has(text, each))) return text;
      let now = text === null ? null : remove(text);
      for (const [event, value] of hooks) now = putIn(now, ["hooks", event], { value }, dialect);
      return now as string;
    },
    remove,
  };
}

function blockEdit(path: string, block: string): FileEdit {
  return {
    base: "worktree",
    path,
    add: (text) => withBlock(text, MARKDOWN, block.trimEnd()),
    remove: (text) => withoutBlock(text, MARKDOWN),
  };
}

function isToml(text: string): boolean {
  try {
    parseToml(text);
    return true;
  } catch {
    return false;
  }
}

/** Codex keeps servers in TOML: a marked block at the end, whose effect on the whole is checked. */
function tomlEdit(options: SetupOptions): FileEdit {
  const quote = (word: string): string => JSON.stringify(word).replaceAll("\u007f", "\\u007f");
  const body = [
    "[mcp_servers.relay]",
    `command = ${quote(options.starter.program)}`,
    `args = [${serverArgs(options).map(quote).join(", ")}]`,
    ...(options.part === null ? ['env_vars = ["RELAY_PART", "RELAY_HOME"]'] : []),
  ].join("\n");
  return {
    base: "agent",
    path: "config.toml",
    add(text) {
      if (text === null || blockIn(text, TOML) === body) return withBlock(text, TOML, body);
      const others = withoutBlock(text, TOML) ?? "";
      const known = (parseToml(others)["mcp_servers"] as Record<string, unknown> | undefined)?.["relay"];
      if (known !== undefined && startsRelay(known, "mcp")) return text;
      if (known !== undefined) throw taken(text, "relay", "mcp_servers");
      const after = withBlock(text, TOML, body);
      if (!isToml(after))
        throw faultAt(
          text,
          "mcp_servers",
          "mcp_servers is written in one line, so that no server can be added; write it as tables, [mcp_servers.NAME]",
        );
      return after;
    },
    remove(text) {
      parseToml(text);
      return withoutBlock(text, TOML);
    },
  };
}
