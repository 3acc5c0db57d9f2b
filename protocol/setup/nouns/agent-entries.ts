/** The entries in an agent's files that start Relay. spec/agents.md, "Setting up agents". */
import { type Base, type Host, type HostAllowance, type HostFile, moduleHead } from "../../agents/hosts/host.ts";
import type { FileEdit } from "./agent-setup.ts";
import { type Dialect, entriesAt, LENIENT, putIn, STRICT, takeOut } from "./json-text.ts";
import { parseToml } from "./toml-text.ts";

/** How the JSON of a file may be written. */
export const dialectOf = ({ format }: HostFile): Dialect => (format === "jsonc" ? LENIENT : STRICT);

/** How an entry starts Relay. */
export interface RelayEntry {
  kind: "mcp" | "hook";
  words: string[];
  /** What of it `relay setup` never writes; null where it is as setup writes it. Of the user's own files only another program counts. */
  odd: string | null;
  /** What setup writes into it besides its words, and is not there. */
  lacks?: readonly string[];
  /** Whether it has Relay's name and starts another program: setup does not touch it. */
  foreign: boolean;
}

/** The files of a host that may start Relay, and what in them does. @throws FileError by `read` */
export function relayEntries({
  name,
  server,
  hooks,
  former,
  alsoHooks,
}: Host): { base: Base; path: string; read(text: string): RelayEntry[] }[] {
  const servers = (file: HostFile) => (text: string) =>
    serversIn(file, server.under, text).flatMap(({ key, value }) =>
      serverOf(key, value, file.base, Object.keys(server.also)).map((entry) => ({ ...entry, lacks: missingIn(server, value) })),
    );
  const all = (file: HostFile) => (text: string) =>
    entriesAt(text, ["hooks"], dialectOf(file)).flatMap(({ value }) =>
      (Array.isArray(value) ? value : []).flatMap((group: { hooks?: unknown } | null) =>
        (Array.isArray(group?.hooks) ? group.hooks : [group]).flatMap((hook: unknown) => entryOf(hook, "hook", file.base)),
      ),
    );
  const readers = [
    { file: server as HostFile, read: servers(server) },
    ...(hooks === undefined ? [] : [hooks.shape === "module" ? { file: hooks, read: moduleIn(name) } : { file: hooks, read: all(hooks) }]),
    ...(alsoHooks === undefined ? [] : [{ file: alsoHooks, read: all(alsoHooks) }]),
    ...(former === undefined ? [] : [servers, all].map((read) => ({ file: former, read: read(former) }))),
  ];
  return readers.map(({ file: { base, path }, read }) => ({ base, path, read }));
}

/** Of what setup adds in JSON, the keys that an entry has not: Codex's variables are needed by few, and no fault where they are not there. */
const missingIn = ({ format, also }: Host["server"], value: unknown): string[] =>
  format === "toml" ? [] : Object.keys(also).filter((key) => (value as Record<string, unknown> | null)?.[key] === undefined);

/** What a module of Relay's starts. */
const moduleIn =
  (name: string) =>
  (text: string): RelayEntry[] => {
    const words = text.startsWith(moduleHead(name)) ? /^const RELAY = (\[.*\]);$/m.exec(text)?.[1] : undefined;
    return words === undefined ? [] : [{ kind: "hook", words: JSON.parse(words) as string[], odd: null, foreign: false }];
  };

/** The servers of a file. */
const serversIn = (file: HostFile, under: readonly string[], text: string): { key?: string | undefined; value: unknown }[] =>
  file.format === "toml"
    ? Object.entries((parseToml(text)[under[0] as string] ?? {}) as object).map(([key, value]) => ({ key, value: value as unknown }))
    : entriesAt(text, under, dialectOf(file));

const entryOf = (value: unknown, kind: RelayEntry["kind"], base: Base, more: readonly string[] = []): RelayEntry[] =>
  startsRelay(value, kind)
    ? [{ kind, words: wordsOf(value), odd: base === "agent" ? null : oddIn(value, kind, more), foreign: false }]
    : [];

/** A server of Relay's, under any name; and whatever has the name of Relay's server. */
function serverOf(key: string | undefined, value: unknown, base: Base, more: readonly string[]): RelayEntry[] {
  const own = entryOf(value, "mcp", base, more);
  if (own.length > 0 || key !== "relay") return own;
  return [{ kind: "mcp", words: wordsOf(value), odd: "it does not start Relay", foreign: true }];
}

