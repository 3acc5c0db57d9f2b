/** An operation's arguments, from the command line and from stdin; and a word where a text is wanted that was meant as the name of a file. */

import { shellWord } from "../../protocol/core/format/shell-word.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { type AnyOperation, Refusal } from "../../protocol/index.ts";
import { readPlain } from "../../protocol/store/read/plain-file.ts";
import { isTerminal } from "../print/output.ts";
import { isPerson } from "../print/style.ts";
import { type Flag, type FromStdin, mayBeUnnamed, placeOf, stdinOf } from "./flags.ts";

/**
 * The operation's arguments from the places and flags that were given.
 * @param beforeText completes or refuses what was given so far, before somebody writes a text for it
 */
export async function inputFrom(
  operation: AnyOperation,
  given: readonly unknown[],
  options: Record<string, unknown>,
  flags: readonly Flag[],
  beforeText: (input: Record<string, unknown>, isTyped: boolean) => Promise<void>,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  const places = withoutName(operation, withoutThread(operation, given));
  for (const [at, argument] of operation.positionals.entries()) {
    const value = unshield(places[at]);
    const { list } = placeOf(operation, argument, at === operation.positionals.length - 1);
    const stdin = list ? null : stdinOf(operation, argument);
    if (stdin !== null) {
      await beforeText(input, value !== undefined);
      const isFile = operation.readsFile === true && typeof value === "string" && value !== "-";
      if (!isFile && typeof value === "string" && value !== "-") requireText(value, operation, argument, `<${argument}>`);
      input[argument] = isFile ? textOf(value, argument) : await textFrom(value as string | undefined, stdin, operation, argument);
    } else if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      input[argument] = list ? (WHOLE.has(argument) ? value : listFrom(value)) : value;
  }
  for (const flag of flags) {
    const name = flag.flag.replace(/^--(no-)?/, "").replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    // A flag that begins with "no" is known by the rest of its name, and is false there where it was typed.
    const value = flag.flag.startsWith("--no-") ? options[name] === false || undefined : unshield(options[name]);
    const stdin = value === "-" ? stdinOf(operation, flag.argument) : null;
    if (stdin !== null) input[flag.argument] = await textFrom("-", stdin, operation, flag.argument);
    else if (value !== undefined) {
      if (typeof value === "string" && stdinOf(operation, flag.argument) !== null) requireText(value, operation, flag.argument, flag.flag);
      input[flag.argument] = valueFrom(flag, value);
    }
  }
  return input;
}

/** What a piece of an id may be: the letters that ids are made of, three or more. */
const PIECE_OF_ID = /^[0-9a-hjkmnp-tv-z-]{3,}$/i;

/** `relay reply "It works."`: one place that cannot be an id is the text, and the thread is the one with unread mail. */
function withoutThread(operation: AnyOperation, given: readonly unknown[]): readonly unknown[] {
  const [first, second] = operation.positionals;
  if (first === undefined || second === undefined || !mayBeUnnamed(operation, first)) return given;
  const [text, nothing] = given;
  return typeof text === "string" && nothing === undefined && text !== "-" && !PIECE_OF_ID.test(text) ? [undefined, text] : given;
}

/** `relay notify add -- PROGRAM`: what stands after the dashes is the command, also where nothing stands before them. */
function withoutName(operation: AnyOperation, given: readonly unknown[]): readonly unknown[] {
  const dashes = process.argv.indexOf("--");
  const [name, words] = given;
  if (!WHOLE.has(operation.positionals[1] ?? "") || dashes === -1 || name === undefined) return given;
  const all = [name, ...(Array.isArray(words) ? words : [])];
  return process.argv.length - dashes - 1 === all.length ? [undefined, all] : given;
}

/** What keeps commander from taking a text for a flag; no argument of a process can hold it. */
const SHIELD = "\0";

