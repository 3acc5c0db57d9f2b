/**
 * The pager's recorder: it commits the home when no file changes any more, and syncs it at intervals if `relay.yml`
 * says so. spec/git.md, "Recording", "Syncing".
 */
import { Refusal, type World } from "../protocol/index.ts";
import { pauseAfter, syncHome } from "../protocol/internal.ts";
import { RecordRefused, recordApart } from "./record-apart.ts";
import type { Tell } from "./ring-part.ts";
import { feedSign } from "./standing.ts";

/** Records and syncs while a pager runs. */
export interface Recorder {
  /** Checks whether something is due, and begins it; called at each scan of the pager, with the world of that scan. */
  check(world: World): void;
  /** Records what is left, and ends. */
  close(): Promise<void>;
}

/** While it never gets quiet, it is recorded all the same after so many times the quiet that is asked for. */
const PATIENCE = 6;
/** What was changed by hand is in no feed; it is searched for this often. */
const BY_HAND_MS = 10 * 60_000;
/** A sync that a pager does by itself is given up after so long. */
const REMOTE_MS = 60_000;

/** Makes a recorder. Without a repository of the home's own, or where `relay.yml` says no, it does nothing. */
export function createRecorder(world: World, tell: Tell): Recorder {
  // A clock that only runs: the machine's own may be set back by hours.
  let running: Promise<void> | null = null;
  let sign = feedSign(world);
  // What was written while no pager ran is not recorded yet.
  let firstMs: number | null = performance.now();
  let lastMs = Number.NEGATIVE_INFINITY;
  let recordedMs = performance.now();
  let syncedMs = Number.NEGATIVE_INFINITY;
  /** Syncs that failed since one did not, the one that runs included. */
  let failures = 0;

  const record = async (): Promise<void> => {
    firstMs = null;
    recordedMs = performance.now();
    const recorded = await recordApart(world);
    if (recorded === null) return;
    if (recorded.commit !== null) tell("recorded", { commit: recorded.commit, parts: recorded.parts });
    if (recorded.restored.length > 0) tell("restored", { files: recorded.restored.length, first: recorded.restored[0] });
  };
  const sync = async (): Promise<void> => {
    syncedMs = performance.now();
    failures += 1;
    // A sync records, too: of what is known to have changed nothing is left to it.
    if (firstMs !== null) await record();
    const { arrived, sent, remote: name } = await syncHome(world, { isAutomatic: true, timeoutMs: REMOTE_MS });
    failures = 0;
    if (sent || arrived.files > 0) tell("synced", { remote: name, sent, messages: arrived.messages });
  };
  const begin = (what: string, step: () => Promise<void>): void => {
    running = step()
      .catch((error: unknown) => {
        const isRefusal = error instanceof Refusal || error instanceof RecordRefused;
        tell("fault", { what, problem: (error as Error).message, ...(isRefusal ? { code: error.code } : {}) });
      })
      .finally(() => {
        running = null;
      });
  };

  return {
    check(seen) {
      const now = performance.now();
      const current = feedSign(seen);
      if (current !== sign) {
        sign = current;
        lastMs = now;
        firstMs ??= now;
      }
      if (running !== null) return;
      const { record: policy, sync: sharing } = seen.home().config();
      const quietMs = policy.debounceS * 1_000;
      const isQuiet = firstMs !== null && (now - lastMs >= quietMs || now - firstMs >= quietMs * PATIENCE);
      if (sharing.auto && now - syncedMs >= pauseAfter(failures, sharing.everyS * 1_000)) begin("sync", sync);
      else if (policy.auto && (isQuiet || now - recordedMs >= BY_HAND_MS)) begin("record", record);
    },
    async close() {
      await running;
      // Changes that the feed named after the last scan are recorded too.
      if (!world.home().config().record.auto || (firstMs === null && feedSign(world) === sign)) return;
      begin("record", record);
      await running;
    },
  };
}
