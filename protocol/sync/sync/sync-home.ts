/**
 * Syncing: record, fetch, merge, check out what came, move the branch, send; again until the remote has what is here.
 * spec/git.md, "Syncing".
 */
import { packageWith } from "../../core/package.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import type { Repository } from "../../git/git-run.ts";
import { chooseRemote } from "../../git/home/remote-choice.ts";
import { branchName, branchRef, requireRepository } from "../../git/home/repository.ts";
import { whileAsking } from "../../git/objects/object-process.ts";
import type { Patience } from "../../git/remote/git-network.ts";
import { holdLock } from "../../store/lock.ts";
import { recordIn, whileRecording } from "./record-home.ts";
import { NOTHING, type Synced, type SyncOptions } from "./sync-result.ts";
import { once } from "./sync-round.ts";

/** Clones that send at once are apart after a few rounds; so many are never needed. */
const ROUNDS = 40;
/** What keeps a remote from deciding claims, and must not keep mail from travelling; one that is away says so again. */
const UNDECIDED = new Set(["remote_refused", "remote_damaged", "remote_too_large", "remote_unreachable"]);
const PAUSE_MS = { least: 20, most: 3_000, growth: 1.5 };

/**
 * Syncs the home with a remote.
 * @throws Refusal `no_repository`, those of `chooseRemote`, `remote_unreachable`, `remote_refused`, `remote_rewritten`,
 *   `remote_damaged`, `remote_too_large`, `login_needed`, `no_state_folder`, `busy`
 */
export async function syncHome(world: World, options: SyncOptions): Promise<Synced> {
  const repository = requireRepository(world);
  return whileAsking(repository, () => holdLock(world.home().store, "sync", () => syncIn(world, repository, options)));
}

/** Syncs the home; the caller holds the lock. */
async function syncIn(world: World, repository: Repository, options: SyncOptions): Promise<Synced> {
  // What is here is recorded whatever becomes of the rest.
  const { recorded, head } = await whileRecording(world, async () => ({
    recorded: await recordIn(world, repository),
    head: await resolveCommit(repository, branchRef(repository)),
  }));
  const choice = await chooseRemote(world, { given: options.remote, isAutomatic: options.isAutomatic });
  const { remote } = choice;
  const patience: Patience = {
    timeoutMs: options.timeoutMs,
    endsMs: performance.now() + options.timeoutMs,
    signal: world.signal,
  };
  const result: Synced = {
    remote: remote.name,
    branch: branchName(repository),
    commit: "",
    arrived: NOTHING,
    came: { newest: [], authors: [], count: 0 },
    sent: false,
    rounds: 0,
    restored: recorded.restored,
    broughtBack: recorded.broughtBack === null ? [] : [recorded.broughtBack],
    contested: [],
    attempts: [],
    warnings: [],
  };
  // Before the home is recorded again: what is decided goes along.
  const claims = packageWith("claims").claims();
  const { prune, hasNone, strays } = await claims.decide(world, remote, patience).catch((error: unknown) => {
    if (!(error instanceof Refusal) || !UNDECIDED.has(error.code)) throw error;
    // Mail travels all the same.
    result.warnings.push(
      `claims stay provisional, because of the refs that decide them on ${remote.name}: ${error.data["reason"] ?? error.message}. Have it allow refs/relay/claims/*, or set \`claims: local\` in relay.yml, then \`relay config accept\``,
    );
    return { prune: null, hasNone: false, strays: null };
  });
  if (strays !== null) result.warnings.push(strays);
  for (let round = 1; round <= ROUNDS; round += 1) {
    result.rounds = round;
    const recordedAt = round === 1 && hasNone ? head : null;
    if (await once(world, repository, choice, { ...options, patience, recordedAt }, result)) {
      claims.noteSynced(world, remote);
      await prune?.(result.commit);
      return result;
    }
    await pause(round, world.signal);
  }
  throw refuse("busy", { path: `${remote.name} ${result.branch}` });
}

/** Waits at random, longer from round to round, so that those who were too late do not march in step. */
const pause = (round: number, signal: AbortSignal | undefined): Promise<void> =>
  pauseFor(Math.min(PAUSE_MS.most, PAUSE_MS.least * PAUSE_MS.growth ** round) * Math.random(), signal);

/** Waits, unless it is to end. */
export function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

/** Where a remote fails again and again, the pause between two tries grows to this. */
const LONGEST_MS = 600_000;

/**
 * For how long to leave a remote alone.
 * @param failures how many syncs in a row failed
 * @param everyMs the pause where none did; where that is longer, it is the pause in any case
 */
export const pauseAfter = (failures: number, everyMs: number): number => Math.max(everyMs, Math.min(LONGEST_MS, everyMs * 2 ** failures));
