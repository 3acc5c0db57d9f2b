/**
 * Relay's server in Codex's `config.toml`: the table `[mcp_servers.relay]`, found by its name. Codex and the user write into
 * that file too, before, behind and between; what is theirs stays byte for byte. spec/agents.md, "Setting up agents".
 */
import { errorAtWords } from "../../core/format/file-error.ts";
import { startsRelay } from "./agent-entries.ts";
import { parseToml, type Statement, statementsOf } from "./toml-text.ts";

const TABLE = ["mcp_servers", "relay"];
const HEADER = "[mcp_servers.relay]";
/** Behind the header, where the text before did not end its last line: so that the break can be taken out again. */
const JOINED = " # joined by relay setup";
/** The lines that earlier versions put around the table. Codex writes new tables before the last of them, so nothing is known by them. */
const MARKS = ["# relay: begin (kept by `relay setup`)", "# relay: begin (kept by `relay setup`), joined", "# relay: end"];
const JOINED_MARK = MARKS[1];
/** What earlier versions had Codex hand on to the server: all sessions share one environment, so it may be another session's. */
const NOT_HANDED_ON = ["RELAY_PART", "RELAY_HOME"];

/** What the table says. */
export interface CodexServer {
  command: string;
  args: readonly string[];
  /** What else is set: that Codex asks nobody before a tool of this server is used, for one. What is not named stays as it is. */
  fields: Readonly<Record<string, unknown>>;
  /** What is set where it is missing. Of a list what is missing in it. */
  also: Readonly<Record<string, unknown>>;
}

type Range = Pick<Statement, "from" | "to">;

/** The text with the table at its end, or with its values put right where it stands. @throws FileError */
export function withCodexServer(text: string | null, server: CodexServer): string {
  const lines = (known: Record<string, unknown>): string[] => [...wantedIn(known, server)].map(lineOf);
  if (text === null) return [HEADER, ...lines({}), ""].join("\n");
  const known = (relayIn(text) ?? {}) as Record<string, unknown>;
  const isThere = "command" in known || "url" in known;
  if (isThere && !startsRelay(known, "mcp")) throw errorAtWords(text, "relay", TAKEN);
  const plain = withoutMarks(text);
  const eol = plain.includes("\r\n") ? "\r\n" : "\n";
  if (isThere) return withValues(plain, known, wantedIn(known, server), eol);
  const isEnded = plain === "" || plain.endsWith("\n");
  const table = [HEADER + (isEnded ? "" : JOINED), ...lines({}), ""].join(eol);
  const after = `${plain}${isEnded ? "" : eol}${eol}${table}`;
  try {
    parseToml(after);
  } catch {
    throw errorAtWords(text, "mcp_servers", IN_ONE_LINE);
  }
  return after;
}

/**
 * The text without the table and those below it: what is left of a server without a command, such as which of its tools
 * need no asking, keeps Codex from starting.
 * @returns null when nothing else was ever in it
 * @throws FileError
 */
export function withoutCodexServer(text: string): string | null {
  const isOurs = startsRelay(relayIn(text), "mcp");
  const plain = withoutMarks(text);
  if (!isOurs) return plain;
  const own = statementsOf(plain).filter(({ kind, path }) => kind !== "comment" && isBelow(path, TABLE));
  const joined = own.some(({ from, to }) => plain.slice(from, to).trimEnd().endsWith(JOINED));
  const ranges = own.map((each) => (each.kind === "table" ? { from: withBlankAbove(plain, each.from), to: each.to } : each));
  const left = without(plain, ranges);
  if (left === "" && own[0]?.from === 0) return null;
  const isLast = plain.slice(ranges.at(-1)?.to).trim() === "";
  return joined && isLast ? left.replace(/\r?\n$/, "") : left;
}

const TAKEN = "mcp_servers has an entry relay that is not Relay's; give it another name first";
const IN_ONE_LINE = "mcp_servers is written in one line, so that no server can be added; write it as tables, [mcp_servers.NAME]";
const OWN_IN_ONE_LINE = "mcp_servers.relay is written in one line; write it as a table, [mcp_servers.relay], or remove it";

/** What the text says of a server called relay. @throws FileError */
const relayIn = (text: string): unknown => ((parseToml(text)["mcp_servers"] ?? {}) as Record<string, unknown>)["relay"];

const quoted = (word: string): string => JSON.stringify(word).replaceAll("\u007f", "\\u007f");
const listed = (words: readonly string[]): string => `[${words.map(quoted).join(", ")}]`;

/** What the table is to say, by key. @param known what it says now */
function wantedIn(known: Record<string, unknown>, { command, args, fields, also }: CodexServer): Map<string, unknown> {
  const wanted = new Map<string, unknown>([["command", command], ["args", args], ...Object.entries(fields)]);
  for (const [key, value] of Object.entries(also)) {
    const there = (Array.isArray(known[key]) ? (known[key] as unknown[]) : []).filter((name) => !NOT_HANDED_ON.includes(String(name)));
    wanted.set(key, [...new Set([...there, ...(value as readonly string[])])]);
  }
  return wanted;
}

const lineOf = ([key, value]: [string, unknown]): string =>
  `${key} = ${Array.isArray(value) ? listed(value.map(String)) : quoted(String(value))}`;

/** The table that is there, with each value as it is to be; one that says so already stays as it is written. */
function withValues(text: string, known: Record<string, unknown>, wanted: Map<string, unknown>, eol: string): string {
  const statements = statementsOf(text);
  const header = statements.find(({ kind, path }) => kind === "table" && isSame(path, TABLE));
  const entryOf = (key: string): Statement | undefined =>
    statements.find(({ kind, path }) => kind === "entry" && isSame(path, [...TABLE, key]));
  const edits: (Range & { line: string })[] = [];
  for (const [key, value] of wanted) {
    if (JSON.stringify(known[key]) === JSON.stringify(value)) continue;
    const place = entryOf(key);
    if (place === undefined && header === undefined) throw errorAtWords(text, "relay", OWN_IN_ONE_LINE);
    const at = place ?? { from: (entryOf("args") ?? (header as Statement)).to, to: (entryOf("args") ?? (header as Statement)).to };
    edits.push({ from: at.from, to: at.to, line: lineOf([key, value]) });
  }
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((now, { from, to, line }) => {
      const before = now.slice(0, from);
      const open = before === "" || before.endsWith("\n") ? "" : eol;
      return before + open + line + eol + now.slice(to);
    }, text);
}

/** The text without the marks that earlier versions put around the table; what stood between them stays. */
function withoutMarks(text: string): string {
  const statements = statementsOf(text);
  return statements.reduceRight((now, { kind, from, to }, at) => {
    const mark = kind === "comment" ? text.slice(from, to).trimEnd() : "";
    if (!MARKS.includes(mark)) return now;
    const next = statements[at + 1];
    const isJoined = mark === JOINED_MARK && next?.kind === "table" && isSame(next.path, TABLE);
    const rest = now.slice(to);
    return now.slice(0, from) + (isJoined ? rest.replace(HEADER, HEADER + JOINED) : rest);
  }, text);
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && isBelow(a, b);
const isBelow = (path: readonly string[], above: readonly string[]): boolean => above.every((name, at) => path[at] === name);

/** Where a statement begins, with one empty line above it. */
function withBlankAbove(text: string, from: number): number {
  const above = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, from));
  return above === null ? from : from - (above[1] as string).length;
}

const without = (text: string, ranges: readonly Range[]): string =>
  ranges.reduceRight((now, { from, to }) => now.slice(0, from) + now.slice(to), text);
