/**
 * Refs of claims do not gather on the remote: those of tasks that were finished long ago are pruned. A ref that is not there
 * then says only to who was synced lately that nobody claimed the task; anybody else reads the branch first.
 * spec/git.md, "Claims across machines".
 */

import { lastClaim } from "../board/files/claims.ts";
import { readSeen } from "../board/files/seen-claims.ts";
import { readTask } from "../board/files/task-files.ts";
import { type ClaimRecord, claimFolder, fenceOf, parseClaim } from "../board/nouns/claim.ts";
import { CLAIM_REFS, CONTENT_BYTES, locateClaimRef, parseRemoteClaim } from "../board/nouns/remote-claim.ts";
import { isFinished } from "../board/nouns/task.ts";
import { orElse } from "../core/format/file-error.ts";
import type { World } from "../core/world.ts";
import { readAll } from "../git/git-blobs.ts";
import { resolveCommit } from "../git/git-commits.ts";
import { hasPath, listTree } from "../git/git-list.ts";
import { dropRef } from "../git/git-move-ref.ts";
import { branchName } from "../git/home/repository.ts";
import { deleteRefs, type RefContent, readRefs } from "../git/remote/git-refs.ts";
import { fetchBranch } from "../git/remote/git-remote.ts";
import { facts } from "../store/read/facts.ts";
import { place } from "../store/write/publish.ts";
import type { ClaimRemote } from "./offer-claim.ts";
import { wasSynced } from "./remote-notes.ts";

const DAY_MS = 86_400_000;
/** A ref that names the end of a task for so long is pruned. */
export const PRUNE_MS = 30 * DAY_MS;
/** Who was synced within this time has the end of every task whose ref may be gone. */
const RECENT_MS = 7 * DAY_MS;
/** A remote that keeps refs from being removed is not asked to more often than this. */
const AGAIN_MS = DAY_MS;
/** Refs that one sync prunes at the most. */
const AT_ONCE = 200;
const PRUNED = "run/remote-claims/pruned";
/** Where a branch lies while it is read. */
const LOOKED = "refs/relay/looked";

/**
 * Prunes refs of claims that nobody can contend any more.
 * @param commit what the remote's branch has, and this home too
 * @returns how many the remote removed
 */
export async function pruneClaims(world: World, claimRemote: ClaimRemote, commit: string): Promise<number> {
  const { store } = world.home();
  const before = facts(store, PRUNED)?.modifiedMs;
  if (before !== undefined && Math.abs(Date.now() - before) < AGAIN_MS) return 0;
  const refs = await readRefs(claimRemote.repository, CLAIM_REFS, CONTENT_BYTES);
  const over = refs.filter((ref) => isOver(world, ref)).slice(0, AT_ONCE);
  const sure: RefContent[] = [];
  for (const ref of over) if (await isRecorded(claimRemote, commit, ref)) sure.push(ref);
  if (sure.length === 0) return 0;
  place(store, PRUNED, "");
  return deleteRefs(claimRemote.repository, claimRemote.remote, sure, claimRemote.patience);
}

/** Whether a ref names the end of a task, here too, and has for so long that every clone that may still claim knows of it. */
function isOver(world: World, { ref, id, content }: RefContent): boolean {
  const at = locateClaimRef(ref);
  const record = at === null ? null : (parseRemoteClaim(content, at.task)?.record ?? null);
  if (at === null || record?.kind !== "done") return false;
  const seen = readSeen(world, at.session, at.task);
  if (seen?.id !== id || world.now() - seen.sinceMs < PRUNE_MS) return false;
  return orElse(false, () => {
    const last = lastClaim(world, at.session, at.task);
    return last?.nonce === record.nonce && isFinished(readTask(world, at.session, at.task)?.status);
  });
}

async function isRecorded(claimRemote: ClaimRemote, commit: string, { ref, content }: RefContent): Promise<boolean> {
  const { session, task } = locateClaimRef(ref) as { session: string; task: string };
  const chain = await chainAt(claimRemote, commit, session, task);
  return chain.at(-1)?.nonce === parseRemoteClaim(content, task)?.record.nonce;
}

/** The chain of a task's claims in a commit, as far as it can be read. */
async function chainAt({ repository }: ClaimRemote, commit: string, session: string, task: string): Promise<ClaimRecord[]> {
  const under = claimFolder(session, task);
  const files: { id: string; fence: number }[] = [];
  if (!(await hasPath(repository, commit, under))) return [];
  for await (const { path, id } of listTree(repository, commit, { under })) {
    const fence = fenceOf(path);
    if (fence !== null) files.push({ id, fence });
  }
  const texts = await readAll(
    repository,
    files.map(({ id }) => id),
  );
  return files
    .sort((a, b) => a.fence - b.fence)
    .flatMap(({ id, fence }) => orElse([], () => [parseClaim((texts.get(id) as Buffer).toString("utf8"), task, fence)]));
}

/**
 * What the branch of the remote has of a task's claims, for who finds no ref of it and was not synced lately.
 * @returns none for who was: then a missing ref says that nobody claimed it
 * @throws Refusal `remote_unreachable`, `login_needed`
 */
export async function chainOnBranch(world: World, claimRemote: ClaimRemote, session: string, task: string): Promise<ClaimRecord[]> {
  const { repository, remote, patience } = claimRemote;
  if (wasSynced(world, remote, RECENT_MS)) return [];
  if (!(await fetchBranch(repository, remote, branchName(repository), LOOKED, patience))) return [];
  const tip = await resolveCommit(repository, LOOKED);
  const chain = tip === null ? [] : await chainAt(claimRemote, tip, session, task);
  await dropRef(repository, LOOKED);
  return chain;
}
