/** Claiming a task, and changing one: who may, and what the chain of claims says to it. SPEC.md, "Claim". */
import type { Hold } from "../objects/claim.ts";
import { changed, claimed, type Task, type TaskStatus, TRANSITIONS, unmetOf } from "../objects/task.ts";
import { refuse } from "../refusal.ts";
import type { World } from "../world.ts";
import { holder, lastFence, type NewClaim } from "./claim-records.ts";
import { addClaim, forget, remembered, renew } from "./claims.ts";
import { runHooks } from "./hooks.ts";
import { asOneAct } from "./intents.ts";
import { isOpen, renewRemote } from "./remote-claims.ts";
import { changeTask, recordOf, requireTask, settleTask, statusReader } from "./tasks.ts";

/** Of many who want one task each round has a winner, so those who lost learn it in the next. */
const ROUNDS = 64;

/** What a claim came to. `fence` is the task's own: the claimer's where `claimed`. */
export interface ClaimOutcome {
  claimed: boolean;
  fence: number;
  reason?: string;
  /** Until when it holds without being renewed, in seconds since the epoch. */
  until?: number;
  /** The remote that decides could not be asked: the next sync will say whether it is confirmed or lost. */
  provisional?: boolean;
}

/** Who claims, and how. */
export interface Claimer {
  agent: string;
  leaseS?: number | undefined;
  /** Whether the claimer is who calls: then the claim lasts as long as the connection. */
  own: boolean;
}

/**
 * Claims a task for an agent, if it can be started and nobody holds it.
 * @throws Refusal `unknown_task`, `hook_untrusted`, `malformed_file`
 */
export async function claimTask(world: World, session: string, given: string, claimer: Claimer): Promise<ClaimOutcome> {
  let hooksPassed = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    const task = await requireTask(world, session, given);
    const hold = holder(world, session, task.id);
    if (isOutdated(task, hold)) continue;
    const reason = whyNot(task, hold, claimer.agent, unmetOf(task, statusReader(world, session)));
    if (reason !== null) return { claimed: false, reason, fence: hold.fence };
    if (!hooksPassed) {
      const failure = await runHooks(world, claimer.agent, "before_task", task.id, session);
      if (failure !== null) {
        const said = `before_task hook failed (exit ${failure.exitCode ?? "timeout"}): ${failure.output}`;
        return { claimed: false, reason: said, fence: hold.fence };
      }
      hooksPassed = true;
      // A hook takes its time: what was true before it may no longer be.
      continue;
    }
    const add = (): Promise<number | null> => addClaim(world, session, task.id, hold.fence, { kind: "claim", ...claimer });
    const fence = await asOneAct(world, ["claim", session, task.id], add, () => settleTask(world, session, task.id));
    if (fence === null) continue;
    const held = holder(world, session, task.id);
    const until = held.state === "held" ? { until: Math.floor(held.until / 1_000) } : {};
    return {
      claimed: true,
      fence,
      ...until,
      ...(held.state !== "free" && isOpen(world, session, held.record) ? { provisional: true } : {}),
    };
  }
  throw refuse("busy", { path: given });
}

/** Whether a claim came between the two looks: then the task says less than the chain, and both are looked at again. */
const isOutdated = (task: Task, hold: Hold): boolean => hold.fence > task.fence;

/** Why an agent cannot claim a task now; null when it can. */
function whyNot(task: Task, hold: Hold, agent: string, unmet: readonly string[]): string | null {
  if (unmet.length > 0) return `Unmet dependencies: ${unmet.join(", ")}`;
  if (task.status === "todo") {
    const other = task.assignee !== undefined && task.assignee !== agent;
    return other ? `Task is assigned to another agent: ${task.assignee}` : null;
  }
  if (task.status === "in_progress" && hold.state === "overdue") return null;
  const who =
    hold.state === "held" ? `, held by ${hold.record.agent} (fence ${hold.fence}) until ${new Date(hold.until).toISOString()}` : "";
  return `Task is not in 'todo' state: it is ${task.status}${who}`;
}

/** What to change of a task. */
export interface TaskUpdate {
  status?: TaskStatus | undefined;
  assignee?: string | undefined;
  /** The fence that the caller believes to hold. */
  fence?: number | undefined;
}

/**
 * Changes the status or the assignee of a task; a claim follows: `todo` gives it back, `done` closes it, another assignee
 * takes it over, and a holder's own change renews it.
 * @throws Refusal `nothing_to_update`, `unknown_task`, `not_your_task`, `stale_fence`, `bad_transition`, `unmet_dependencies`,
 *   `not_claimed`, `hook_failed`, `hook_untrusted`
 */
export async function updateTask(world: World, session: string, given: string, update: TaskUpdate, agent: string): Promise<Task> {
  if (update.status === undefined && update.assignee === undefined) throw refuse("nothing_to_update", { known: ["status", "assignee"] });
  let hooksPassed = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    const task = await requireTask(world, session, given);
    const hold = holder(world, session, task.id);
    if (isOutdated(task, hold)) continue;
    checkCaller(task, agent);
    checkFence(world, session, task, hold, update, agent);
    const status = update.status ?? task.status;
    if (status !== task.status && !TRANSITIONS[task.status].includes(status)) {
      throw refuse("bad_transition", { from: task.status, to: status, allowed: [...TRANSITIONS[task.status]] });
    }
    if (status === "in_progress" && task.status !== "in_progress" && hold.state === "free") {
      await markInProgress(world, session, task, update, agent);
      continue;
    }
    if (status === "done" && task.status !== "done") {
      const unmet = unmetOf(task, statusReader(world, session));
      if (unmet.length > 0) throw refuse("unmet_dependencies", { unmet });
      if (!hooksPassed) {
        await passAfterTask(world, session, task, agent);
        hooksPassed = true;
        continue;
      }
    }
    const updated = await commitUpdate(world, session, task, hold, update, agent);
    if (updated !== null) return updated;
  }
  throw refuse("busy", { path: given });
}

