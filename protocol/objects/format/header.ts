/** What the headers of all files have in common: the error of a file that is not what its name says, and words for what is wrong. */
import type * as z from "zod/mini";
import type { Header } from "./frontmatter.ts";
import { NUL_PROBLEM, nulLine } from "./nul.ts";

/** A file is not what its name says; `line` counts from 1 where it is known. */
export class FileError extends Error {
  readonly line: number | undefined;
  constructor(problem: string, line?: number) {
    super(problem);
    this.name = "FileError";
    this.line = line;
  }
}

/** In words: what a header should have been, from the first thing wrong with it. */
export function headerProblem(issues: readonly z.core.$ZodIssue[], header: Header): string {
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

/** The line of the first thing wrong with a header, counted from 1. */
export function lineOfIssue(source: string, issues: readonly z.core.$ZodIssue[]): number {
  return lineOfKey(source, String(issues[0]?.path[0] ?? ""));
}

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
