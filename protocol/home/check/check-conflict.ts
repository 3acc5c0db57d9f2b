/** Conflicts that git left in the files of a home. spec/git.md, "In the tree". */

import { type Finding, finding } from "../../objects/format/finding.ts";
import { conflictIn } from "../../objects/tree/conflict.ts";

/** The finding for a text in which a conflict was left; null of any other. */
export function conflictFinding(path: string, text: string): Finding | null {
  const left = conflictIn(text);
  return left === null ? null : finding("conflict", { path, line: left.line }, left.marks, "what holds of both sides, without these lines");
}
