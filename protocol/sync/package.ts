/** Sync, as a package: the record of the home, which keeps up with it by itself. */
import type { Package } from "../core/package.ts";
import { recordLater, recordWhatWaits } from "./sync/leave-recorder.ts";
import { recordNow } from "./sync/run-recorder.ts";

/** What sync gives to the core and the board. */
export const sync: Package = {
  settle: (world) => recordLater(world),
  recordNow: (world) => recordNow(world),
  beat: (world) => recordWhatWaits(world),
};
