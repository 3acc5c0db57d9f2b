/** The file of a task as its merged claims say. spec/git.md, "Merge". */

import type { ClaimRecord } from "../../board/nouns/claim.ts";
import { mergeTask, readTask } from "../../board/nouns/merge-task.ts";
import { afterClaim, claimed, formatTask, isFinished, parseTask, type Task } from "../../board/nouns/task.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { type BlobId, keepReadable, type Outcomes, outcomeOf, type ReadBlob } from "../../core/noun/merge-tree.ts";

/**
 * The task's file: merged where both changed it, and as the last record of its claims says.
 * @param record the last of the merged chain
 * @param parted what two chains that parted came to; null where they are one
 * @param leader the file of the side whose records keep their numbers, where the chains parted
 */
export function taskOutcomes(
  path: string,
  id: string,
  [base, ours, theirs]: readonly (BlobId | undefined)[],
  read: ReadBlob,
  record: ClaimRecord | null,
  parted: { gaveWay: ClaimRecord | null } | null,
  leader: BlobId | undefined,
): Outcomes {
  const sides = [...new Set([ours, theirs])].flatMap((side) => (side === undefined ? [] : [{ id: side, text: read(side) ?? "" }]));
  const [one, other] = sides.length === 2 ? sides.filter((side) => side.id !== base) : sides;
  if (one === undefined) return new Map();
  try {
    const before = base === undefined ? null : read(base);
    const merged =
      other === undefined ? parseTask(one.text, id) : mergeTask(id, before, one.text, other.text, parted === null ? record : null);
    const led = parted === null || leader === undefined ? null : readTask(id, read(leader) ?? "");
    const settledTask = settledBy(noted(merged, parted?.gaveWay ?? null), record, parted === null ? null : (led ?? merged));
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

/**
 * The task as the last record of its claims says.
 * @param led of chains that parted, the file that knows the chain which keeps its numbers: status and assignee are as it says
 */
export function settledBy(task: Task, record: ClaimRecord | null, led: Task | null): Task {
  if (record === null) return task;
  if (led === null) return claimed(task, record) ?? task;
  const { status, assignee, fence, blockedReason } = led;
  const known = withoutUndefined({ ...task, status, assignee, fence, blockedReason });
  return agrees(known, record) ? known : (claimed(known, record) ?? afterClaim(known, record));
}

/** A side that cannot be read gives way, beside the other. */
export function malformed(path: string, sides: readonly { id: BlobId; text: string }[], id: string): Outcomes {
  const [one, other] = sides;
  if (one === undefined || other === undefined) return new Map(one === undefined ? [] : [[path, { take: one.id }]]);
  return keepReadable(path, [one.id, other.id], (side) => readTask(id, side === one.id ? one.text : other.text) !== null);
}

/** Whether a task's file says what its last record says; what a release left may have been changed without a record. */
function agrees({ status, assignee, fence }: Task, { kind, agent, fence: last }: ClaimRecord): boolean {
  if (fence !== last) return false;
  if (kind === "claim") return status !== "todo" && assignee === agent;
  return kind === "done" ? isFinished(status) : status !== "in_progress";
}
