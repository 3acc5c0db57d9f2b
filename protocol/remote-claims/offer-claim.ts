/**
 * Claims that the remote decides. A record is offered to the remote before it is written here: of all who saw the same, one
 * moves the task's ref. Where the remote cannot be asked the record is provisional until a sync asks.
 * spec/git.md, "Claims across machines".
 */

import { addRecord, lastFence, type NewClaim, newClaim, readableClaimAt } from "../board/files/claims.ts";
import { readSeen, type Seen, writeSeen } from "../board/files/seen-claims.ts";
import { type ClaimRecord, claimPath, decisionPath, formatClaim, parseClaim } from "../board/nouns/claim.ts";
import { CONTENT_BYTES, claimRef, formatRemoteClaim, parseRemoteClaim, type RemoteClaim } from "../board/nouns/remote-claim.ts";
import type { Connection } from "../core/connection-memory.ts";
import { noting } from "../core/home/broken-files.ts";
import type { World } from "../core/world.ts";
import type { Repository } from "../git/git-run.ts";
import { keptRemote } from "../git/home/keep-remote.ts";
import { findRepository, refuseLed } from "../git/home/repository.ts";
import type { Patience, Remote } from "../git/remote/git-network.ts";
import { fetchRefs, pushRef, type RefContent, readRefs, storeContent } from "../git/remote/git-refs.ts";
import { listRefs } from "../git/remote/git-remote.ts";
import { exists, facts } from "../store/read/facts.ts";
import { publish } from "../store/write/publish.ts";
import { removeIf } from "../store/write/remove-if.ts";
import { keptPath } from "../sync/nouns/merge.ts";
import { clearWay, isDamage } from "./bring-claims.ts";
import { chainOnBranch } from "./prune-refs.ts";
import { asking, isSilent, isUnasked, lastFailure, SILENT_MS } from "./remote-notes.ts";
import { hasUndecided, markUndecided } from "./undecided-claims.ts";

/** The remote that decides claims, and how it is reached. */
export interface ClaimRemote {
  repository: Repository;
  remote: Remote;
  patience: Patience;
}

/** A claim waits for the remote no longer than this; then it is provisional. */
const CLAIM_MS = 20_000;

/** What was found for a connection, and when: a server's claims need not look for the remote each time. */
const remotesFound = new WeakMap<Connection, { root: string; atMs: number; claimRemote: ClaimRemote | null }>();
const FOUND_MS = 5_000;

/** Who decides this home's claims; null where it does so itself: it was not told otherwise, or no sync has chosen a remote. */
export async function claimRemoteOf(world: World): Promise<ClaimRemote | null> {
  if (world.home().config().claims !== "remote") return null;
  const { root } = world.home().store;
  const known = remotesFound.get(world.connection);
  if (known?.root === root && performance.now() - known.atMs < FOUND_MS) return known.claimRemote;
  const claimRemote = await findRemote(world);
  if (world.connection.lasting) remotesFound.set(world.connection, { root, atMs: performance.now(), claimRemote });
  return claimRemote;
}

async function findRemote(world: World): Promise<ClaimRemote | null> {
  const repository = findRepository(world);
  if (repository !== null) refuseLed(repository);
  if (repository === null) return null;
  const remote = await keptRemote(world);
  return remote === null ? null : { repository, remote, patience: { timeoutMs: CLAIM_MS } };
}

/**
 * Offers a new record of a task to the remote.
 * @param after the number that was seen last here
 * @returns the record as it is written here, provisional where the remote could not be asked; null when somebody was quicker
 */
export async function offerClaim(
  world: World,
  claimRemote: ClaimRemote,
  session: string,
  task: string,
  after: number,
  claim: NewClaim,
): Promise<ClaimRecord | null> {
  if (lastFence(world, session, task) !== after) return null;
  const seen = readSeen(world, session, task);
  const fence = Math.max(after, seen?.fence ?? 0) + 1;
  const record = newClaim(world, task, fence, claim, true);
  // What went before was not decided yet, so this is not either; and who is kept waiting once is not kept waiting again.
  if (hasUndecided(world, session, task) || isSilent(world, claimRemote.remote)) return provisional(world, session, record, seen);
  try {
    if (seen === null && (await catchUp(world, claimRemote, session, task, after))) return null;
    const pushed = await moveClaimRef(world, claimRemote, session, { record, renewed: 0 }, seen?.id ?? null);
    if (pushed.result === "lost") {
      await refreshClaim(world, claimRemote, session, task);
      return null;
    }
    writeSeen(world, session, task, { id: pushed.id, fence, nonce: record.nonce, renewed: 0, sinceMs: world.now() });
    return isWritten(world, session, record) ? record : null;
  } catch (error) {
    if (!isUnasked(error)) throw error;
    return provisional(world, session, record, seen);
  }
}

/** Takes over what the remote's branch has of a task's claims beyond those that are here. @returns whether there was anything */
async function catchUp(world: World, claimRemote: ClaimRemote, session: string, task: string, after: number): Promise<boolean> {
  const chain = await asking(world, claimRemote.remote, () => chainOnBranch(world, claimRemote, session, task));
  const missed = chain.filter(({ fence }) => fence > after);
  for (const record of missed) addRecord(world, session, record);
  return missed.length > 0;
}

