/**
 * Front matter; the only file that knows gray-matter, which cuts a file that Relay did not write into header and body.
 *
 * This file does not let it read headers: it would run the code of a `---js` header. So the delimiters are checked here, and YAML is
 * the only language, read and written by this file. SPEC.md, "Front matter".
 */
import matter from "gray-matter";
import * as YAML from "yaml";
import type * as z from "zod/mini";
import { FileError } from "./file-error.ts";
import { NUL_PROBLEM, nulLine } from "./hidden.ts";
import { FORBIDDEN_KEYS, plainOf, readBareYaml, WORDS_OF_MANY } from "./yaml.ts";

/** A header's values: plain data, never a class, never a prototype. */
export type Header = Record<string, unknown>;

const HEADER_LIMIT = 1_048_576;
/** Characters of a header that is not in the form which Relay writes. */
const FOREIGN_HEADER_LIMIT = 32_768;

const refuseEngine = {
  parse(): object {
    throw new FileError("only YAML front matter is read", 1);
  },
  stringify(): string {
    throw new FileError("only YAML front matter is written", 1);
  },
};
/** Every name gray-matter knows an engine by; `matter` itself adds none to these. */
const ENGINES = {
  yaml: { ...refuseEngine, parse: parseHeader },
  js: refuseEngine,
  javascript: refuseEngine,
  json: refuseEngine,
  coffee: refuseEngine,
  toml: refuseEngine,
};

/**
 * Reads a file with front matter.
 * The body is what follows the closing line, less one line break at the very end, which `formatFrontmatter` adds: of a
 * file whose first line ends in CRLF, that may be one too.
 * @throws FileError with the line, when the delimiters or the YAML are not right, or there is a NUL in it.
 */
export function parseFrontmatter(text: string): { header: Header; body: string } {
  const nul = nulLine(text);
  if (nul !== null) throw new FileError(NUL_PROBLEM, nul);
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const close = checkDelimiters(source);
  const written = asWritten(source, close);
  if (written !== null) return written;
  if (close > FOREIGN_HEADER_LIMIT)
    throw new FileError(`front matter that Relay did not write is longer than ${FOREIGN_HEADER_LIMIT} characters`, 1);
  const known = foreign.get(source) ?? readForeign(source);
  if (known instanceof FileError) throw known;
  return { header: structuredClone(known.header), body: known.body };
}

/** Characters of foreign files that are kept at the most. */
const FOREIGN_CHARACTERS = 33_554_432;
/** Files that Relay did not write, as they were read: YAML takes milliseconds, and a command reads a file several times. */
const foreign = new Map<string, { header: Header; body: string } | FileError>();
let foreignCharacters = 0;

/** Reads such a file for the first time, and keeps what came of it. */
function readForeign(source: string): { header: Header; body: string } | FileError {
  let read: { header: Header; body: string } | FileError;
  try {
    read = cut(source);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    read = error;
  }
  foreignCharacters += source.length;
  if (foreignCharacters > FOREIGN_CHARACTERS) {
    foreign.clear();
    foreignCharacters = source.length;
  }
  foreign.set(source, read);
  return read;
}

/** Cuts a file as gray-matter does. */
function cut(source: string): { header: Header; body: string } {
  // gray-matter looks from each of them on to the next that is none.
  const blank = blankLine(source);
  if (blank !== null) throw new FileError(`more than ${BLANK_LINES} empty lines in the front matter`, blank);
  // Options are always passed: without them gray-matter caches, and hands out shared data.
  const { data, content } = matter(source, { engines: ENGINES, language: "yaml" });
  const end = source.startsWith("---\r") && content.endsWith("\r\n") ? 2 : content.endsWith("\n") ? 1 : 0;
  return { header: data as Header, body: content.slice(0, content.length - end) };
}

/**
 * Writes a file with front matter: keys in the order given, strings double-quoted, `undefined` left out.
 * The text is read again and compared before it is handed out, so what is written is what will be read; that is left out where the form
 * of the values says so already.
 * @throws FileError when the values change when they are read again.
 */
