/** What a sync does about claims: it asks the remote who holds what, and has it decide what was claimed meanwhile. spec/git.md, "Claims across machines". */

import { claimAt, lastClaim, lastFence } from "../board/files/claims.ts";
import { readSeen, writeSeen } from "../board/files/seen-claims.ts";
import { catchUpTask, changeTask, readTask } from "../board/files/task-files.ts";
import { type ClaimRecord, type Decision, decisionPath, formatClaim } from "../board/nouns/claim.ts";
import { locateClaimRef, type RemoteClaim } from "../board/nouns/remote-claim.ts";
import { afterClaim, taskPath } from "../board/nouns/task.ts";
import { FileError } from "../core/format/file-error.ts";
import { Refusal } from "../core/refusal.ts";
import type { World } from "../core/world.ts";
import type { Patience, Remote } from "../git/remote/git-network.ts";
import { exists } from "../store/read/facts.ts";
import { publish } from "../store/write/publish.ts";
import { bringClaims } from "./bring-claims.ts";
import { type ClaimRemote, claimRemoteOf, moveClaimRef, noteRemoteClaim, refreshClaim, setAside } from "./offer-claim.ts";
import { chainOnBranch } from "./prune-refs.ts";
import { asking, isSilent, isUnasked, noteStrays } from "./remote-notes.ts";
import { tellLoser } from "./tell-loser.ts";
import { hasUndecided, type UndecidedClaim, undecidedClaims, unmarkUndecided } from "./undecided-claims.ts";

/** A record is written right after it was noted. */
const BEING_WRITTEN_MS = 60_000;
/** So often a record is offered to a remote whose ref was moved by somebody else each time; then it stays undecided. */
const OFFERS = 6;
/** The pause before the second offer, in milliseconds; it doubles, and is drawn at random, so that two do not march in step. */
const PAUSE_MS = 50;

/**
 * Brings the claims of this home and those of the remote together; nothing to do where another remote, or none, decides.
 * @param patience how long the remote may take, at the most
 * @returns who decides, where it is this remote; whether there was no claim at all, so that nothing was written; and in words what lies among
 *   the refs of claims and is none
 * @throws Refusal `remote_unreachable`, `remote_refused`, `login_needed`
 */
export async function decideClaims(
  world: World,
  remote: Remote,
  patience: Patience,
): Promise<{ claimRemote: ClaimRemote | null; hasNone: boolean; strays: string | null }> {
  const found = await claimRemoteOf(world);
  if (found === null || found.remote.url !== remote.url) return { claimRemote: null, hasNone: true, strays: null };
  const timeoutMs = Math.min(patience.timeoutMs, found.patience.timeoutMs);
  const claimRemote: ClaimRemote = { ...found, patience: { ...patience, timeoutMs } };
  const { refs, strays } = await asking(world, remote, () => bringClaims(world, claimRemote));
  const claims = new Map<string, RemoteClaim>();
  for (const { ref, id, content } of refs) {
    const place = locateClaimRef(ref) as { session: string; task: string };
    const claim = noteRemoteClaim(world, place.session, place.task, id, content);
    if (claim !== null) claims.set(keyOf(place), claim);
    else strays.push(ref);
    await catchUpIfLate(world, place.session, place.task);
  }
  const open = undecidedClaims(world);
  await decideAll(world, claimRemote, open, claims);
  return { claimRemote, hasNone: refs.length === 0 && open.length === 0, strays: noteStrays(world, remote, strays) };
}

/**
 * Has the remote decide what was claimed of one task while it could not be asked; nothing to do of most.
 * @returns whether anything was lost: then the task is another's now
 */
export async function decideTask(world: World, session: string, task: string): Promise<boolean> {
  const claimRemote = hasUndecided(world, session, task) ? await claimRemoteOf(world) : null;
  if (claimRemote === null || isSilent(world, claimRemote.remote)) return false;
  try {
    const claim = await refreshClaim(world, claimRemote, session, task);
    const open = undecidedClaims(world).filter((each) => each.session === session && each.task === task);
    return await decideAll(world, claimRemote, open, new Map(claim === null ? [] : [[keyOf(open[0] ?? { session, task }), claim]]));
  } catch (error) {
    if (isUnasked(error)) return false;
    throw error;
  }
}

const keyOf = ({ session, task }: Pick<UndecidedClaim, "session" | "task">): string => `${session} ${task}`;

/**
 * Decides open records in their order.
 * @param claims what the refs of their tasks name
 * @returns whether any was lost
 */
async function decideAll(
  world: World,
  claimRemote: ClaimRemote,
  open: readonly UndecidedClaim[],
  claims: Map<string, RemoteClaim>,
): Promise<boolean> {
  const lost = new Map<string, UndecidedClaim>();
  // Of these tasks one record cannot be decided now, so none that follows it is either: the next sync offers them again.
  const waiting = new Set<string>();
  for (const each of open) {
    const key = keyOf(each);
    const record = waiting.has(key) ? "unreadable" : recordOf(world, each);
    if (record === "unreadable") {
      waiting.add(key);
      continue;
    }
    if (record?.nonce !== each.nonce) {
      // It was never written, or gave way already, and whoever did that died before the task's file said so.
      if (exists(world.home().store, decisionPath(each.session, each, "lost"))) lost.set(key, each);
      continue;
    }
    const { decision, claim } = await decide(world, claimRemote, each, record, claims.get(key) ?? null, lost.has(key));
    if (claim !== null) claims.set(key, claim);
    if (decision === null) waiting.add(key);
    else if (decision === "lost") {
      lost.set(key, lost.get(key) ?? each);
      await giveWay(world, claimRemote, each, record, claim);
    } else publish(world.home().store, decisionPath(each.session, record, decision), formatClaim(record));
  }
  for (const each of lost.values()) await follow(world, each);
  // Only now: who dies before this decides all of them again, and comes to the same.
  for (const each of open) if (isDecided(world, each, waiting.has(keyOf(each)))) unmarkUndecided(world, each);
  return lost.size > 0;
}