function provisional(world: World, session: string, given: ClaimRecord, seen: Seen | null): ClaimRecord | null {
  const record: ClaimRecord = { ...given, provisional: true };
  markUndecided(world, session, record, seen?.id ?? null);
  return isWritten(world, session, record) ? record : null;
}

/** Writes a record. Another process of this home may have fetched the ref meanwhile, and written this very record. @returns whether it is there */
const isWritten = (world: World, session: string, record: ClaimRecord): boolean =>
  addRecord(world, session, record) || readableClaimAt(world, session, record.task, record.fence)?.nonce === record.nonce;

/** Whether the remote has still to decide a record. */
export function isUndecided(world: World, session: string, record: ClaimRecord): boolean {
  const { store } = world.home();
  const decided = (["confirmed", "lost"] as const).some((as) => exists(store, decisionPath(session, record, as)));
  return record.provisional === true && !decided;
}

/** Why the remote has still to decide, in words. */
export async function whyUndecided(world: World): Promise<string> {
  const claimRemote = await claimRemoteOf(world);
  const failure = claimRemote === null ? null : lastFailure(world, claimRemote.remote);
  if (claimRemote === null || failure === null) return "The remote did not decide an earlier claim of the task yet; `relay sync` asks it";
  const ago = Math.round((world.now() - failure.atMs) / 1_000);
  const asked = isSilent(world, claimRemote.remote) ? `, and is not asked again for ${Math.ceil((SILENT_MS - ago * 1_000) / 1_000)} s` : "";
  return `${claimRemote.remote.name} could not be asked ${ago} s ago (${failure.reason})${asked}; \`relay sync\` asks it again`;
}

/** Moves the ref of a claim to a content, if it is still where it was seen. Refs that keep the remote from having it are removed. */
export async function moveClaimRef(
  world: World,
  claimRemote: ClaimRemote,
  session: string,
  claim: RemoteClaim,
  expected: string | null,
): Promise<{ id: string; result: "moved" | "same" | "lost" }> {
  const { repository, remote, patience } = claimRemote;
  const id = await storeContent(repository, formatRemoteClaim(claim));
  const ref = claimRef(session, claim.record.task);
  const push = () => pushRef(repository, remote, { ref, id, expected }, patience);
  const result = await asking(world, remote, () =>
    push().catch(async (error: unknown) => {
      if (await clearWay(claimRemote, ref, error)) return push();
      throw error;
    }),
  );
  return { id, result };
}

/** Asks the remote who holds a task, and writes the answer down here. @returns null where its ref is not there, or says nothing */
export async function refreshClaim(world: World, claimRemote: ClaimRemote, session: string, task: string): Promise<RemoteClaim | null> {
  const ref = claimRef(session, task);
  const found = await asking(world, claimRemote.remote, () => readRemoteRef(claimRemote, ref));
  if (found !== undefined) return noteRemoteClaim(world, session, task, found.id, found.content);
  writeSeen(world, session, task, null);
  return null;
}

/** Fetches a ref of the remote; one that names what cannot be fetched has an empty content. @returns undefined where there is none */
async function readRemoteRef({ repository, remote, patience }: ClaimRemote, ref: string): Promise<RefContent | undefined> {
  try {
    const isThere = await fetchRefs(repository, remote, [ref], patience);
    return isThere ? (await readRefs(repository, ref, CONTENT_BYTES))[0] : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const [listed] = await listRefs(remote, [ref], patience);
    return listed && { ...listed, content: "" };
  }
}

/** Notes what the remote says of a task: since when it says so, and the record, which whoever made it may not have written. */
export function noteRemoteClaim(world: World, session: string, task: string, id: string, content: string): RemoteClaim | null {
  const { store } = world.home();
  const claim = parseRemoteClaim(content, task);
  const seen = readSeen(world, session, task);
  const { record, renewed } = claim ?? { record: { fence: 0, nonce: "" }, renewed: 0 };
  if (seen?.id !== id) {
    // A claim that was never renewed is as it came by a sync, and has been silent since.
    const known = claim === null || renewed > 0 ? null : readableClaimAt(world, session, task, record.fence);
    const came = known?.nonce === record.nonce ? facts(store, claimPath(session, task, record.fence))?.modifiedMs : undefined;
    writeSeen(world, session, task, { id, fence: record.fence, nonce: record.nonce, renewed, sinceMs: came ?? world.now() });
  }
  if (claim !== null) addRecord(world, session, claim.record);
  return claim;
}

/** Takes a record that the remote refused out of the chain: it is kept beside, and the remote's of that number is in its place. */
export async function setAside(
  world: World,
  { repository }: ClaimRemote,
  session: string,
  lost: ClaimRecord,
  winner: ClaimRecord | null,
): Promise<void> {
  const { store } = world.home();
  const path = claimPath(session, lost.task, lost.fence);
  const text = formatClaim(lost);
  publish(store, keptPath(path, await storeContent(repository, text)), text);
  // Another process may have set it aside meanwhile, and the number may be somebody else's.
  const isLost = (bytes: Buffer): boolean =>
    noting([], path, () => parseClaim(bytes.toString("utf8"), lost.task, lost.fence))?.nonce === lost.nonce;
  if (removeIf(store, path, CONTENT_BYTES, isLost) && winner?.fence === lost.fence) publish(store, path, formatClaim(winner));
}
