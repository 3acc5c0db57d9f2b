/** Claiming a task: who may, and what the chain of claims says to it. SPEC.md, "Claim". */
import type { Hold } from "../../objects/task/claim.ts";
import { type Task, unmetOf } from "../../objects/task/task.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { runHooks } from "../agent/hooks.ts";
import { commitThenFinish, type Intent } from "../commit-then-finish.ts";
import { isSamePart } from "../part/same-part.ts";
import { claimAt, holder, type NewClaim } from "./claim-read.ts";
import { addClaim } from "./claim-write.ts";
import { heirOf, tellHeir } from "./hand-over.ts";
import { isUndecided, whyUndecided } from "./remote/offer-claim.ts";
import { catchUpTask, requireTask, statusReader } from "./tasks.ts";

/** Of many who want one task each round has a winner, so those who lost learn it in the next. */
export const ROUNDS = 64;

/** What a claim came to. `fence` is the task's own: the claimer's where `claimed`. */
export interface ClaimOutcome {
  claimed: boolean;
  fence: number;
  /** Why it was not claimed, or only provisionally. */
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
  /** Whose it was, and who hands it over, where it is for another than who calls. */
  from?: string | undefined;
  by?: string | undefined;
}

/**
 * Claims a task for an agent, if it can be started and nobody holds it.
 * @throws Refusal `unknown_task`, `hook_untrusted`, `malformed_file`
 */
export async function claimTask(world: World, session: string, given: string, claimer: Claimer): Promise<ClaimOutcome> {
  let hooksPassed = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    const task = await requireTask(world, session, given);
    const hold = holdNow(world, session, task);
    if (hold === null) continue;
    const reason = whyNot(world, task, hold, claimer, unmetOf(task, statusReader(world, session)));
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
    const { agent, leaseS, own, by } = claimer;
    const claim = withIntent(world, { kind: "claim", agent, leaseS, own, by });
    const add = (): Promise<number | null> => addClaim(world, session, task.id, hold.fence, claim);
    const fence = await commitThenFinish(world, intentOf(session, task.id, claim), add, (added) =>
      followClaim(world, session, task.id, added),
    );
    if (fence === null) continue;
    const held = holder(world, session, task);
    const until = held.state === "held" ? { until: Math.floor(held.until / 1_000) } : {};
    return {
      claimed: true,
      fence,
      ...until,
      ...(held.state !== "free" && isUndecided(world, session, held.record)
        ? { provisional: true, reason: await whyUndecided(world) }
        : {}),
    };
  }
  throw refuse("busy", { path: given });
}

/** A claim with the nonce that its intent says, where it hands a task over: then whoever finishes it knows of which record. */
export const withIntent = (world: World, claim: NewClaim): NewClaim =>
  heirOf(world, claim) === null ? claim : { ...claim, nonce: world.random(8) };

/** What is left before a record is made. */
export const intentOf = (session: string, task: string, { nonce }: NewClaim): Intent =>
  nonce === undefined ? ["claim", session, task] : ["claim", session, task, nonce];

/** What follows from a record: the task's file says so, then whom it was handed over to is told. */
async function followClaim(world: World, session: string, task: string, fence: number): Promise<void> {
  const record = claimAt(world, session, task, fence);
  await catchUpTask(world, session, task);
  if (record !== null) tellHeir(world, session, record);
}

/** Who holds a task that was read just now; null when a claim came in between: then both are to be looked at again. */
export function holdNow(world: World, session: string, task: Task): Hold | null {
  const hold = holder(world, session, task);
  return hold.fence > task.fence ? null : hold;
}

/** Why an agent cannot claim a task now; null when it can. */
function whyNot(world: World, task: Task, hold: Hold, { agent, from }: Claimer, unmet: readonly string[]): string | null {
  if (unmet.length > 0) return `Unmet dependencies: ${unmet.join(", ")}`;
  if (task.status === "todo") {
    const other = task.assignee !== undefined && task.assignee !== from && !isSamePart(world, task.assignee, agent);
    return other ? `Task is assigned to another agent: ${task.assignee}` : null;
  }
  if (task.status === "in_progress" && hold.state === "overdue") return null;
  // Somebody wrote into the file that it is worked on: whoever it names, or anybody where it names nobody, can hold it.
  if (task.status === "in_progress" && hold.state === "free") {
    return task.assignee === undefined || task.assignee === from || isSamePart(world, task.assignee, agent)
      ? null
      : `Task is in progress, and assigned to another agent: ${task.assignee}`;
  }
  const who =
    hold.state === "held" ? `, held by ${hold.record.agent} (fence ${hold.fence}) until ${new Date(hold.until).toISOString()}` : "";
  return `Task is not in 'todo' state: it is ${task.status}${who}`;
}
