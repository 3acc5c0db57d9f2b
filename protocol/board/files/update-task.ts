/** Changing a task: who may, which record of its claims it takes, and what its hooks say. SPEC.md, "Task" and "Claim". */

import { commitByIntent, commitThenFinish, type IntentFile } from "../../core/home/commit-then-finish.ts";
import { HUMAN } from "../../core/names.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { currentName, isSamePart, nameNow } from "../../mail/files/members.ts";
import type { ClaimRecord, Hold } from "../nouns/claim.ts";
import { blockedLine, changed, claimed, isFinished, type Task, type TaskStatus, unmetOf } from "../nouns/task.ts";
import { claimTask, forgetClaim, intentOf, lookTryLookAgain, rememberedClaim, renewClaim, withIntent } from "./claim-task.ts";
import { addClaim, deciderOf, lastClaim, lastFence, type NewClaim, readableClaimAt } from "./claims.ts";
import { EDIT_WORDS, EDITED, editOf, editTask, type TaskEdit } from "./edit-task.ts";
import { finishMoving, tellMoved, tellReady } from "./hand-over.ts";
import { changeTask, requireTask, statusReader, taskAndHold } from "./task-files.ts";

/** What to change of a task. */
export interface TaskUpdate extends Partial<TaskEdit> {
  status?: TaskStatus | undefined;
  assignee?: string | undefined;
  /** Of `blocked`, of `canceled`, and of a release of what another part has: why. */
  reason?: string | undefined;
  /** The fence that the caller believes to hold. */
  fence?: number | undefined;
  /** Whether it is given back: nobody is assigned then, unless `assignee` says who. */
  isRelease?: boolean | undefined;
  /** What follows from the end of the task, beside what its claims and dependants need. */
  whenDone?: ((task: string) => Promise<unknown>) | undefined;
}

/**
 * Changes a task: its status, its assignee, or its text. A claim follows the first two: `todo` gives it back, `done` closes it,
 * another assignee takes it over, and a holder's own change of them renews it.
 * @throws Refusal `nothing_to_update`, `unknown_task`, `not_your_task`, `stale_fence`, `unmet_dependencies`,
 *   `not_claimed`, `hook_failed`
 */
export async function updateTask(world: World, session: string, given: string, update: TaskUpdate, agent: string): Promise<Task> {
  const edit = editOf(update);
  const isMove = update.status !== undefined || update.assignee !== undefined;
  if (!isMove && edit === null)
    throw refuse("nothing_to_update", {
      known: ["status", "assignee", ...EDITED.map((field) => EDIT_WORDS[field] ?? field)],
    });
  let hooksPassed = false;
  const moved = await lookTryLookAgain(given, async () => {
    const seen = await taskAndHold(world, session, given);
    if (seen === null) return null;
    const { task, hold } = seen;
    checkCaller(world, task, agent, update);
    if (isDoneAgain(world, session, task, hold, update, agent)) return task;
    checkFence(world, session, task, hold, update, agent);
    if (!isMove) return task;
    const status = update.status ?? task.status;
    if (update.isRelease === true && isFinished(task.status)) {
      throw refuse("not_claimed", { reason: 'the task is done, so there is nothing to release. To reopen it, update it to "todo"' });
    }
    if (status === "in_progress" && update.status === status && hold.state === "free") {
      await markInProgress(world, session, task, update, agent);
      return null;
    }
    if (status === "done" && task.status !== "done") {
      const unmet = unmetOf(task, statusReader(world, session));
      if (unmet.length > 0) throw refuse("unmet_dependencies", { unmet });
      if (!hooksPassed) {
        hooksPassed = true;
        // A hook takes its time: what was true before it may no longer be.
        if ((await passAfterTask(world, session, task, agent)) === "passed") return null;
      }
    }
    return commit(world, { session, task, hold, update, agent });
  });
  // A move that is refused leaves the text as it was, too.
  return edit === null ? moved : editTask(world, session, moved.id, edit, agent);
}

function checkCaller(world: World, { id, assignee, createdBy, status }: Task, agent: string, update: TaskUpdate): void {
  // Main, or a person, takes it away with a reason, and says how it goes on where whose it was is no part any more.
  const mayDecide = agent === HUMAN || agent === world.home().config().main;
  if (mayDecide && update.isRelease === true && update.reason !== undefined) return;
  if (mayDecide && assignee !== undefined && currentName(world, assignee) === null) return;
  if (assignee !== undefined && !isSamePart(world, assignee, agent) && !isSamePart(world, createdBy, agent)) {
    throw refuse("not_your_task", { assignee, createdBy, ...(status === "done" ? { status } : mayDecide ? { take: id } : {}) });
  }
}

