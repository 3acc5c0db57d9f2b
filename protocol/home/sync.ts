/**
 * Syncing: record, fetch, merge, lay out what came, move the branch, send; again until the remote has what is here.
 * SPEC.md, "Syncing".
 */
import { Refusal, refuse } from "../refusal.ts";
import { dropRef, isAncestor, moveRef, resolveCommit } from "../store/git-objects.ts";
import { fetchBranch, type Patience, pushBranch, type Remote } from "../store/git-remote.ts";
import type { Repository } from "../store/git-run.ts";
import { holdLock } from "../store/lock.ts";
import type { World } from "../world.ts";
import { decideClaims } from "./deciding.ts";
import { type BroughtBack, GUARDED } from "./guard.ts";
import type { Arrived } from "./lay.ts";
import { layMerge } from "./laying.ts";
import { mergeCommits } from "./merging.ts";
import { pruneClaims } from "./pruning.ts";
import { recordIn, whileRecording } from "./record.ts";
import { noteSynced } from "./remote-memory.ts";
import { chooseRemote, trackingRef } from "./remotes.ts";
import { branchName, branchRef, holdsHome, INCOMING, requireRepository } from "./repository.ts";

/** How a sync is made. */
export interface SyncOptions {
  /** A remote of the code by name, or a URL or path. */
  remote?: string | undefined;
  /** Whether to join a branch that was rewritten or deleted on the remote. */
  accept?: boolean | undefined;
  /** How long one call to the remote may take. */
  timeoutMs: number;
}

/** What a sync came to. */
export interface Synced {
  remote: string;
  branch: string;
  /** What both have now. */
  commit: string;
  arrived: Arrived;
  /** Whether anything was sent. */
  sent: boolean;
  /** How often somebody else was quicker, and once more. */
  rounds: number;
  restored: string[];
  /** What pushes took away or changed, and this clone brought back: a commit each. */
  broughtBack: BroughtBack[];
  /** Files written once of which history does not say which bytes were first. */
  contested: string[];
  warning?: string | undefined;
}

const NOTHING: Arrived = { messages: 0, files: 0, things: new Map(), gaveWay: [], did: [] };
/** Clones that send at once are apart after a few rounds; so many are never needed. */
const ROUNDS = 40;
const PAUSE_MS = { least: 20, most: 3_000, growth: 1.5 };

/**
 * Syncs the home with a remote.
 * @throws Refusal `no_repository`, `no_remote`, `remote_unreachable`, `remote_refused`, `remote_rewritten`, `login_needed`, `busy`
 */
export async function syncHome(world: World, options: SyncOptions): Promise<Synced> {
  const repository = requireRepository(world);
  return holdLock(world.home().store, "sync", async () => {
    // What is here is recorded whatever becomes of the rest.
    const recorded = await whileRecording(world, () => recordIn(world, repository));
    const remote = await chooseRemote(world, options.remote);
    const result: Synced = {
      remote: remote.name,
      branch: branchName(repository),
      commit: "",
      arrived: NOTHING,
      sent: false,
      rounds: 0,
      restored: recorded.restored,
      broughtBack: recorded.broughtBack === null ? [] : [recorded.broughtBack],
      contested: [],
    };
    // Before the home is recorded again: what is decided goes along.
    const decider = await decideClaims(world, remote, options.timeoutMs).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== "remote_refused") throw error;
      // Mail travels all the same.
      result.warning = `${remote.name} does not take the refs that decide claims, so they stay provisional: ${error.data["reason"]}. Have it allow refs/relay/claims/*, or set \`claims: local\` in relay.yml`;
      return null;
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      result.rounds = round;
      if (await once(world, repository, remote, options, result)) {
        noteSynced(world, remote);
        if (decider !== null) await pruneClaims(world, decider, result.commit);
        return result;
      }
      await pause(round, world.signal);
    }
    throw refuse("busy", { path: `${remote.name} ${result.branch}` });
  });
}

/** What came in two rounds. */
export function together(one: Arrived, other: Arrived): Arrived {
  const things = new Map(one.things);
  for (const [noun, count] of other.things) things.set(noun, (things.get(noun) ?? 0) + count);
  return {
    messages: one.messages + other.messages,
    files: one.files + other.files,
    things,
    gaveWay: [...one.gaveWay, ...other.gaveWay],
    did: [...one.did, ...other.did],
  };
}

/** One round. @returns false when somebody else was quicker */
async function once(world: World, repository: Repository, remote: Remote, options: SyncOptions, result: Synced): Promise<boolean> {
  const patience: Patience = { timeoutMs: options.timeoutMs, signal: world.signal };
  const { branch } = result;
  const tracking = trackingRef(remote, branch);
  world.progress?.(`fetching ${branch} from ${remote.name}`);
  const theirs = (await fetchBranch(repository, remote, branch, INCOMING, patience)) ? await resolveCommit(repository, INCOMING) : null;
  const seen = await resolveCommit(repository, tracking);
  if (options.accept !== true && seen !== null && (theirs === null || !(await isAncestor(repository, seen, theirs))))
    throw refuse("remote_rewritten", { remote: remote.name, branch, was: seen, is: theirs });
  if (seen === null && theirs !== null && !(await holdsHome(repository, theirs)))
    throw refuse("foreign_branch", { remote: remote.name, branch });
  world.progress?.("merging");
  const arrived = await whileRecording(world, () => mergeIn(world, repository, remote, theirs, result));
  if (arrived === null) return false;
  result.arrived = together(result.arrived, arrived);
  if (theirs !== null) await moveRef(repository, tracking, theirs, undefined, "relay: fetch");
  await dropRef(repository, INCOMING);
  if (result.commit === theirs) return true;
  world.progress?.(`sending to ${remote.name}`);
  if ((await pushBranch(repository, remote, result.commit, branch, patience)) === "behind") return false;
  await moveRef(repository, tracking, result.commit, undefined, "relay: send");
  result.sent = true;
  return true;
}

/** Records once more, because time went by, and takes in what came. @returns null when the branch was moved by hand meanwhile */
async function mergeIn(
  world: World,
  repository: Repository,
  remote: Remote,
  theirs: string | null,
  result: Synced,
): Promise<Arrived | null> {
  const recorded = await recordIn(world, repository);
  result.restored.push(...recorded.restored);
  if (recorded.broughtBack !== null) result.broughtBack.push(recorded.broughtBack);
  const ours = (await resolveCommit(repository, branchRef(repository))) as string;
  const incoming = theirs === null ? null : await mergeCommits(repository, ours, theirs, remote.name);
  const merged = incoming?.commit ?? ours;
  result.commit = merged;
  if (incoming !== null && incoming.broughtBack !== null) result.broughtBack.push(incoming.broughtBack);
  result.contested.push(...(incoming?.contested ?? []));
  if (merged === ours) return NOTHING;
  const arrived = await layMerge(world, repository, ours, merged);
  if (arrived !== null) await moveRef(repository, GUARDED, merged, ours, "relay: guard");
  // What was written meanwhile goes along, and the index knows what came.
  if (arrived !== null) result.commit = (await recordIn(world, repository)).commit ?? merged;
  return arrived;
}

/** Waits at random, longer from round to round, so that those who were too late do not march in step. */
function pause(round: number, signal: AbortSignal | undefined): Promise<void> {
  return waitFor(Math.min(PAUSE_MS.most, PAUSE_MS.least * PAUSE_MS.growth ** round) * Math.random(), signal);
}

/** Waits, unless it is to end. */
export function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
