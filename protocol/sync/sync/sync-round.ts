/** One round of a sync: fetch, merge, write what came, move the branch, push. spec/git.md, "Syncing". */
import { FORMAT } from "../../core/config/config-schema.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { commitsOf, isAncestor, isNear, resolveCommit } from "../../git/git-commits.ts";
import { commitsBetween, diffTrees } from "../../git/git-history.ts";
import { moveRef } from "../../git/git-move-ref.ts";
import type { Repository } from "../../git/git-run.ts";
import { formatIn, holdsHome } from "../../git/home/branch-config.ts";
import { type Choice, keepRemote } from "../../git/home/keep-remote.ts";
import { requireCountable, trackingRef } from "../../git/home/remotes.ts";
import { branchRef, INCOMING } from "../../git/home/repository.ts";
import type { Patience, Remote } from "../../git/remote/git-network.ts";
import { pushRef } from "../../git/remote/git-refs.ts";
import { fetchBranch, pushBranch } from "../../git/remote/git-remote.ts";
import { noteTip, witnessOf } from "../../trust/files/note-origins.ts";
import { rebuildOn } from "../guard/follow-rewrite.ts";
import { type Merged, mergeCommits } from "../guard/merge-commits.ts";
import { applyMerge } from "./apply-merge.ts";
import { recordIn, whileRecording } from "./record-home.ts";
import { cameTogether, NAMED_COMMITS, NOTHING, type Synced, type SyncOptions, together } from "./sync-result.ts";
import type { Arrived } from "./write-file.ts";

/** An old program that sent would take back what a new one wrote, for ever. */
const NEWER = `the branch's relay.yml has a format that this version of Relay does not know: the new files are here, and nothing was pushed. Upgrade Relay, or, if nobody upgraded the home, \`relay config restore --push\``;

/** How a round is done. */
interface RoundOptions extends SyncOptions {
  patience: Patience;
  /** The branch as this sync recorded the home just now; null where it wrote into the home since. */
  recordedAt: string | null;
}

/** One round. @returns false when somebody else was quicker */
export async function once(world: World, repository: Repository, choice: Choice, options: RoundOptions, result: Synced): Promise<boolean> {
  const { remote } = choice;
  const { patience } = options;
  const { branch } = result;
  const tracking = trackingRef(remote, branch);
  world.progress?.(`fetching ${branch} from ${remote.name}`);
  const seen = await resolveCommit(repository, tracking);
  const fetched = await fetchCounted(repository, { remote, branch, seen }, patience).catch((error: unknown) => {
    if (options.repair === true && seen !== null) return putBack(repository, remote, branch, seen, error, patience, result);
    throw error;
  });
  const theirs = fetched ? await resolveCommit(repository, INCOMING) : null;
  const parted = await partedFrom(repository, seen, theirs, branch);
  if (parted !== null && (options.accept === undefined || (options.accept === "theirs" && theirs === null)))
    throw refuse("remote_rewritten", { remote: remote.name, branch, was: parted, is: theirs });
  const accepting = parted === null || options.accept === undefined ? null : { how: options.accept, seen: parted };
  if (seen === null && theirs !== null && !(await holdsHome(repository, theirs)))
    throw refuse("foreign_branch", { remote: remote.name, branch });
  // It has answered, and is what was meant; nothing of this home was sent yet.
  const notKept = keepRemote(world, choice);
  if (notKept !== undefined && !result.warnings.includes(notKept)) result.warnings.push(notKept);
  world.progress?.("merging");
  const isNothing = accepting === null && (await hasAll(repository, options.recordedAt, theirs));
  const arrived = isNothing
    ? nothingCame(options.recordedAt as string, result)
    : await whileRecording(world, () => mergeIn(world, repository, { remote, theirs, accepting }, result));
  if (arrived === null) return false;
  result.arrived = together(result.arrived, arrived);
  if (theirs !== null) await moveRef(repository, tracking, theirs, undefined, "relay: fetch");
  if (result.commit === theirs) return true;
  if (theirs !== null && options.overrule !== true && (await formatIn(repository, theirs)) > FORMAT) {
    result.warnings.push(NEWER);
    return true;
  }
  world.progress?.(`pushing to ${remote.name}`);
  if ((await pushBranch(repository, remote, result.commit, branch, patience)) === "behind") return false;
  await moveRef(repository, tracking, result.commit, undefined, "relay: send");
  result.sent = true;
  return true;
}

/** Fetches the branch, and counts what came. @returns whether the remote has it */
async function fetchCounted(
  repository: Repository,
  { remote, branch, seen }: { remote: Remote; branch: string; seen: string | null },
  patience: Patience,
): Promise<boolean> {
  if (!(await fetchBranch(repository, remote, branch, INCOMING, patience))) return false;
  const theirs = await resolveCommit(repository, INCOMING);
  const ours = await resolveCommit(repository, branchRef(repository));
  const isKnown = seen === null || (ours !== null && (await isAncestor(repository, seen, ours)));
  const known = [ours, isKnown ? null : seen].filter((commit) => commit !== null);
  const isOld = theirs !== null && ours !== null && (await isNear(repository, theirs, ours));
  if (theirs !== null && !isOld) await requireCountable(repository, { remote: remote.name, branch, theirs, known });
  return true;
}