/** Shields texts that begin with a dash and cannot be flags, such as an item of a Markdown list. */
export function shield(args: readonly string[]): string[] {
  return args.map((word) => (/^-+(\s|[^\s=]*\n|[^\s=]+\s)/.test(word) ? SHIELD + word : word));
}

function unshield(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshield);
  return typeof value === "string" && value.startsWith(SHIELD) ? value.slice(SHIELD.length) : value;
}

/** Lists whose items may hold commas: the words of a command. */
const WHOLE = new Set(["argv"]);

/** `web,api` and `web api` are the same list. */
function listFrom(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .flatMap((item) => String(item).split(","))
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function valueFrom(flag: Flag, value: unknown): unknown {
  switch (flag.kind) {
    case "switch":
      return flag.value ?? true;
    case "number":
      return String(value).trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
    case "list":
      return listFrom(value);
    case "json":
      return parseJson(flag, String(value));
    case "text":
      return value;
  }
}

function parseJson(flag: Flag, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("invalid_argument", { argument: flag.flag, expected: "JSON", given: text, example: '{"inputTokens": 1200}' });
  }
}

/** Bytes as text; what is not UTF-8 would be stored as something else. @throws Refusal `invalid_argument` */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const at = bytes.toString("utf8").indexOf("\ufffd");
    const given = `${bytes.length} bytes, which are not UTF-8${at === -1 ? "" : ` from about character ${at + 1} on`}`;
    throw refuse("invalid_argument", { argument: "stdin", expected: "text in UTF-8", given, example: null });
  }
}

/** The text of a file that somebody names; a clone may have laid a link to a device there. @throws Refusal `invalid_argument` */
function textOf(file: string, argument: string): string {
  try {
    return decoded(readPlain(file));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse("invalid_argument", {
      argument,
      expected: "a plain file that can be read, or - for stdin",
      given: file,
      example: "plan.yml",
    });
  }
}

/** The text given; all of stdin when it is `-`, or was left out in a pipe; what a person writes in their editor where nobody gave it. */
async function textFrom(
  given: string | undefined,
  { whenLeftOut, exact }: FromStdin,
  operation: AnyOperation,
  argument: string,
): Promise<string | undefined> {
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && !whenLeftOut) return undefined;
  if (given === undefined && isTerminal("stdin")) {
    // An agent with a terminal has nobody who could type into an editor.
    return isPerson() ? (await import("./editor.ts")).textFromEditor(operation, argument) : undefined;
  }
  const { buffer } = process.getBuiltinModule("node:stream/consumers");
  const all = decoded(await buffer(process.stdin));
  const piped = exact ? all : all.replace(/\n$/, "");
  return piped === "" && given === undefined ? undefined : piped;
}

/** Texts that lie in files mostly. A summary of one word says nothing, so there any word counts as a file name. */
const FROM_FILES = new Set(["summary", "content", "state"]);
const NAMES_A_FILE = /\.(?:md|markdown|txt|json|ya?ml|html?)$/i;

/**
 * Refuses a text that is the name of a file.
 * @param place how the argument is typed: `--summary`, `<content>`
 * @throws Refusal `usage`
 */
export function requireText(text: string, operation: AnyOperation, argument: string, place: string): void {
  if (!FROM_FILES.has(argument) || text === "" || /\s/.test(text) || /^[a-z][\w+.-]*:\/\//i.test(text)) return;
  if (argument !== "summary" && !NAMES_A_FILE.test(text) && !isFile(text)) return;
  throw refuse("usage", {
    problem: `${place} takes the text itself, and ${JSON.stringify(text)} is one word${isFile(text) ? ", the name of a file here" : ""}; nothing was written.`,
    help: `To give the contents of a file, use -: \`relay ${operation.command} … ${place.startsWith("--") ? `${place} ` : ""}- < ${shellWord(text)}\`.`,
  });
}

function isFile(name: string): boolean {
  try {
    return process.getBuiltinModule("node:fs").statSync(name).isFile();
  } catch {
    // Also a text that no file could be named by.
    return false;
  }
}
