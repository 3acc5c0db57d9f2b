/** Conflicts that git left in the files of a home. SPEC.md, "In the tree". */
import { conflictIn, mayConflict } from "../objects/conflict.ts";
import { type CheckFinding, finding } from "../objects/finding.ts";
import { placeOf } from "../objects/layout.ts";
import type { Finding } from "./finding.ts";
import { folderSnapshot, type SnapshotFile } from "./snapshot.ts";

/** The finding for a text in which a conflict was left; null of any other. */
export function conflictFinding(path: string, text: string): CheckFinding | null {
  const left = conflictIn(text);
  return left === null ? null : finding("conflict", { path, line: left.line }, left.marks, "what holds of both sides, without these lines");
}

/** Every conflict in the files of a home that are changed in place, for `doctor`. */
export async function examineConflicts(root: string): Promise<Finding[]> {
  const snapshot = folderSnapshot(root);
  const files: SnapshotFile[] = [];
  for await (const file of snapshot.files()) {
    const place = file.kind === "file" ? placeOf(file.path) : null;
    if (place !== null && mayConflict(place.kind)) files.push(file);
  }
  const findings: Finding[] = [];
  for await (const { file, text } of snapshot.texts(files)) {
    const found = typeof text === "string" ? conflictFinding(file.path, text) : null;
    if (found === null) continue;
    const { code, path, line, problem } = found;
    findings.push({ severity: "error", code, path, line, problem, remedy: "Correct it by hand" });
  }
  return findings;
}