/** Pushes the last good commit over a damaged one, if nobody else has pushed since, and fetches the branch. @throws the given error where it is not about a damaged commit */
async function putBack(
  repository: Repository,
  remote: Remote,
  branch: string,
  good: string,
  error: unknown,
  patience: Patience,
  result: Synced,
): Promise<boolean> {
  const bad = error instanceof Refusal && error.code === "remote_damaged" ? error.data["commit"] : null;
  if (typeof bad !== "string") throw error;
  await pushRef(repository, remote, { ref: `refs/heads/${branch}`, id: good, expected: bad }, patience);
  result.warnings.push(
    `${branch} of ${remote.name} was at ${bad.slice(0, 12)}, which has an unsafe object, and is at ${good.slice(0, 12)} again; other clones push their later commits again`,
  );
  return fetchBranch(repository, remote, branch, INCOMING, patience);
}

/** A branch that was rewritten, and what somebody chose to do with it. */
interface Accepting {
  how: "theirs" | "both";
  /** What it was at when it was last seen. */
  seen: string;
}

/**
 * The last commit that this clone saw of a branch, if the remote's branch has lost it; null otherwise. A remote that this clone
 * never asked is compared with what other remotes had of the branch.
 */
async function partedFrom(repository: Repository, seen: string | null, theirs: string | null, branch: string): Promise<string | null> {
  if (seen !== null) return theirs !== null && (await isAncestor(repository, seen, theirs)) ? null : seen;
  if (theirs === null) return null;
  for (const other of await commitsOf(repository, `refs/remotes/*/${branch}`)) {
    if (!(await isAncestor(repository, other, theirs)) && !(await isAncestor(repository, theirs, other))) return other;
  }
  return null;
}

async function incomingOf(
  world: World,
  repository: Repository,
  ours: string,
  { remote, theirs, accepting }: { remote: Remote; theirs: string | null; accepting: Accepting | null },
): Promise<Merged | null> {
  if (theirs === null) return null;
  if (accepting?.how === "theirs") return rebuildOn(world, repository, ours, { theirs, remote: remote.name, seen: accepting.seen });
  // Of a branch that was rewritten this clone has what was there first.
  return mergeCommits(repository, ours, theirs, remote.name, {
    witness: witnessOf(world),
    published: accepting === null ? "theirs" : "ours",
  });
}

/** Whether the branch is still as it was recorded, and has all that a remote has. */
const hasAll = async (repository: Repository, recordedAt: string | null, theirs: string | null): Promise<boolean> =>
  recordedAt !== null &&
  (await resolveCommit(repository, branchRef(repository))) === recordedAt &&
  (theirs === null || (await isAncestor(repository, theirs, recordedAt)));

/** Where nothing came, what was recorded is sent. What was written meanwhile goes with the next sync. */
function nothingCame(commit: string, result: Synced): Arrived {
  result.commit = commit;
  return NOTHING;
}

/** Records once more, because time went by, and takes in what came. @returns null when the branch was moved by hand meanwhile */
async function mergeIn(
  world: World,
  repository: Repository,
  { remote, theirs, accepting }: { remote: Remote; theirs: string | null; accepting: Accepting | null },
  result: Synced,
): Promise<Arrived | null> {
  const recorded = await recordIn(world, repository);
  result.restored = [...result.restored, ...recorded.restored];
  if (recorded.broughtBack !== null) result.broughtBack.push(recorded.broughtBack);
  const ours = (await resolveCommit(repository, branchRef(repository))) as string;
  if (theirs !== null) result.came = cameTogether(result.came, await commitsBetween(repository, ours, theirs, NAMED_COMMITS));
  const incoming = await incomingOf(world, repository, ours, { remote, theirs, accepting });
  if (theirs !== null) noteTip(world, theirs, ours);
  const merged = incoming?.commit ?? ours;
  result.commit = merged;
  if (incoming !== null && incoming.broughtBack !== null) result.broughtBack.push(incoming.broughtBack);
  result.contested = [...result.contested, ...(incoming?.contested ?? [])];
  // Not by `push(...)`: what a remote has may be more than a call takes as arguments.
  result.attempts = [...result.attempts, ...(incoming?.left ?? [])];
  if (merged === ours) return NOTHING;
  const arrived = await applyMerge(world, repository, ours, merged);
  // What was written meanwhile goes along, and the index knows what came. A record would check out what is for the next call.
  if (arrived === null || arrived.later.length > 0) return arrived;
  const not = new Set([...arrived.strangers, ...arrived.skipped.map(({ path }) => path)]);
  const came = (await diffTrees(repository, ours, merged)).flatMap(({ path }) => (not.has(path) ? [] : path));
  result.commit = (await recordIn(world, repository, came)).commit ?? merged;
  return arrived;
}
