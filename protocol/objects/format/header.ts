/** The common pieces of all headers: the error of a file that does not match its name, and words for faults. */
import type * as z from "zod/mini";
import { FileError } from "./file-error.ts";
import type { Header } from "./frontmatter.ts";

/** What is wrong with a text that has one. */
export const NUL_PROBLEM = "expected text without NUL characters, it has one";

/** The line of the first NUL of a text, counted from 1; null where there is none. */
export function nulLine(text: string): number | null {
  const at = text.indexOf("\0");
  return at === -1 ? null : text.slice(0, at).split("\n").length;
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

/** What a value should have been, for who edits a file by hand. */
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

/** A text as it is given. @throws FileError with the line, when there is a NUL in it */
export function withoutNul(source: string): string {
  const line = nulLine(source);
  if (line !== null) throw new FileError(NUL_PROBLEM, line);
  return source;
}

/** The record without the keys whose value is undefined. */
export function withoutUndefined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