export function formatFrontmatter(header: Header, body: string): string {
  const data = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined));
  const text = `---\n${formatHeader(data)}\n---\n${body}\n`;
  if (isReadAlike(data, body, text)) return text;
  const again = parseFrontmatter(text);
  if (again.body !== body || JSON.stringify(again.header) !== JSON.stringify(data)) {
    throw new FileError("the values change when they are written and read again", 1);
  }
  return text;
}

/**
 * A file that Relay wrote, cut as gray-matter would cut it: nearly every file is one, and a command need not load gray-matter for it.
 * @param close where the line break before the closing line is
 * @returns null for any other file
 */
function asWritten(source: string, close: number): { header: Header; body: string } | null {
  const begin = close + "\n---\n".length;
  if (close === 3 || source[3] !== "\n" || source[begin - 1] !== "\n") return null;
  const header = parseCanonical(source.slice(4, close));
  return header === null
    ? null
    : { header, body: source.slice(begin, source.endsWith("\n") ? Math.max(begin, source.length - 1) : undefined) };
}

const BLANK_LINES = 200;
/** The ends of lines as patterns take them, gray-matter's too. */
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** The line after too many empty ones in a row in the front matter; null where there are not so many. */
function blankLine(source: string): number | null {
  let empty = 0;
  for (const [at, line] of source.slice(0, source.indexOf("\n---", 3)).split(LINE_BREAK).entries()) {
    empty = line.trim() === "" ? empty + 1 : 0;
    if (empty > BLANK_LINES) return at + 1;
  }
  return null;
}

/** @returns where the line break before the closing line is */
function checkDelimiters(source: string): number {
  const first = source.slice(0, source.indexOf("\n") === -1 ? source.length : source.indexOf("\n"));
  if (first.replace(/\r$/, "") !== "---") {
    throw new FileError(`expected the first line to be exactly "---", it is ${JSON.stringify(first.slice(0, 40))}`, 1);
  }
  // gray-matter ends the header at the first line that begins with "---"; that line must be the closing one.
  const close = source.indexOf("\n---", 3);
  if (close === -1) throw new FileError('expected a closing line "---" after the front matter', 1);
  if (close > HEADER_LIMIT) throw new FileError(`front matter is longer than ${HEADER_LIMIT} characters`, 1);
  const end = source.indexOf("\n", close + 1);
  const line = source.slice(close + 1, end === -1 ? source.length : end);
  if (line.replace(/\r$/, "") !== "---") {
    const number = source.slice(0, close + 1).split("\n").length;
    throw new FileError(`expected the closing line to be exactly "---", it is ${JSON.stringify(line.slice(0, 40))}`, number);
  }
  return close;
}

/** Whether values have only what is read again as it was written, as in nearly every file: `parseCanonical` takes each line by its form. */
function isReadAlike(data: Header, body: string, text: string): boolean {
  const entries = Object.entries(data);
  if (entries.length === 0 || text.length > HEADER_LIMIT || body.includes("\0")) return false;
  return entries.every(([key, value]) => CANONICAL_KEY.test(key) && !FORBIDDEN_KEYS.has(key) && isCanonicalValue(value));
}

const CANONICAL_KEY = /^[a-z][a-z0-9_]*$/;
const CANONICAL_MOST = 999_999_999_999_999;

function isCanonicalValue(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value <= CANONICAL_MOST;
  return (
    typeof value === "string" || typeof value === "boolean" || (Array.isArray(value) && value.every((item) => typeof item === "string"))
  );
}

/** Header lines as Relay writes them: a key and a value that is JSON, which YAML reads alike. */
const CANONICAL = /^([a-z][a-z0-9_]*): (".*"|true|false|0|[1-9]\d{0,14}|\[.*\]|\{.*\})$/;

function parseHeader(given: string): object {
  const text = given.replace(/\r(?=\n|$)/g, "");
  return parseCanonical(text) ?? parseYaml(text);
}

