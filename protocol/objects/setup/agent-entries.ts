/** The entries in an agent's files that start Relay. spec/agents.md, "Setting up agents". */
import type { AgentName, FileEdit } from "./agent-setup.ts";
import { type Dialect, entriesAt, LENIENT, putIn, STRICT, takeOut } from "./json-text.ts";
import { parseToml } from "./toml-text.ts";

/** How an entry starts Relay. */
export interface RelayEntry {
  kind: "mcp" | "hook";
  words: string[];
  /** What of it `relay setup` never writes; null where it is as setup writes it. Of the user's own files only another program counts. */
  odd: string | null;
  /** Whether it has Relay's name and starts another program: setup does not touch it. */
  foreign: boolean;
}

/** The files of an agent that may start Relay, and what in them does. @throws FileError by `read` */
export function relayEntries(agent: AgentName): { base: FileEdit["base"]; path: string; read(text: string): RelayEntry[] }[] {
  const servers = (dialect: Dialect, base: FileEdit["base"]) => (text: string) =>
    entriesAt(text, ["mcpServers"], dialect).flatMap(({ key, value }) => serverOf(key, value, base));
  const hooks = (dialect: Dialect, base: FileEdit["base"]) => (text: string) =>
    entriesAt(text, ["hooks"], dialect).flatMap(({ value }) =>
      (Array.isArray(value) ? value : []).flatMap((group: { hooks?: unknown } | null) =>
        (Array.isArray(group?.hooks) ? group.hooks : []).flatMap((hook: unknown) => entryOf(hook, "hook", base)),
      ),
    );
  switch (agent) {
    case "claude":
      return [
        { base: "worktree", path: ".mcp.json", read: servers(STRICT, "worktree") },
        { base: "worktree", path: ".claude/settings.local.json", read: hooks(STRICT, "worktree") },
        { base: "worktree", path: ".claude/settings.json", read: hooks(STRICT, "worktree") },
      ];
    case "codex":
      return [
        {
          base: "agent",
          path: "config.toml",
          read: (text) =>
            Object.entries((parseToml(text)["mcp_servers"] ?? {}) as object).flatMap(([key, value]) => serverOf(key, value, "agent")),
        },
        { base: "agent", path: "hooks.json", read: hooks(STRICT, "agent") },
      ];
    case "gemini":
      return (["agent", "worktree"] as const).map((base) => ({
        base,
        path: base === "agent" ? "settings.json" : ".gemini/settings.json",
        read: (text: string) => [...servers(LENIENT, base)(text), ...hooks(LENIENT, base)(text)],
      }));
  }
}

const entryOf = (value: unknown, kind: RelayEntry["kind"], base: FileEdit["base"]): RelayEntry[] =>
  startsRelay(value, kind) ? [{ kind, words: wordsOf(value), odd: base === "agent" ? null : oddIn(value, kind), foreign: false }] : [];

/** A server of Relay's, under any name; and whatever has the name of Relay's server. */
function serverOf(key: string | undefined, value: unknown, base: FileEdit["base"]): RelayEntry[] {
  const own = entryOf(value, "mcp", base);
  if (own.length > 0 || key !== "relay") return own;
  return [{ kind: "mcp", words: wordsOf(value), odd: "it does not start Relay", foreign: true }];
}

/** What setup writes into an entry of a project. */
const KEYS = { mcp: ["command", "args"], hook: ["type", "command", "args", "timeout", "asyncRewake", "name"] };
const ARGUMENTS = {
  mcp: /^( --part \S+| --tools \S+| --channel)*$/,
  hook: /^ (session-start|prompt|stop|idle)( --agent \S+| --part \S+)*$/,
};

/** What of an entry that starts Relay setup never writes: variables and folders decide what the program does as its words do. */
function oddIn(value: unknown, kind: RelayEntry["kind"]): string | null {
  const keys = Object.keys(value as object).filter((key) => !KEYS[kind].includes(key));
  if (keys.length > 0) return `it has ${keys.slice(0, 5).join(", ")}`;
  const words = wordsOf(value);
  const args = words.slice(words.indexOf(kind, 1) + 1).map((word) => ` ${word}`);
  return ARGUMENTS[kind].test(args.join("")) ? null : "it has other arguments";
}