function checkFence(world: World, session: string, task: Task, hold: Hold, update: TaskUpdate, agent: string): void {
  const own = rememberedClaim(world, agent, session, task.id);
  const believed = update.fence ?? own?.fence ?? null;
  // Two machines that could not ask each other may both have had this number: then it is the winner's alone.
  const isAnothers =
    hold.state !== "free" &&
    (update.fence === undefined
      ? own !== null && hold.record.nonce !== own.nonce
      : !isSamePart(world, hold.record.agent, agent) && update.fence === hold.fence);
  if (!isAnothers && (believed === null || believed === hold.fence)) return;
  throw refuse("stale_fence", {
    given: believed as number,
    fence: hold.fence,
    holder: hold.state === "free" ? null : hold.record.agent,
    ...(task.status === "done" ? { done: true } : {}),
  });
}

/** Whether a task is done, and is to be so by nobody whose claim another one took: the fence is that of its end, or of the claim which that closed. */
function isDoneAgain(
  world: World,
  session: string,
  task: Task,
  hold: Hold,
  { status, assignee, fence }: TaskUpdate,
  agent: string,
): boolean {
  if (status !== "done" || task.status !== "done" || hold.state !== "free") return false;
  if (assignee !== undefined && (task.assignee === undefined || !isSamePart(world, assignee, task.assignee))) return false;
  const believed = fence ?? rememberedClaim(world, agent, session, task.id)?.fence ?? hold.fence;
  return believed === hold.fence || (believed === hold.fence - 1 && readableClaimAt(world, session, task.id, believed)?.kind === "claim");
}

/** Work that begins without a claim of the worker's own: the claim is made for whoever it is assigned to. */
async function markInProgress(world: World, session: string, task: Task, update: TaskUpdate, agent: string): Promise<void> {
  const worker = nameNow(world, update.assignee ?? task.assignee ?? agent);
  if (task.status !== "todo" && task.status !== "in_progress") await reopen(world, session, task, agent);
  const { claimed: isClaimed, reason } = await claimTask(world, session, task.id, {
    agent: worker,
    own: worker === agent,
    from: task.assignee,
    by: worker === agent ? undefined : agent,
  });
  if (isClaimed) return;
  const now = await requireTask(world, session, task.id);
  // Somebody made it so meanwhile, which is what was asked for.
  if (now.status !== "in_progress" || now.fence === task.fence) throw refuse("not_claimed", { reason: reason ?? "" });
}

/** A finished task is work to do again. */
async function reopen(world: World, session: string, task: Task, agent: string): Promise<void> {
  await changeTask(world, session, task.id, agent, (now) =>
    now.status === task.status ? changed(now, nowOf(world), agent, "reopened", { status: "todo" }) : null,
  );
}

/** The hook of whoever did the work, whoever says that it is done. */
async function passAfterTask(world: World, session: string, task: Task, agent: string): Promise<"passed" | "none"> {
  const hooks = await packageWith("runHooks").runHooks(world, task.assignee ?? agent, "after_task", task.id, session);
  if (hooks === "passed" || hooks === "none") return hooks;
  const waits = task.status === "in_progress";
  if (waits) {
    await changeTask(world, session, task.id, agent, (now) =>
      now.status === task.status ? changed(now, nowOf(world), agent, "after_task hook failed", { status: "in_review" }) : null,
    );
  }
  throw refuse("hook_failed", { ...hooks, hook_failed: true, waits });
}

/** A change that may be made of a task as it was seen. */
interface Change {
  session: string;
  task: Task;
  hold: Hold;
  update: TaskUpdate;
  agent: string;
}

/** The record that a change takes, if any: each decides against whoever wants the same number. */
function recordFor(world: World, { task, hold, update, agent }: Change): NewClaim | null {
  const { status = task.status, assignee } = update;
  // Also without a claim, so that nobody claims what is being finished.
  if (isFinished(status) && !isFinished(task.status))
    return { kind: "done", agent, ...(status === "done" ? {} : { status, reason: update.reason }) };
  if (hold.state === "free") return null;
  if (status === "todo") return { kind: "release", agent, to: assignee, reason: update.reason };
  if (assignee === undefined || (task.assignee !== undefined && isSamePart(world, assignee, task.assignee))) return null;
  // Nobody works on what is blocked, so that nobody is to hold it.
  if (status === "blocked") return { kind: "release", agent, to: assignee };
  return { kind: "claim", agent: assignee, by: agent, status: status === "in_review" ? status : undefined };
}