/** What setup writes into an entry of a project. */
const KEYS = { mcp: ["command", "args"], hook: ["type", "command", "args", "timeout", "asyncRewake", "name"] };
const ARGUMENTS = {
  mcp: /^( --part \S+| --tools \S+| --channel)*$/,
  hook: /^ (session-start|prompt|tool|stop|idle)( --agent \S+| --part \S+)*$/,
};

/** What of an entry that starts Relay setup never writes: variables and folders decide what the program does as its words do. */
function oddIn(value: unknown, kind: RelayEntry["kind"], more: readonly string[]): string | null {
  const keys = Object.keys(value as object).filter((key) => ![...KEYS[kind], ...more].includes(key));
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
const GUARDED = new RegExp(
  `^(?:command -v ${WORD} >/dev/null 2>&1(?: && command -v node >/dev/null 2>&1)?|\\[ -x ${WORD} \\] && \\[ -f ${WORD} \\])$`,
);

/** The words that an entry starts a program with, without the guard before them; none of a line that lets a shell do more. */
function wordsOf(value: unknown): string[] {
  const { args, bash, command = bash } = (value ?? {}) as { command?: unknown; args?: unknown; bash?: unknown };
  if (Array.isArray(command)) return command.map(String);
  if (typeof command !== "string") return [];
  if (Array.isArray(args)) return [command, ...args.map(String)];
  const behind = command.indexOf(GUARD);
  const isGuarded = behind !== -1 && GUARDED.test(command.slice(0, behind));
  const line = isGuarded ? command.slice(behind + GUARD.length) : command;
  const words = [...line.matchAll(/'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+)/g)];
  if (/[\r\n]/.test(line) || words.some(([, , double = "", bare = ""]) => /[`$]/.test(double) || /[;&|<>()`$]/.test(bare))) return [];
  return words.map(([, single, double, bare]) => single?.replaceAll(`'\\''`, "'") ?? double ?? (bare as string));
}

/** The permission to use the server's tools, in a file of a host's settings; without `allow` one that is there stays. */
export function permissionEdit({ file, under, rule }: HostAllowance & { by: "rule" }, allow: boolean): FileEdit {
  const dialect = dialectOf(file);
  return {
    base: file.base,
    path: file.path,
    add(text) {
      const isThere = entriesAt(text, under, dialect).some(({ value }) => value === rule);
      return !allow || isThere ? text : putIn(text, under, { value: rule }, dialect);
    },
    remove: (text) => takeOut(text, under, ({ value }) => value === rule, dialect),
  };
}

/** Whether a file lets a host use the tools without asking. @throws FileError where it is malformed */
export function allowsTools({ allowance, server }: Host, path: string, text: string | null): boolean {
  if (allowance.by === "default") return true;
  if (allowance.by === "words" || allowance.by === "person" || text === null) return false;
  if (allowance.by === "rule") {
    const { file, under, rule } = allowance;
    // Its user's own settings have the name without `.local`.
    if (![file.path, file.path.replace(".local.", ".")].some((name) => path.endsWith(name.slice(name.lastIndexOf("/") + 1)))) return false;
    return entriesAt(text, under, dialectOf(file)).some(({ value }) => value === rule);
  }
  if (!path.endsWith(server.path)) return false;
  const relay = serversIn(server, server.under, text).find(({ key }) => key === "relay")?.value as Record<string, unknown> | undefined;
  return (
    startsRelay(relay, "mcp") &&
    Object.entries(allowance.fields).every(([key, value]) => JSON.stringify(relay?.[key]) === JSON.stringify(value))
  );
}

/** Lists the settings of a host's file that keep Relay from working, each as `key: value`. @throws FileError where it is malformed */
export function turnedOff({ server: { under }, off = [] }: Host, file: HostFile, text: string | null): string[] {
  if (text === null) return [];
  const all =
    file.format === "toml"
      ? parseToml(text)
      : Object.fromEntries(entriesAt(text, [], dialectOf(file)).map(({ key, value }) => [key, value]));
  const entry = [...under, "relay"];
  const rules = [...off, [[...entry, "enabled"], false] as const, [[...entry, "disabled"], true] as const];
  return rules.flatMap(([keys, value]) => {
    const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], all);
    return found === value || (Array.isArray(found) && found.includes(value)) ? [`${keys.join(".")}: ${JSON.stringify(value)}`] : [];
  });
}