/**
 * Whether an entry of an agent's file starts a command of Relay's: `relay mcp`, `/usr/bin/relay mcp`, `node /opt/relay.cjs hook stop`.
 * Only its first words count: any program can have Relay's name among its arguments. A path from the project's folder never does.
 */
export function startsRelay(value: unknown, command: "mcp" | "hook"): boolean {
  const [program = "", ...args] = wordsOf(value);
  if (RELAY.test(program)) return args[0] === command;
  return NODE.test(program) && RELAY_SCRIPT.test(args[0] ?? "") && args[1] === command;
}

const RELAY = /^((?:[a-zA-Z]:)?[/\\](?:.*[/\\])?)?(?:git-)?relay(\.c?js|\.cmd|\.exe)?$/;
const NODE = /^((?:[a-zA-Z]:)?[/\\](?:.*[/\\])?)?node(?:js)?(\.exe)?$/;
const RELAY_SCRIPT = /^(?:[a-zA-Z]:)?[/\\](?:.*[/\\])?(?:git-)?relay(\.c?js)?$/;

/** What stands between the question whether a program is there, and the program. */
export const GUARD = " || exit 0; ";

const WORD = "(?:[\\w./:@+-][\\w./:@=+-]*|'(?:[^']|'\\\\'')*')";
const GUARDED = new RegExp(`^(?:command -v ${WORD} >/dev/null 2>&1|\\[ -x ${WORD} \\] && \\[ -f ${WORD} \\])$`);

/** The words that an entry starts a program with, without the guard before them; none of a line that lets a shell do more. */
function wordsOf(value: unknown): string[] {
  const { command, args } = (value ?? {}) as { command?: unknown; args?: unknown };
  if (typeof command !== "string") return [];
  if (Array.isArray(args)) return [command, ...args.map(String)];
  const behind = command.indexOf(GUARD);
  const isGuarded = behind !== -1 && GUARDED.test(command.slice(0, behind));
  const line = isGuarded ? command.slice(behind + GUARD.length) : command;
  const words = [...line.matchAll(/'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+)/g)];
  if (/[\r\n]/.test(line) || words.some(([, , double = "", bare = ""]) => /[`$]/.test(double) || /[;&|<>()`$]/.test(bare))) return [];
  return words.map(([, single, double, bare]) => single?.replaceAll(`'\\''`, "'") ?? double ?? (bare as string));
}

/** The tools of Relay's server, as Claude Code names them all. */
const CLAUDE_RULE = "mcp__relay";

/** Claude Code's permission to use the server's tools, in a file of its settings; without `allow` one that is there stays. */
export function permissionEdit({ base, path }: FileEdit, allow: boolean): FileEdit {
  const rules = ["permissions", "allow"];
  return {
    base,
    path,
    add(text) {
      const isThere = entriesAt(text, rules, STRICT).some(({ value }) => value === CLAUDE_RULE);
      return !allow || isThere ? text : putIn(text, rules, { value: CLAUDE_RULE }, STRICT);
    },
    remove: (text) => takeOut(text, rules, ({ value }) => value === CLAUDE_RULE, STRICT),
  };
}

/** The names of the files in which the permission stands. */
const PLACES: Record<AgentName, RegExp> = { claude: /settings(\.local)?\.json$/, codex: /config\.toml$/, gemini: /settings\.json$/ };

/** Whether a file lets an agent use the tools without asking. @throws FileError where it is malformed */
export function allowsTools(agent: AgentName, path: string, text: string | null): boolean {
  if (text === null || !PLACES[agent].test(path)) return false;
  if (agent === "claude") return entriesAt(text, ["permissions", "allow"], STRICT).some(({ value }) => value === CLAUDE_RULE);
  const servers =
    agent === "codex"
      ? ((parseToml(text)["mcp_servers"] ?? {}) as Record<string, unknown>)
      : Object.fromEntries(entriesAt(text, ["mcpServers"], LENIENT).map(({ key, value }) => [key ?? "", value]));
  const relay = servers["relay"] as { default_tools_approval_mode?: unknown; trust?: unknown } | undefined;
  return startsRelay(relay, "mcp") && (agent === "codex" ? relay?.default_tools_approval_mode === "approve" : relay?.trust === true);
}
