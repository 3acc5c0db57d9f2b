/** The file of a task as its merged claims say. spec/git.md, "Merge". */
import { type BlobId, type Outcomes, outcomeOf, type Reader } from "../noun/merge-tree.ts";
import type { ClaimRecord } from "../task/claim.ts";
import { mergeTask, readTask } from "../task/merge-task.ts";
import { formatTask, parseTask } from "../task/task.ts";
import { malformed, noted, settledBy, withOverruled } from "./merge-claims.ts";

/**
 * The task's file: merged where both changed it, and as the last record of its claims says.
 * @param record the last of the merged chain
 * @param gaveWay a claim that left the chain
 */
export function taskOutcomes(
  path: string,
  id: string,
  [base, ours, theirs]: readonly (BlobId | undefined)[],
  read: Reader,
  record: ClaimRecord | null,
  gaveWay: ClaimRecord | null,
): Outcomes {
  const sides = [...new Set([ours, theirs])].flatMap((side) => (side === undefined ? [] : [{ id: side, text: read(side) ?? "" }]));
  const [one, other] = sides.length === 2 ? sides.filter((side) => side.id !== base) : sides;
  if (one === undefined) return new Map();
  try {
    const before = base === undefined ? null : read(base);
    const merged =
      other === undefined ? parseTask(one.text, id) : mergeTask(id, before, one.text, other.text, gaveWay === null ? record : null);
    const settledTask = settledBy(noted(merged, gaveWay), record, gaveWay !== null);
    const task = withOverruled(settledTask, merged, before === null ? null : readTask(id, before));
    return new Map([[path, task === merged && other === undefined ? { take: one.id } : outcomeOf(formatTask(task), sides)]]);
  } catch {
    return malformed(path, sides, id);
  }
}
