/** Finds faults between the tasks of a session and their claims. spec/check.md, "Check". */

import { type ClaimRecord, claimPath, type Hold, holdOf, LEASE_S } from "../../board/nouns/claim.ts";
import { isFinished, type Task, taskPath } from "../../board/nouns/task.ts";
import { type Finding, finding } from "../../core/format/finding.ts";
import { lineOfKey } from "../../core/format/frontmatter.ts";

/** A task that could be read, with the line of its status. */
export interface KnownTask {
  task: Task;
  line: number;
}

/** Keeps of a task what the checks need. @param source its text, to name lines */
export const knownTask = (task: Task, source: string): KnownTask => ({
  task: { ...task, title: "", description: "", history: task.history.slice(-HISTORY), other: {} },
  line: lineOfKey(source, "status"),
});

/** Lines of a task's history in which its holder is looked for. */
const HISTORY = 50;

/** What is known of who holds tasks, beside the records. */
export interface HoldView {
  nowMs: number;
  /** Whether a part or guest of that name exists, now or formerly; null where that cannot be known. */
  isKnown: ((agent: string) => boolean) | null;
  /** When a claim was renewed last as seen here, in milliseconds since the epoch; null where it was not. */
  renewedMs(session: string, record: ClaimRecord): number | null;
  /** `gone`, or `alive`, for a process of this machine; null for one that cannot be seen. */
  life(record: ClaimRecord): "alive" | "gone" | null;
}

/** A connection renews its claims where nobody else sees it, so elsewhere they get so much longer, in seconds. */
export const UNSEEN_LEASE_S = 86_400;

/**
 * Checks that the part that holds a task exists, and still holds it.
 * @param last the last record of its chain; null when it was never claimed
 */
export function checkHold(session: string, known: KnownTask, last: ClaimRecord | null, view: HoldView): Finding[] {
  const { task, line } = known;
  // A file that is behind its chain is corrected by the next call.
  if (last !== null && task.fence < last.fence && last.kind !== "claim") return [];
  const isOn = task.status === "in_progress" || (last !== null && task.fence < last.fence);
  if (last === null || last.kind !== "claim") {
    if (!isOn) return [];
    const found = last === null ? `"in_progress", and no claim` : `"in_progress", and ${last.agent} released its last claim`;
    return [finding("claim_missing", { path: taskPath(session, task.id), line }, found, "a claim (`relay task claim`)")];
  }
  const path = claimPath(session, task.id, last.fence);
  if (isFinished(task.status)) return [];
  if (view.isKnown?.(last.agent) === false) return [finding("claim_by_nobody", { path }, last.agent, "a part of relay.yml, or a guest")];
  const hold = holdSeen(session, known, last, view);
  if (hold.state !== "overdue" || !isOn) return [];
  const found = hold.why === "process" ? `held by ${last.agent}, whose process is gone` : `held by ${last.agent} since ${last.at}`;
  return [finding("claim_overdue", { path }, found, "a claim that was renewed, released or taken over")];
}

/** Who holds a task as far as it can be seen from here: a holder's own change renews a claim, and is in the task's history. */
function holdSeen(session: string, { task }: KnownTask, last: ClaimRecord, view: HoldView): Hold {
  const life = last.process === undefined ? null : view.life(last);
  const changed = task.history.map((line) => line.split(" ", 2)).filter(([, by]) => by === `${last.agent}:`);
  const times = changed.map(([at = ""]) => Date.parse(at)).filter((time) => !Number.isNaN(time));
  const unseen = last.process !== undefined && life === null;
  const record = unseen ? { ...last, leaseS: (last.leaseS ?? LEASE_S) + UNSEEN_LEASE_S } : last;
  const renewedMs = Math.max(view.renewedMs(session, last) ?? 0, ...times);
  return holdOf(record, { nowMs: view.nowMs, renewedMs, gone: life === "gone" });
}
