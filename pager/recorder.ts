/**
 * The pager's work for the home in git: it syncs at intervals if `relay.yml` says so, and leaves a recorder for changes by hand and for
 * those that other processes could not record. spec/git.md, "By itself", "Syncing".
 */
import { Refusal, type World } from "../protocol/index.ts";
import { createRemoteAsker } from "../protocol/sync/sync/ask-remote.ts";
import { leaveRecorder, recordLater, recordWhatWaits } from "../protocol/sync/sync/leave-recorder.ts";
import { pauseAfter, syncHome } from "../protocol/sync/sync/sync-home.ts";
import type { Tell } from "./ring-part.ts";

/** Has recorded, and syncs, while a pager runs. */
export interface Recorder {
  /** Checks whether something is due, and begins it; called at each scan of the pager, with the world of that scan. */
  check(world: World): void;
  /** Waits for what was begun. */
  close(): Promise<void>;
}

/** Between two looks for changes by hand, of which no call tells. */
const BY_HAND_MS = 10 * 60_000;
/** A sync that a pager does by itself is given up after so long. */
const REMOTE_MS = 60_000;

/** Makes a recorder. */
export function createRecorder(world: World, tell: Tell): Recorder {
  // A clock that only runs: the machine's own may be set back by hours.
  let running: Promise<void> | null = null;
  // What was changed while no pager ran is not recorded yet.
  let lookedMs = Number.NEGATIVE_INFINITY;
  let syncedMs = Number.NEGATIVE_INFINITY;
  /** Syncs that failed since one did not, the one that runs included. */
  let failures = 0;

  const asker = createRemoteAsker();

  const record = async (seen: World): Promise<void> => {
    await recordLater(seen);
    if (performance.now() - lookedMs < BY_HAND_MS) return recordWhatWaits(seen);
    lookedMs = performance.now();
    return leaveRecorder(seen);
  };
  const sync = async (): Promise<void> => {
    syncedMs = performance.now();
    failures += 1;
    const { arrived, sent, remote: name, commit } = await syncHome(world, { isAutomatic: true, timeoutMs: REMOTE_MS });
    failures = 0;
    asker.synced(commit, sent || arrived.files > 0);
    if (sent || arrived.files > 0) tell("synced", { remote: name, sent, messages: arrived.messages });
  };
  const ask = async (): Promise<void> => {
    if (await asker.hasMoved(world)) await sync();
  };
  const begin = (what: string, step: () => Promise<void>): void => {
    running = step()
      .catch((error: unknown) => {
        tell("fault", { what, problem: (error as Error).message, ...(error instanceof Refusal ? { code: error.code } : {}) });
      })
      .finally(() => {
        running = null;
      });
  };

  return {
    check(seen) {
      if (running !== null) return;
      const { auto, everyS } = seen.home().config().sync;
      if (auto && performance.now() - syncedMs >= pauseAfter(failures, everyS * 1_000)) begin("sync", sync);
      else if (auto && failures === 0 && asker.dueMs() === 0) begin("sync", ask);
      else begin("record", () => record(seen));
    },
    async close() {
      await running;
    },
  };
}
