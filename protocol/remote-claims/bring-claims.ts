/**
 * Brings here what a remote has of the refs that decide claims. Anybody who can push can lay others among them: what is no claim of a task
 * of this home is passed over and named, and keeps nobody from claiming. spec/git.md, "Claims across machines".
 */

import { readSeen } from "../board/files/seen-claims.ts";
import { taskNames } from "../board/files/task-files.ts";
import { CLAIM_REFS, CONTENT_BYTES, locateClaimRef } from "../board/nouns/remote-claim.ts";
import { Refusal } from "../core/refusal.ts";
import type { World } from "../core/world.ts";
import { dropRefs } from "../git/git-move-ref.ts";
import { deleteRefs, fetchRefs, type RefContent, readRefs } from "../git/remote/git-refs.ts";
import { listRefs } from "../git/remote/git-remote.ts";
import type { ClaimRemote } from "./offer-claim.ts";

/** Refs of tasks that this home does not have are those of work that no sync brought yet; more than this are nobody's work. */
const NOT_YET = 1_000;
/** Refs that one call removes. */
const AT_ONCE = 2_000;

/** What a remote has of claims. */
interface Brought {
  /** The refs of tasks of this home; the content of one that holds no record is empty. */
  refs: RefContent[];
  /** The names of the other refs. */
  strays: string[];
}

/** Fetches the refs of claims that this home does not have yet. @throws Refusal `remote_unreachable`, `login_needed`, `remote_too_large` */
export async function bringClaims(world: World, claimRemote: ClaimRemote): Promise<Brought> {
  const { repository, remote, patience } = claimRemote;
  const listed = await listRefs(remote, [CLAIM_REFS.slice(0, -1), `${CLAIM_REFS}*`], patience);
  const isHere = tasksHere(world);
  const own = listed.filter(({ ref }) => isHere(ref));
  const before = await readRefs(repository, CLAIM_REFS, CONTENT_BYTES);
  const known = new Map(before.map(({ ref, id }) => [ref, id]));
  const wanted = new Set(own.map(({ ref }) => ref));
  const gone = before.filter(({ ref }) => !wanted.has(ref)).map(({ ref }) => ref);
  if (gone.length > 0) await dropRefs(repository, gone);
  const changed = own.filter(({ ref, id }) => known.get(ref) !== id);
  const unfit = new Set(changed.filter((each) => isUnfit(world, each)).map(({ ref }) => ref));
  const fresh = changed.flatMap(({ ref }) => (unfit.has(ref) ? [] : ref));
  for (const ref of await fetchSound(claimRemote, fresh)) unfit.add(ref);
  const found = new Map((await readRefs(repository, CLAIM_REFS, CONTENT_BYTES)).map((each) => [each.ref, each]));
  const refs = own.map((each) => (unfit.has(each.ref) ? undefined : found.get(each.ref)) ?? { ...each, content: "" });
  const others = listed.filter(({ ref }) => !wanted.has(ref)).map(({ ref }) => ref);
  const strays = others.length > NOT_YET ? others : others.filter((ref) => locateClaimRef(ref) === null);
  return { refs, strays };
}

/** Says whether a ref is that of a task of this home. */
function tasksHere(world: World): (ref: string) => boolean {
  const tasks = new Map<string, Set<string>>();
  return (ref) => {
    const at = locateClaimRef(ref);
    if (at === null) return false;
    const known = tasks.get(at.session) ?? new Set(taskNames(world, at.session));
    tasks.set(at.session, known);
    return known.has(at.task);
  };
}

/** Whether what a ref names is known to be no claim, so that it need not be fetched again. */
function isUnfit(world: World, { ref, id }: { ref: string; id: string }): boolean {
  const { session, task } = locateClaimRef(ref) as { session: string; task: string };
  const seen = readSeen(world, session, task);
  return seen?.id === id && seen.fence === 0;
}

/** Fetches refs, all at once where that can be. @returns those that cannot be fetched: they name something damaged or too large, or are gone */
async function fetchSound(claimRemote: ClaimRemote, refs: readonly string[]): Promise<readonly string[]> {
  if (refs.length === 0) return [];
  const { repository, remote, patience } = claimRemote;
  const isFetched = await fetchRefs(repository, remote, refs, patience).catch((error: unknown) => {
    if (isDamage(error)) return false;
    throw error;
  });
  if (isFetched || refs.length === 1) return isFetched ? [] : refs;
  const half = Math.ceil(refs.length / 2);
  return [...(await fetchSound(claimRemote, refs.slice(0, half))), ...(await fetchSound(claimRemote, refs.slice(half)))];
}

/** Whether an error is about what one ref of the remote names. */
export const isDamage = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.code === "remote_damaged" || error.code === "remote_too_large");

/** What a remote says where another ref lies above or below the one that is to be made. */
const IN_THE_WAY = /exists; cannot create|directory\/file conflict/i;

/**
 * Removes the refs that keep a remote from having a ref of a claim: those above and below it, which are no claims.
 * @param error with which the remote refused the ref
 * @returns whether any was removed
 */
export async function clearWay({ repository, remote, patience }: ClaimRemote, ref: string, error: unknown): Promise<boolean> {
  if (!(error instanceof Refusal) || !IN_THE_WAY.test(String(error.data["reason"]))) return false;
  const above = [CLAIM_REFS.slice(0, -1), ref.slice(0, ref.lastIndexOf("/"))];
  const found = await listRefs(remote, [...above, `${ref}/*`], patience);
  return found.length > 0 && (await deleteRefs(repository, remote, found.slice(0, AT_ONCE), patience)) > 0;
}
