/**
 * Claims a task: who may, what the chain of its claims says to it, and how a connection keeps what it claimed until it gives it
 * back. SPEC.md, "Claim" and "Claiming".
 */

import type { Connection, HeldClaim } from "../../core/connection-memory.ts";
import { commitByIntent, type Intent, type IntentFile } from "../../core/home/commit-then-finish.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isSamePart, namesOf } from "../../mail/files/members.ts";
import { place } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { type ClaimRecord, type Hold, holdOf, LEASE_S, leasePath } from "../nouns/claim.ts";
import { type Task, unmetOf } from "../nouns/task.ts";
import { addClaim, deciderOf, holder, type NewClaim } from "./claims.ts";
import { tellMoved } from "./hand-over.ts";
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
 * @throws Refusal `unknown_task`, `malformed_file`, `busy`
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
      const outcome = await packageWith("runHooks").runHooks(world, claimer.agent, "before_task", task.id, session);
      if (typeof outcome !== "string") {
        const failed = `before_task hook failed (exit ${outcome.exitCode ?? "timeout"}): ${outcome.output}`;
        return { claimed: false, reason: failed, fence: hold.fence };
      }
      hooksPassed = true;
      // A hook takes its time: what was true before it may no longer be.
      if (outcome === "passed") return null;
    }
    return tryToClaim(world, session, seen, claimer);
  });
}

/**
 * Reads a task, tries, and reads it again where somebody else was quicker. One exclusive create decides who wins, so nobody
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
  const add = async (file: IntentFile): Promise<ClaimRecord | null> => {
    const added = await addClaim(world, session, task.id, hold.fence, claim, file);
    if (added !== null && own) rememberClaim(world, session, added);
    return added;
  };
  const record = await commitByIntent(world, intentOf(session, task.id, claim), add, async (added) => {
    await catchUpTask(world, session, task.id, added);
    if (by !== undefined) tellMoved(world, session, added);
  });
  if (record === null) return null;
  // It was made just now, and for this machine: nobody renewed it yet.
  const held = holdOf(record, { nowMs: world.now(), renewedMs: null, gone: false });
  const whyUndecided = await deciderOf(world).whyUndecided(world, session, record);
  return {
    claimed: true,
    fence: record.fence,
    ...(held.state === "held" ? { until: Math.floor(held.until / 1_000) } : {}),
    ...(whyUndecided === null ? {} : { provisional: true, reason: whyUndecided }),
  };
}

/** A claim with the nonce that its intent says, where it may hand a task over: then whoever finishes it knows of which record. */
export const withIntent = (world: World, claim: NewClaim): NewClaim =>
  claim.to === undefined && claim.by === undefined ? claim : { ...claim, nonce: world.random(8) };

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
    hold.state === "held"
      ? `, held by ${isSamePart(world, hold.record.agent, agent) ? "you" : hold.record.agent} (fence ${hold.fence}) until ${new Date(hold.until).toISOString()}`
      : "";
  const why = task.blockedReason === undefined ? "" : ` (${task.blockedReason})`;
  return `Task is not in 'todo' state: it is ${task.status}${why}${who}`;
}

/** Remembers a claim of the connection's own, and renews it as long as the connection lasts. */
function rememberClaim(world: World, session: string, { agent, task, fence, nonce, process, leaseS = LEASE_S }: ClaimRecord): void {
  const { claims } = world.connection;
  const renewedMs = Date.now();
  claims.set(keyOf(world, agent, session, task), { world, agent, session, task, fence, nonce, leaseMs: leaseS * 1_000, renewedMs });
  // Also where the connection is closed already: a call of it may end later.
  if (process === undefined || renewing.has(world.connection)) return;
  const timer = setInterval(() => renewDue(claims.values()), BEAT_MS);
  timer.unref();
  renewing.set(world.connection, timer);
}

/** How often a connection checks whether a claim of its own is to be renewed. */
const BEAT_MS = 500;
/** By what a connection renews its claims; null once it is closed. */
const renewing = new WeakMap<Connection, NodeJS.Timeout | null>();

/** Renews no claim of a connection any more: it is closed, and each of its claims is over when its lease is. */
export function stopRenewing(connection: Connection): void {
  clearInterval(renewing.get(connection) ?? undefined);
  renewing.set(connection, null);
}

/** Renews the claims of a connection that nobody took over, each well before its lease is over. */
function renewDue(claims: Iterable<HeldClaim>): void {
  for (const held of claims) {
    // A clock that was set back says nothing of the time that went by: it is renewed once more.
    if (Math.abs(Date.now() - held.renewedMs) < held.leaseMs / 3) continue;
    try {
      const { world, session, task, fence } = held;
      const hold = holder(world, session, { id: task, fence });
      held.renewedMs = Date.now();
      if (hold.state === "free" || hold.fence !== fence || hold.record.nonce !== held.nonce) continue;
      renewClaim(world, session, task, fence);
      // What fails here is tried at the next beat; a remote that is silent for long lets others take over.
      void deciderOf(world)
        .renew(world, session, task, fence)
        .catch(() => {});
    } catch {
      // The home is gone or read-only: the lease runs out, and others may take over.
    }
  }
}

/** Renews a claim: it holds for its lease from now on. A claim that is over already stays so. */
export function renewClaim(world: World, session: string, task: string, fence: number): void {
  const { store } = world.home();
  const path = leasePath(session, task, fence);
  if (touch(store, path, world.now())) return;
  place(store, path, "");
  touch(store, path, world.now());
}

const keyOf = (world: World, agent: string, session: string, task: string): string =>
  `${agent} ${session} ${task} ${world.home().store.root}`;

/** The claim that an agent made over this connection; null when it made none, or gave it back. */
export function rememberedClaim(world: World, agent: string, session: string, task: string): HeldClaim | null {
  const { claims } = world.connection;
  const name = namesOf(world, agent).find((each) => claims.has(keyOf(world, each, session, task)));
  return name === undefined ? null : (claims.get(keyOf(world, name, session, task)) ?? null);
}

/** Forgets a claim that was given back, finished or handed over by whoever called. */
export function forgetClaim(world: World, agent: string, session: string, task: string): void {
  for (const name of namesOf(world, agent)) world.connection.claims.delete(keyOf(world, name, session, task));
}