/** Makes the record that a change takes, then the change; null when the task or its claims moved meanwhile. */
async function commit(world: World, change: Change): Promise<Task | null> {
  const { session, task, hold, agent } = change;
  const record = recordFor(world, change);
  if (record === null) {
    if (await deciderOf(world).decideUndecided(world, session, task.id)) return null;
    if (hold.state !== "free" && isSamePart(world, hold.record.agent, agent)) {
      renewClaim(world, session, task.id, hold.fence);
      await deciderOf(world)
        .renew(world, session, task.id, hold.fence)
        .catch(() => {});
    }
    const { assignee = task.assignee, status } = change.update;
    // Nothing but its history says that it was assigned or blocked, and when: by that time whoever finishes this knows the line.
    const atMs = world.now();
    const move = (): Promise<Task | null> => applyUnrecorded(world, change, atMs);
    if (assignee === task.assignee && status !== "blocked") return move();
    return commitThenFinish(world, ["assign", session, task.id, String(atMs)], move, () => finishMoving(world, session, task.id, atMs));
  }
  const isHeldByAnother = hold.state !== "free" && !isSamePart(world, hold.record.agent, agent);
  const claim = isHeldByAnother ? { ...record, nonce: world.random(8) } : withIntent(world, record);
  const add = (file: IntentFile): Promise<ClaimRecord | null> => addClaim(world, session, task.id, hold.fence, claim, file);
  const written: Task[] = [];
  const added = await commitByIntent(world, intentOf(session, task.id, claim), add, async (made) => {
    const atMs = world.now();
    written.push(await applyRecorded(world, change, made, atMs));
    tellMoved(world, session, made);
    if (change.update.status === "blocked") finishMoving(world, session, task.id, atMs);
    if (made.kind !== "done") return;
    tellReady(world, session, made);
    await change.update.whenDone?.(task.id);
  });
  if (added === null) return null;
  forgetClaim(world, agent, session, task.id);
  // What failed to be written for now, or was overtaken, is read again.
  return written.find(({ fence }) => fence === added.fence) ?? requireTask(world, session, task.id);
}

/** Puts into the file what a record decided; a later record that is there already stands. */
function applyRecorded(world: World, { session, task, update, agent }: Change, record: ClaimRecord, atMs: number): Promise<Task> {
  const { fence } = record;
  const change = (now: Task): Task | null => {
    if (now.fence > fence) return null;
    // Where the record says all of it, the file is as any other process would make it that finishes this.
    if (record.kind !== "claim" && update.assignee === undefined) return claimed(now, record);
    const { status = now.status } = update;
    const assignee = update.assignee ?? (status === "todo" ? undefined : now.assignee);
    return withHistory(atMs, now, agent, { status, assignee, fence, blockedReason: update.reason ?? now.blockedReason });
  };
  return changeTask(world, session, task.id, agent, change);
}

/** Makes a change that took no record, unless somebody claimed the task meanwhile: their record says what is true then. */
async function applyUnrecorded(world: World, { session, task, hold, update, agent }: Change, atMs: number): Promise<Task | null> {
  const isOvertaken = (): boolean => lastFence(world, session, task.id) > hold.fence;
  let moved = false;
  const updated = await changeTask(world, session, task.id, agent, (file) => {
    // Whoever claimed it may not have come to its file yet.
    const now = claimed(file, lastClaim(world, session, task.id)) ?? file;
    const { status = now.status, assignee = update.isRelease === true ? undefined : now.assignee } = update;
    moved = isOvertaken() || (status !== now.status && now.status !== task.status);
    const blockedReason = update.reason ?? now.blockedReason;
    return moved ? null : withHistory(atMs, now, agent, { status, assignee, fence: now.fence, blockedReason });
  });
  return moved || isOvertaken() ? null : updated;
}

/** The task with a change and a line that says so; null when it is so already. */
function withHistory(
  atMs: number,
  now: Task,
  agent: string,
  change: Pick<Task, "status" | "assignee" | "fence" | "blockedReason">,
): Task | null {
  const { status, assignee, fence, blockedReason } = change;
  const isBlocked = status === "blocked" && (status !== now.status || blockedReason !== now.blockedReason);
  const what = [
    ...(isBlocked ? [blockedLine(now.status, blockedReason)] : status === now.status ? [] : [`${now.status} → ${status}`]),
    ...(assignee === now.assignee ? [] : [assignee === undefined ? "released" : `assigned to ${assignee}`]),
  ].join(", ");
  return what === "" && fence === now.fence ? null : changed(now, new Date(atMs).toISOString(), agent, what, change);
}

const nowOf = (world: World): string => new Date(world.now()).toISOString();