/** An open record; null where it is not there, or is none and another follows it, so that it decides nothing any more. */
function recordOf(world: World, { session, task, fence }: UndecidedClaim): ClaimRecord | "unreadable" | null {
  try {
    return claimAt(world, session, task, fence);
  } catch (error) {
    return error instanceof FileError && lastFence(world, session, task) > fence ? null : "unreadable";
  }
}

/** Whether a record needs to be offered no more; one that is noted and not there may be about to be written. */
function isDecided(world: World, open: UndecidedClaim, isWaiting: boolean): boolean {
  const { store } = world.home();
  const decided = (["confirmed", "lost"] as const).some((as) => exists(store, decisionPath(open.session, open, as)));
  return decided || (!isWaiting && Date.now() - open.notedMs > BEING_WRITTEN_MS);
}

async function catchUpIfLate(world: World, session: string, task: string): Promise<void> {
  try {
    const file = readTask(world, session, task);
    if (file !== null && file.fence < lastFence(world, session, task)) await catchUpTask(world, session, task);
  } catch {
    // A file that cannot be read is named by whoever reads the task.
  }
}

/** Has the remote decide a record: it stands where nobody claimed since what it followed. No decision where the ref never stood still. */
async function decide(
  world: World,
  claimRemote: ClaimRemote,
  open: UndecidedClaim,
  record: ClaimRecord,
  known: RemoteClaim | null,
  isAfterLost: boolean,
): Promise<{ decision: Decision | null; claim: RemoteClaim | null }> {
  const { session, task } = open;
  let claim = known ?? (await claimOnBranch(world, claimRemote, session, task));
  for (let offer = 1; offer <= OFFERS; offer += 1) {
    if (isAfterLost) return { decision: "lost", claim };
    // Sent already, by somebody who did not live to write it down.
    if (claim?.record.nonce === record.nonce) return { decision: "confirmed", claim };
    const seen = readSeen(world, session, task);
    const isFree = claim === null || claim.record.kind !== "claim" || claim.record.clone === record.clone;
    const follows = (claim?.record.fence ?? 0) < record.fence && (isFree || seen?.id === open.seen);
    if (!follows) return { decision: "lost", claim };
    const { id, result } = await moveClaimRef(world, claimRemote, session, { record, renewed: 0 }, seen?.id ?? null);
    if (result !== "lost") {
      writeSeen(world, session, task, { id, fence: record.fence, nonce: record.nonce, renewed: 0, sinceMs: world.now() });
      return { decision: "confirmed", claim: { record, renewed: 0 } };
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** offer * Math.random()));
    claim = await refreshClaim(world, claimRemote, session, task);
  }
  return { decision: null, claim };
}

/** Who claimed a task last by the branch, where its ref may have been pruned. */
async function claimOnBranch(world: World, claimRemote: ClaimRemote, session: string, task: string): Promise<RemoteClaim | null> {
  const record = (await chainOnBranch(world, claimRemote, session, task)).at(-1);
  return record === undefined ? null : { record, renewed: 0 };
}

/** A record that was lost: whoever made it is told, once, and it leaves the chain. */
async function giveWay(
  world: World,
  claimRemote: ClaimRemote,
  open: UndecidedClaim,
  record: ClaimRecord,
  winner: RemoteClaim | null,
): Promise<void> {
  if (record.kind === "claim") tellLoser(world, open.session, record, winner?.record ?? null, offlineLoss(record));
  publish(world.home().store, decisionPath(open.session, record, "lost"), formatClaim(record));
  await setAside(world, claimRemote, open.session, record, winner?.record ?? null);
}

const offlineLoss = ({ task }: ClaimRecord): string =>
  `You claimed ${task} while the remote was unreachable, and the remote gave it to another part.`;

/** Puts what the chain says after a loss into the task's file, once. */
async function follow(world: World, { session, task, nonce, fence }: UndecidedClaim): Promise<void> {
  if (!exists(world.home().store, taskPath(session, task))) return;
  const last = lastClaim(world, session, task);
  const following = changeTask(world, session, task, "relay", (now) => {
    const line = `relay: claim ${fence} (${nonce}) gave way`;
    if (now.history.some((each) => each.endsWith(line))) return null;
    const at = new Date(world.now()).toISOString();
    const followed = last === null ? { ...now, status: "todo" as const, assignee: undefined, fence: 0 } : afterClaim(now, last);
    return { ...followed, history: [...followed.history, `${at} ${line}`] };
  });
  // A file that cannot be read keeps nothing else from being synced; whoever reads it says why.
  await following.catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== "malformed_file") throw error;
  });
}
