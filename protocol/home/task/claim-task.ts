/** Claiming a task: who may, and what the chain of claims says to it. SPEC.md, "Claim". */
import type { ClaimRecord, Hold } from "../../objects/task/claim.ts";
import { type Task, unmetOf } from "../../objects/task/task.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { runHooks } from "../agent/hooks.ts";
import { commitThenFinish, type Intent } from "../commit-then-finish.ts";
import { isSamePart } from "../part/members.ts";
import { holdBy, type NewClaim } from "./claim-read.ts";
import { addClaim, deciderOf } from "./claim-write.ts";
import { heirOf, tellHeir } from "./hand-over.ts";
import { catchUpTask, statusReader, type TaskAndHold, taskAndHold } from "./task-files.ts";

/** So many rounds are enough for all who want one task. */
const ROUNDS = 64;

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
 * @throws Refusal `unknown_task`, `hook_untrusted`, `malformed_file`, `busy`
 */
export function claimTask(world: World, session: string, given: string, claimer: Claimer): Promise<ClaimOutcome> {
  let hooksPassed = false;
  return lookTryLookAgain(given, async () => {
    const seen = await taskAndHold(world, session, given);
    if (seen === null) return null;
    const { task, hold } = seen;
    const reason = whyNot(world, task, hold, claimer, unmetOf(task, statusReader(world, session)));
    if (reason !== null) return { claimed: false, reason, fence: hold.fence };
    if (!hooksPassed) {
      const hooks = await runHooks(world, claimer.agent, "before_task", task.id, session);
      if (hooks !== "none" && hooks !== "passed") {
        const said = `before_task hook failed (exit ${hooks.exitCode ?? "timeout"}): ${hooks.output}`;
        return { claimed: false, reason: said, fence: hold.fence };
      }
      hooksPassed = true;
      // A hook takes its time: what was true before it may no longer be.
      if (hooks === "passed") return null;
    }
    return tryToClaim(world, session, seen, claimer);
  });
}

/**
 * Looks at a task, tries, and looks again where somebody else was quicker. One exclusive create decides who wins, so nobody
 * holds a lock meanwhile, and each round has a winner.
 * @param lookAndTry gives null where it is to be done again
 * @throws Refusal `busy`
 */
export async function lookTryLookAgain<T>(given: string, lookAndTry: () => Promise<T | null>): Promise<T> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcome = await lookAndTry();
    if (outcome !== null) return outcome;
  }
  throw refuse("busy", { path: given });
}

/** Adds the record of a claim after the one that was seen; null when somebody else was quicker. */
async function tryToClaim(
  world: World,
  session: string,
  { task, hold }: TaskAndHold,
  { agent, leaseS, own, by }: Claimer,
): Promise<ClaimOutcome | null> {
  const claim = withIntent(world, { kind: "claim", agent, leaseS, own, by });
  const add = (): Promise<ClaimRecord | null> => addClaim(world, session, task.id, hold.fence, claim);
  const record = await commitThenFinish(world, intentOf(session, task.id, claim), add, async (added) => {
    await catchUpTask(world, session, task.id);
    tellHeir(world, session, added);
  });
  if (record === null) return null;
  const held = holdBy(world, session, record, record.fence);
  const whyUndecided = await deciderOf(world).whyUndecided(world, session, record);
  return {
    claimed: true,
    fence: record.fence,
    ...(held.state === "held" ? { until: Math.floor(held.until / 1_000) } : {}),
    ...(whyUndecided === null ? {} : { provisional: true, reason: whyUndecided }),
  };
}

/** A claim with the nonce that its intent says, where it hands a task over: then whoever finishes it knows of which record. */
export const withIntent = (world: World, claim: NewClaim): NewClaim =>
  heirOf(world, claim) === null ? claim : { ...claim, nonce: world.random(8) };

/** What is left before a record is made. */
export const intentOf = (session: string, task: string, { nonce }: NewClaim): Intent =>
  nonce === undefined ? ["claim", session, task] : ["claim", session, task, nonce];

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
