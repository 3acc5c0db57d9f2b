/**
 * Refusals: a closed catalogue of codes, the same on every surface, each with its exit code and its sentences: those of the core and
 * of git here, those of a package in its folder. spec/commands.md, "Error codes".
 */
import type { REFUSALS } from "../refusals.ts";
import { CORE_REFUSALS } from "./refusals/catalogue.ts";
import { type Entry, type Surface, TOOLS } from "./refusals/entry.ts";

export type { FileFault } from "./refusals/disk.ts";
export { EXIT, type Surface, TOOLS } from "./refusals/entry.ts";
export { removeTracked } from "./refusals/home.ts";

/** The catalogue. Before the packages' refusals are known, a thread that has none makes those of the core. */
let catalogue = (): Partial<typeof REFUSALS> => CORE_REFUSALS;
/** Makes the refusals of all packages known to the core. @param refusals evaluates them, when the first is made */
export function listRefusals(refusals: () => typeof REFUSALS): void {
  catalogue = refusals;
}

/** A code of the catalogue. */
export type RefusalCode = keyof typeof REFUSALS;

/** The data from which a code's sentences are made. */
export type RefusalData<C extends RefusalCode> = Parameters<(typeof REFUSALS)[C]["say"]>[0];

/** An operation said no. `code`, `exit` and `data` come from the catalogue; `message` is for callers of tools. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly exit: number;
  readonly data: Record<string, unknown>;
  /** The same refusal in the words of a surface. */
  readonly wordsFor: (surface: Surface) => string;

  constructor(
    code: RefusalCode,
    data: Record<string, unknown>,
    message: string,
    exit: number,
    wordsFor: (surface: Surface) => string = () => message,
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.data = data;
    this.exit = exit;
    this.wordsFor = wordsFor;
  }
}

/** Makes the refusal of a code from its data; the caller throws it. */
export function refuse<C extends RefusalCode>(code: C, data: RefusalData<C>): Refusal {
  const { say, exact, exit } = catalogue()[code] as Entry<RefusalData<C>>;
  const whole = Object.entries(data as Record<string, unknown>).map(
    ([name, value]) => [name, ECHOED.has(name) ? clipped(value) : value] as const,
  );
  const tail = (list: readonly unknown[]): unknown[] =>
    list.every((each) => typeof each === "string") ? [...list.slice(0, LISTED), `and ${list.length - LISTED} more`] : [...list];
  const listed = Object.fromEntries(whole.map(([name, value]) => [name, isLong(value) ? tail(value) : value])) as RefusalData<C>;
  const lined = Object.fromEntries(
    Object.entries(listed as Record<string, unknown>).map(([name, value]) => [name, FREE.has(name) ? onOneLine(value) : value]),
  ) as RefusalData<C>;
  const reported = Object.fromEntries(
    whole.flatMap(([name, value]) => {
      if (!isLong(value)) return [[name, value]];
      return [
        [name, value.slice(0, LISTED)],
        [`${name}Count`, value.length],
      ];
    }),
  );
  const words = exact?.(listed) ?? null;
  const wordsFor = (surface: Surface): string => say(lined, surface);
  const advised = words === null ? reported : { ...reported, advice: wordsFor(TOOLS) };
  return new Refusal(code, advised, words ?? wordsFor(TOOLS), exit, wordsFor);
}

/** Makes the refusal of a piece that fits several ids: a push can make any number of them. */
export const ambiguousId = (given: string, found: readonly string[]): Refusal =>
  refuse("ambiguous_id", { given, candidates: found.slice(0, CANDIDATES), count: found.length });
const CANDIDATES = 5;

/** So many entries of a list are named: others may have written any number. */
const LISTED = 50;
const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > LISTED;

/** The data that repeats what the caller gave. */
const ECHOED: ReadonlySet<string> = new Set(["given", "missing", "argument"]);
const ECHO = 256;

/** What is too long to repeat: of a text its beginning, alone or in a list; of any other value the beginning of its JSON. */
function clipped(value: unknown): unknown {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.map(clipped);
  if (typeof value === "object" && value !== null) {
    const json = beginningOf(value, ECHO, ECHO_DEPTH);
    return json.length <= ECHO && !json.includes("…") ? value : `${json.slice(0, ECHO).toWellFormed()}…`;
  }
  if (typeof value !== "string" || value.length <= ECHO) return value;
  return `${value.slice(0, ECHO).toWellFormed()}… (${value.length} characters)`;
}
const ECHO_DEPTH = 8;

/** A value as JSON, up to about so many characters and so many levels: it may be as large and as deep as its sender likes. */
function beginningOf(value: unknown, room: number, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.length > room ? `${value.slice(0, room).toWellFormed()}…` : value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth === 0) return "…";
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  let text = open;
  for (const name in value) {
    if (text.length > room) return `${text}…`;
    if (text !== open) text += ",";
    if (!Array.isArray(value)) text += `${beginningOf(name, Math.max(0, room - text.length), 0)}:`;
    text += beginningOf((value as Record<string, unknown>)[name], Math.max(0, room - text.length), depth - 1);
  }
  return text + close;
}

/** The data that is text of other programs or of other code, and stands in the middle of a sentence. */
const FREE: ReadonlySet<string> = new Set(["reason", "problem", "why", "state", "hint", "note"]);
const FREE_LENGTH = 1_000;

/** A text as a piece of a sentence: on one line, not too long, and without the period that follows it there. */
function onOneLine(value: unknown): unknown {
  if (typeof value !== "string") return value;
  // What is searched is short: white space without end takes the square of its length.
  const begin = value.slice(0, 4 * FREE_LENGTH);
  const line = begin.replace(/\s*[\r\n]+\s*/g, " ").trim();
  return (line.length > FREE_LENGTH || begin.length < value.length ? `${line.slice(0, FREE_LENGTH).toWellFormed()}…` : line).replace(
    /[.;:,\s]+$/,
    "",
  );
}

/** The flat reply of a failure, as every surface prints it. spec/commands.md, "Replies". */
export interface FailureReply {
  success: false;
  error: string;
  code: RefusalCode;
  [detail: string]: unknown;
}

/** Turns a refusal into its flat reply: the catalogue's data beside `success`, `error` and `code`. */
export const failureReply = (refusal: Refusal): FailureReply => ({
  success: false,
  error: refusal.message,
  code: refusal.code,
  ...refusal.data,
});
