/** Renewing claims that a remote decides. spec/git.md, "Claims across machines". */

import { claimAt } from "../board/files/claims.ts";
import { readSeen, writeSeen } from "../board/files/seen-claims.ts";
import { REMOTE_LEASE_S } from "../board/nouns/remote-claim.ts";
import { cloneName } from "../core/home/feed.ts";
import type { World } from "../core/world.ts";
import { decideTask } from "./decide-with-remote.ts";
import { claimRemoteOf, moveClaimRef, refreshClaim } from "./offer-claim.ts";
import { isSilent } from "./remote-notes.ts";

/** So often a claim is renewed in the time of its lease. */
const RENEWALS = 4;

/** Tells the remote that a claim of this machine goes on. What fails, fails silently: others only see for how long nothing came. */
export async function renewRemote(world: World, session: string, task: string, fence: number): Promise<void> {
  if (await decideTask(world, session, task)) return;
  const record = claimAt(world, session, task, fence);
  const seen = readSeen(world, session, task);
  if (record === null || record.clone !== cloneName(world) || seen === null || seen.nonce !== record.nonce) return;
  if (world.now() - seen.sinceMs < ((record.leaseS ?? REMOTE_LEASE_S) * 1_000) / RENEWALS) return;
  const claimRemote = await claimRemoteOf(world);
  if (claimRemote === null || isSilent(world, claimRemote.remote)) return;
  const renewed = seen.renewed + 1;
  const { id, result } = await moveClaimRef(world, claimRemote, session, { record, renewed }, seen.id);
  if (result === "lost") await refreshClaim(world, claimRemote, session, task);
  else writeSeen(world, session, task, { ...seen, id, renewed, sinceMs: world.now() });
}