function checkCaller(task: Task, agent: string): void {
  const { assignee, createdBy } = task;
  if (assignee !== undefined && assignee !== agent && createdBy !== agent) {
    throw refuse("not_your_task", { assignee: assignee ?? null, createdBy });
  }
}

function checkFence(world: World, session: string, task: Task, hold: Hold, update: TaskUpdate, agent: string): void {
  const own = remembered(world, agent, session, task.id);
  const believed = update.fence ?? own?.fence ?? null;
  // Two machines that could not ask each other may both have had this number.
  const isAnothers = update.fence === undefined && own !== null && hold.state !== "free" && hold.record.nonce !== own.nonce;
  if (!isAnothers && (believed === null || believed === hold.fence)) return;
  throw refuse("stale_fence", { given: believed as number, fence: hold.fence, holder: hold.state === "free" ? null : hold.record.agent });
}

/** Work that begins without a claim of the worker's own: the claim is made for whoever it is assigned to. */
async function markInProgress(world: World, session: string, task: Task, update: TaskUpdate, agent: string): Promise<void> {
  const worker = update.assignee ?? task.assignee ?? agent;
  if (task.status !== "todo") await reopen(world, session, task, agent);
  const { claimed: isClaimed, reason } = await claimTask(world, session, task.id, { agent: worker, own: worker === agent });
  if (isClaimed) return;
  const now = await requireTask(world, session, task.id);
  // Somebody made it so meanwhile, which is what was asked for.
  if (now.status !== "in_progress") throw refuse("not_claimed", { reason: reason ?? "" });
}

/** A finished task is work to do again. */
async function reopen(world: World, session: string, task: Task, agent: string): Promise<void> {
  await changeTask(world, session, task.id, agent, (now) =>
    now.status === task.status ? changed(now, nowOf(world), agent, "reopened", { status: "todo" }) : null,
  );
}

/** The hook of whoever did the work, whoever says that it is done. */
async function passAfterTask(world: World, session: string, task: Task, agent: string): Promise<void> {
  const failure = await runHooks(world, task.assignee ?? agent, "after_task", task.id, session);
  if (failure === null) return;
  if (TRANSITIONS[task.status].includes("in_review")) {
    await changeTask(world, session, task.id, agent, (now) =>
      now.status === task.status ? changed(now, nowOf(world), agent, "after_task hook failed", { status: "in_review" }) : null,
    );
  }
  throw refuse("hook_failed", { ...failure, hook_failed: true });
}

/** The record that a change of a task takes, if any: each decides against whoever wants the same number. */
function recordFor(task: Task, hold: Hold, { status, assignee }: TaskUpdate, agent: string): NewClaim | null {
  // Also without a claim, so that nobody claims what is being finished.
  if (status === "done" && task.status !== "done") return { kind: "done", agent };
  if (hold.state === "free") return null;
  if (status === "todo") return { kind: "release", agent, to: assignee };
  return assignee !== undefined && assignee !== task.assignee ? { kind: "claim", agent: assignee } : null;
}

/** Makes the record that a change takes, then the change; null when the task or its claims moved meanwhile. */
async function commitUpdate(
  world: World,
  session: string,
  task: Task,
  hold: Hold,
  update: TaskUpdate,
  agent: string,
): Promise<Task | null> {
  const record = recordFor(task, hold, update, agent);
  if (record === null) {
    if (hold.state !== "free" && hold.record.agent === agent) {
      renew(world, session, task.id, hold.fence);
      await renewRemote(world, session, task.id, hold.fence).catch(() => {});
    }
    return applyUpdate(world, session, task, hold.fence, update, agent, false);
  }
  const add = (): Promise<number | null> => addClaim(world, session, task.id, hold.fence, record);
  const fence = await asOneAct(world, ["claim", session, task.id], add, (added) =>
    applyUpdate(world, session, task, added, update, agent, true),
  );
  if (fence === null) return null;
  forget(world, agent, session, task.id);
  return requireTask(world, session, task.id);
}

/** @param isRecorded whether a record was made for it: then nothing can have come before it. */
async function applyUpdate(
  world: World,
  session: string,
  task: Task,
  fence: number,
  update: TaskUpdate,
  agent: string,
  isRecorded: boolean,
): Promise<Task | null> {
  let moved = false;
  const updated = await changeTask(world, session, task.id, agent, (file) => {
    // Whoever claimed it may not have come to its file yet.
    const now = isRecorded ? file : (claimed(file, recordOf(world, session, task.id)) ?? file);
    const { status = now.status } = update;
    moved = !isRecorded && (lastFence(world, session, task.id) !== fence || (status !== now.status && now.status !== task.status));
    // A later claim has been put into the file already: its status and holder stand.
    if (moved || now.fence > fence) return null;
    const assignee = update.assignee ?? (isRecorded && status === "todo" ? undefined : now.assignee);
    const what = [
      ...(status === now.status ? [] : [`${now.status} → ${status}`]),
      ...(assignee === now.assignee ? [] : [assignee === undefined ? "released" : `assigned to ${assignee}`]),
    ].join(", ");
    return what === "" && fence === now.fence ? null : changed(now, nowOf(world), agent, what, { status, assignee, fence });
  });
  return moved ? null : updated;
}

const nowOf = (world: World): string => new Date(world.now()).toISOString();
