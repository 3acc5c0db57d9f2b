/** The pager's look for work of the office that nobody runs: its runner was killed, or what it waits for came by a sync. spec/office.md, "Runner". */
import type { World } from "../protocol/index.ts";
import { ensureRunner } from "../protocol/office/files/ensure-runner.ts";
import { RING } from "../protocol/office/files/local-files.ts";
import { inOffice } from "../protocol/office/files/office-folder.ts";
import { isRunnerLost } from "../protocol/office/files/runner-hold.ts";
import { facts } from "../protocol/store/read/facts.ts";
import type { Tell } from "./ring-part.ts";

/** Where nothing stirs, a runner is started to look this often: an answer that a sync brings rings nobody. */
const BEAT_MS = 60_000;

/** Looks after the work of the office while a pager runs. */
export interface OfficeWatch {
  /** Starts a runner where one is needed; called at each scan of the pager, with the world of that scan. Costs two calls of the disk where nothing stirs. */
  check(seen: World): void;
}

/** Makes a watch. @param runningMs a clock that only runs */
export function createOfficeWatch(tell: Tell, runningMs = () => performance.now()): OfficeWatch {
  let sign: number | undefined;
  let nextMs = Number.NEGATIVE_INFINITY;
  return {
    check(seen) {
      const { store } = seen.home();
      const current = inOffice(store, null, (office) => facts(office, RING))?.modifiedMs;
      if (current === undefined || (current === sign && runningMs() < nextMs && !isRunnerLost(store))) return;
      sign = current;
      nextMs = runningMs() + BEAT_MS;
      if (ensureRunner(seen)) tell("runner_started", {});
    },
  };
}
