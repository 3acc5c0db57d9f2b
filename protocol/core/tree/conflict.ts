/** The conflict marks that git leaves in a file until a person resolves them. spec/git.md, "In the tree". */

import { type Finding, finding } from "../format/finding.ts";
import { verbatim } from "../noun/noun.ts";
import { nounOf } from "../noun/noun-list.ts";
import type { PlaceKind } from "./layout.ts";

/** Whether marks of a conflict in a file of a kind are that, and not somebody's words about one: people change it in place. */
export function mayConflict(kind: PlaceKind): boolean {
  if (kind === "ignored" || kind === "machine") return false;
  const { isEdited, parse } = nounOf(kind);
  return isEdited === true && parse !== verbatim;
}

/** A line that git wrote: seven signs and, but in the middle, the name of a side. */
const MARK = /^(<{7}|\|{7}|>{7})( |$)|^={7}$/;

/**
 * The lines of a text that git wrote to mark a conflict, counted from 1. `=======` alone may underline a heading, and is
 * one only within a conflict.
 */
function conflictMarks(text: string): { line: number; mark: string }[] {
  if (!/^(<{7}|>{7})/m.test(text)) return [];
  const marks: { line: number; mark: string }[] = [];
  let within = false;
  for (const [at, row] of text.split(/\r?\n/).entries()) {
    if (!MARK.test(row)) continue;
    if (row.startsWith("<")) within = true;
    if (within || row.startsWith(">")) marks.push({ line: at + 1, mark: row.slice(0, 7) });
    if (row.startsWith(">")) within = false;
  }
  return marks;
}

/** Number of marks that are named. */
const NAMED = 20;

/** A conflict that was left in a text: its first line, and the marks that git wrote; null where there is none. */
function conflictIn(text: string): { line: number; marks: string } | null {
  const marks = conflictMarks(text);
  const [first] = marks;
  if (first === undefined) return null;
  const named = marks.slice(0, NAMED).map(({ line, mark }) => `${mark} in line ${line}`);
  return { line: first.line, marks: [...named, ...(marks.length > NAMED ? [`and ${marks.length - NAMED} more`] : [])].join(", ") };
}

/** The same as a sentence for who reads the text. */
export function conflictProblem(text: string): string | null {
  const left = conflictIn(text);
  return left === null ? null : `git left a conflict in it (${left.marks}): keep the right lines, and remove the marks`;
}

/** The finding for a text in which a conflict was left; null of any other. */
export function conflictFinding(path: string, text: string): Finding | null {
  const left = conflictIn(text);
  return left === null
    ? null
    : finding("conflict", { path, line: left.line }, left.marks, "the right lines of both sides, without the marks");
}