/** A header in which every line has the form Relay writes; null sends the text to the YAML parser. */
function parseCanonical(text: string): Header | null {
  const header: Header = {};
  const lines = text.split("\n", WORDS_OF_MANY + 1);
  if (lines.length > WORDS_OF_MANY) return null;
  for (const line of lines) {
    if (line === "") continue;
    const match = CANONICAL.exec(line);
    if (match === null) return null;
    const key = match[1] as string;
    if (FORBIDDEN_KEYS.has(key) || Object.hasOwn(header, key)) return null;
    try {
      header[key] = JSON.parse(match[2] as string);
    } catch {
      return null;
    }
    const value = header[key];
    if (typeof value !== "object" || value === null) continue;
    const inside = Object.entries(value);
    if (!inside.every(([name, item]) => typeof item === "string" && !FORBIDDEN_KEYS.has(name))) return null;
  }
  return header;
}

function parseYaml(text: string): Header {
  // gray-matter hands over the header with the line break that ends its first line.
  const read = readBareYaml(text, WORDS_OF_MANY);
  YAML.visit(read.document, {
    Scalar: (_key, node) => {
      // 012, 12345e6 (a commit hash) and True stay as they were typed; a caller that wants a number or a flag converts it.
      if (node.type === "PLAIN" && node.value !== null && typeof node.value !== "string" && String(node.value) !== node.source) {
        node.value = node.source;
      }
    },
  });
  const data = plainOf(read);
  if (data === null || data === undefined) return {};
  if (typeof data !== "object" || Array.isArray(data)) {
    throw new FileError("expected the front matter to be a map of keys and values", 2);
  }
  return data as Header;
}

function formatHeader(data: object): string {
  return Object.entries(data)
    .map(([key, value]) => `${key}: ${formatValue(value)}`)
    .join("\n");
}

/** A value as JSON, which is YAML's flow style, with the few characters escaped that YAML would not carry raw. */
function formatValue(value: unknown): string {
  const json = Array.isArray(value)
    ? `[${value.map(formatValue).join(", ")}]`
    : typeof value === "object" && value !== null
      ? `{${Object.entries(value)
          .map(([key, item]) => `${JSON.stringify(key)}: ${formatValue(item)}`)
          .join(", ")}}`
      : JSON.stringify(value);
  return json.replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The error of a header that does not fit its schema, with the line of the first thing wrong with it. */
export const headerError = (source: string, header: Header, issues: readonly z.core.$ZodIssue[]): FileError =>
  new FileError(headerProblem(issues, header), lineOfKey(source, String(issues[0]?.path[0] ?? "")));

/** In words: what a header should have been, from the first thing wrong with it. */
function headerProblem(issues: readonly z.core.$ZodIssue[], header: Header): string {
  const issue = issues[0] as z.core.$ZodIssue;
  const key = String(issue.path[0] ?? "");
  if (!Object.hasOwn(header, key)) return `the header has no "${key}"`;
  return `"${key}" is not as expected: ${JSON.stringify(header[key])?.slice(0, 80)}${allowedBy(issue)}`;
}

function allowedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `; expected one of ${issue.values.map(String).join(", ")}`;
  const wanted = issue.code === "invalid_type" && issue.path.length === 1 ? KINDS[issue.expected] : undefined;
  return wanted === undefined ? "" : `; expected ${wanted}`;
}

/** What a value should have been, for a person who edits the file by hand. */
const KINDS: Readonly<Record<string, string>> = {
  array: 'a list, such as ["one", "two"]',
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** The line on which a key of the header stands, counted from 1; the first line where it is missing. */
export function lineOfKey(source: string, key: string): number {
  const index = source.split("\n").findIndex((row) => row.startsWith(`${key}:`));
  return index === -1 ? 1 : index + 1;
}

/** The record without the keys whose value is undefined. */
export function withoutUndefined<T extends object>(record: T): T {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const value = (record as Record<string, unknown>)[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept as T;
}
