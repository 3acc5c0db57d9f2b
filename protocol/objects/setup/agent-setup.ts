/**
 * The entries that Relay writes into the files of each agent: its MCP server, its hooks, and a few lines of instructions; and which of
 * them is Relay's when it is taken out again. spec/agents.md, "Setting up agents".
 */
import { errorAtWords } from "../format/file-error.ts";
import { permissionEdit, startsRelay } from "./agent-entries.ts";
import { hooksEdit, hooksOf } from "./agent-hooks.ts";
import { withCodexServer, withoutCodexServer } from "./codex-server.ts";
import { type Dialect, entriesAt, LENIENT, putIn, STRICT, setIn, takeOut } from "./json-text.ts";
import { withBlock, withoutBlock } from "./marked-block.ts";

/** The agents that can be set up. */
export const AGENTS = ["claude", "codex", "gemini"] as const;
/** A program that Relay can be set up for. */
export type AgentName = (typeof AGENTS)[number];

/** How Relay is started: a program and what comes before Relay's own arguments. */
export interface Starter {
  program: string;
  args: readonly string[];
}

/** What an agent's entries are made from. */
export interface SetupOptions {
  starter: Starter;
  /** Binds the server and the hooks in a project's own files, where no worktree says who this is. */
  part: string | null;
  /** Whether the server pushes the doorbell into the session: Claude Code only. */
  channel: boolean;
  /** The groups of tools that the server serves; what it serves by itself where they are not named. */
  tools?: string | undefined;
  /** Whether the agent may use Relay's tools without asking each time. */
  allow: boolean;
  /** The lines for the agent. */
  block: string;
}

/** One file of the user's that is changed as text. */
export interface FileEdit {
  /** Where it lies: at the top of the worktree, or in the agent's own folder. */
  base: "worktree" | "agent";
  path: string;
  /** @returns null where there is to be no file @throws FileError where it is malformed, or something else has the place */
  add(text: string | null): string | null;
  /** @throws FileError where it is malformed */
  remove(text: string): string | null;
}

/** What has to be changed to set an agent up. */
export function editsFor(agent: AgentName, options: SetupOptions): FileEdit[] {
  // What serves every folder of the user's cannot say who somebody is.
  const anywhere = { ...options, part: null };
  switch (agent) {
    case "claude": {
      const hooks = hooksEdit("worktree", ".claude/settings.local.json", STRICT, hooksOf("claude", options));
      return [
        serverEdit("worktree", ".mcp.json", STRICT, { ...options, allow: false }),
        joined(hooks, permissionEdit(hooks, options.allow)),
        blockEdit("CLAUDE.md", options.block),
      ];
    }
    case "codex":
      return [
        tomlEdit(anywhere),
        hooksEdit("agent", "hooks.json", STRICT, hooksOf("codex", anywhere)),
        blockEdit("AGENTS.md", options.block),
      ];
    case "gemini":
      return [
        joined(
          serverEdit("agent", "settings.json", LENIENT, anywhere),
          hooksEdit("agent", "settings.json", LENIENT, hooksOf("gemini", anywhere)),
        ),
        // Where earlier versions wrote both: a file of the project is for others too, who may have no Relay.
        onlyRemoved(
          joined(
            serverEdit("worktree", ".gemini/settings.json", LENIENT, anywhere),
            hooksEdit("worktree", ".gemini/settings.json", LENIENT, hooksOf("gemini", anywhere)),
          ),
        ),
        blockEdit("GEMINI.md", options.block),
      ];
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

/** What was written there once is taken out, whatever is asked; another server of Relay's name would be started in its place. */
const onlyRemoved = (edit: FileEdit): FileEdit => ({
  ...edit,
  add(text) {
    if (text === null) return null;
    const other = entriesAt(text, ["mcpServers"], LENIENT).some(({ key, value }) => key === "relay" && !startsRelay(value, "mcp"));
    if (other) throw foreignServer(text);
    return edit.remove(text);
  },
});

const serverArgs = ({ starter, part, channel, tools }: SetupOptions): string[] => [
  ...starter.args,
  "mcp",
  ...(part === null ? [] : ["--part", part]),
  ...(tools === undefined ? [] : ["--tools", tools]),
  ...(channel ? ["--channel"] : []),
];

/**
 * The server as an entry of `mcpServers`. Of one that is there in the user's own file only what starts it is set, the rest of it is
 * the user's. One in a file of the project came with the code, and its variables start what they like: it is replaced whole.
 */
function serverEdit(base: FileEdit["base"], path: string, dialect: Dialect, options: SetupOptions): FileEdit {
  const value = { command: options.starter.program, args: serverArgs(options), ...(options.allow ? { trust: true } : {}) };
  const servers = ["mcpServers"];
  return {
    base,
    path,
    add(text) {
      const there = entriesAt(text, servers, dialect).filter(({ key }) => key === "relay");
      if (text === null || there.length === 0) return putIn(text, servers, { key: "relay", value }, dialect);
      if (there.some((entry) => !startsRelay(entry.value, "mcp"))) throw foreignServer(text);
      if (base === "worktree") return setIn(text, servers, { key: "relay", value }, dialect);
      return Object.entries(value).reduce((now, [key, each]) => setIn(now, [...servers, "relay"], { key, value: each }, dialect), text);
    },
    remove: (text) => takeOut(text, servers, ({ key, value: entry }) => key === "relay" && startsRelay(entry, "mcp"), dialect),
  };
}

const foreignServer = (text: string): Error =>
  errorAtWords(
    text,
    '"relay"',
    'mcpServers has an entry "relay" that does not start Relay: check it, and remove it or give it another name',
  );

/** Codex keeps servers in TOML. */
function tomlEdit(options: SetupOptions): FileEdit {
  const server = { command: options.starter.program, args: serverArgs(options), allow: options.allow };
  return { base: "agent", path: "config.toml", add: (text) => withCodexServer(text, server), remove: withoutCodexServer };
}

function blockEdit(path: string, block: string): FileEdit {
  const body = block.trimEnd();
  return { base: "worktree", path, add: (text) => withBlock(text, body), remove: (text) => withoutBlock(text, body) };
}
