/** Whether a remote has something new, asked at little cost between two syncs. spec/git.md, "Syncing". */

import type { World } from "../../core/world.ts";
import { chooseRemote } from "../../git/home/remote-choice.ts";
import { branchName, requireRepository } from "../../git/home/repository.ts";
import { listRefs } from "../../git/remote/git-remote.ts";

/** A remote where something stirs is asked this often; one where nothing did for a while, that seldom. */
const ASK_MS = { stirred: 3_000, still: 60_000 };
const STIRRED_MS = 10 * 60_000;
/** An answer that takes longer is waited for by the next sync. */
const PATIENCE_MS = 10_000;

/** Asks a remote whether it moved on since the last sync. */
export interface RemoteAsker {
  /** Notes a sync that worked: the commit that the remote has by it, and whether anything came or went. */
  synced(commit: string, isMoved: boolean): void;
  /** In how many milliseconds the remote may be asked next. */
  dueMs(): number;
  /** Asks it. A remote that cannot be asked has nothing new: the next sync says what is wrong. */
  hasMoved(world: World): Promise<boolean>;
}

/** Makes one. @param runningMs a clock that only runs */
export function createRemoteAsker(runningMs = () => performance.now()): RemoteAsker {
  let known: string | null = null;
  let movedMs = runningMs();
  let askedMs = Number.NEGATIVE_INFINITY;
  return {
    synced(commit, isMoved) {
      known = commit;
      askedMs = runningMs();
      if (isMoved) movedMs = askedMs;
    },
    dueMs: () => Math.max(0, askedMs + (runningMs() - movedMs < STIRRED_MS ? ASK_MS.stirred : ASK_MS.still) - runningMs()),
    async hasMoved(world) {
      if (known === null) return false;
      try {
        const { remote } = await chooseRemote(world, { isAutomatic: true });
        const branch = `refs/heads/${branchName(requireRepository(world))}`;
        const [found] = await listRefs(remote, [branch], {
          timeoutMs: PATIENCE_MS,
          endsMs: performance.now() + PATIENCE_MS,
          signal: world.signal,
        });
        return found !== undefined && found.id !== known;
      } catch {
        return false;
      } finally {
        askedMs = runningMs();
      }
    },
  };
}
