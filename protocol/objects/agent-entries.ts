/** What in the files of an agent starts Relay. SPEC.md, "Setting up agents". */
import type { AgentName, FileEdit } from "./agent-setup.ts";
import { type Dialect, entriesAt, LENIENT, STRICT } from "./json-text.ts";
import { parseToml } from "./toml-text.ts";

/** How an entry starts Relay. */
export interface RelayEntry {
  kind: "mcp" | "hook";
  words: string[];
}

/** The files of an agent that may start Relay, and what in them does. @throws TextFault by `read` */
export function relayEntries(agent: AgentName): { base: FileEdit["base"]; path: string; read(text: string): RelayEntry[] }[] {
  const servers = (dialect: Dialect) => (text: string) =>
    entriesAt(text, ["mcpServers"], dialect).flatMap(({ value }) => entryOf(value, "mcp"));
  const hooks = (dialect: Dialect) => (text: string) =>
    entriesAt(text, ["hooks"], dialect).flatMap(({ value }) =>
      (Array.isArray(value) ? value : []).flatMap((group: { hooks?: unknown } | null) =>
        (Array.isArray(group?.hooks) ? group.hooks : []).flatMap((hook: unknown) => entryOf(hook, "hook")),
      ),
    );
  switch (agent) {
    case "claude":
      return [
        { base: "worktree", path: ".mcp.json", read: servers(STRICT) },
        { base: "worktree", path: ".claude/settings.local.json", read: hooks(STRICT) },
        { base: "worktree", path: ".claude/settings.json", read: hooks(STRICT) },
      ];
    case "codex":
      return [
        {
          base: "agent",
          path: "config.toml",
          read: (text) => Object.values((parseToml(text)["mcp_servers"] ?? {}) as object).flatMap((value) => entryOf(value, "mcp")),
        },
        { base: "agent", path: "hooks.json", read: hooks(STRICT) },
      ];
    case "gemini":
      return (["agent", "worktree"] as const).map((base) => ({
        base,
        path: base === "agent" ? "settings.json" : ".gemini/settings.json",
        read: (text: string) => [...servers(LENIENT)(text), ...hooks(LENIENT)(text)],
      }));
  }
}

const entryOf = (value: unknown, kind: RelayEntry["kind"]): RelayEntry[] =>
  startsRelay(value, kind) ? [{ kind, words: wordsOf(value) }] : [];

/** Whether an entry of an agent's file starts a command of Relay's: `relay mcp`, `node …/relay.cjs hook stop`. */
export function startsRelay(value: unknown, command: "mcp" | "hook"): boolean {
  const words = wordsOf(value);
  return words.some((word, at) => /^(.*[/\\])?(git-)?relay(\.c?js|\.cmd|\.exe)?$/.test(word) && words[at + 1] === command);
}

/** What stands between the question whether a program is there, and the program. */
export const GUARD = " || exit 0; ";

/** The words that an entry starts a program with, without the guard before them. */
export function wordsOf(value: unknown): string[] {
  const { command, args } = (value ?? {}) as { command?: unknown; args?: unknown };
  if (typeof command !== "string") return [];
  if (Array.isArray(args)) return [command, ...args.map(String)];
  const behind = command.indexOf(GUARD);
  const line = behind === -1 ? command : command.slice(behind + GUARD.length);
  return [...line.matchAll(/'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single?.replaceAll(`'\\''`, "'") ?? double ?? (bare as string),
  );
}
