/** The file of a task as its merged claims say. spec/git.md, "Merge". */
import { type BlobId, keepReadable, type Outcomes, outcomeOf, type ReadBlob } from "../noun/merge-tree.ts";
import type { ClaimRecord } from "../task/claim.ts";
import { mergeTask, readTask } from "../task/merge-task.ts";
import { afterClaim, formatTask, parseTask, type Task } from "../task/task.ts";

/**
 * The task's file: merged where both changed it, and as the last record of its claims says.
 * @param record the last of the merged chain
 * @param gaveWay a claim that left the chain
 */
export function taskOutcomes(
  path: string,
  id: string,
  [base, ours, theirs]: readonly (BlobId | undefined)[],
  read: ReadBlob,
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

/** The task with a line of history that says whose claim gave way; as it was where none did, or the line is there. */
export function noted(task: Task, gaveWay: ClaimRecord | null): Task {
  const line = gaveWay === null ? "" : `${gaveWay.at} relay: the claim of ${gaveWay.agent} (fence ${gaveWay.fence}) gave way`;
  return line === "" || task.history.includes(line) ? task : { ...task, history: [...task.history, line] };
}

/** What a side wrote and the claims overrule, by a hand or by a version that knows no claims, is a line of the history. */
export function withOverruled(task: Task, merged: Task, before: Task | null): Task {
  const lines = (["status", "assignee"] as const).flatMap((key) => {
    const [was, is] = [merged[key], task[key]];
    if (was === is || was === undefined || was === before?.[key]) return [];
    return `${merged.updatedAt} relay: ${key} ${JSON.stringify(was)} gave way${is === undefined ? "" : ` to ${JSON.stringify(is)}`}`;
  });
  const there = new Set(task.history);
  const fresh = lines.filter((line) => !there.has(line));
  return fresh.length === 0 ? task : { ...task, history: [...task.history, ...fresh] };
}

/** The task as the last record says, where it knows of an earlier one, or of one of that number that gave way. */
export function settledBy(task: Task, record: ClaimRecord | null, isParted: boolean): Task {
  const isLate = record !== null && (record.fence > task.fence || (isParted && !agrees(task, record)));
  return isLate ? afterClaim(task, record) : task;
}

/** A side that cannot be read gives way, beside the other. */
export function malformed(path: string, sides: readonly { id: BlobId; text: string }[], id: string): Outcomes {
  const [one, other] = sides;
  if (one === undefined || other === undefined) return new Map(one === undefined ? [] : [[path, { take: one.id }]]);
  return keepReadable(path, [one.id, other.id], (side) => readTask(id, side === one.id ? one.text : other.text) !== null);
}

/** Whether a task's file says what its last record says. */
export const agrees = (task: Task, record: ClaimRecord): boolean =>
  task.fence === record.fence &&
  (record.kind === "claim" ? task.status !== "todo" && task.assignee === record.agent : record.kind !== "done" || task.status === "done");
