/** Sets the time of a file. */
import fs from "node:fs";
import path from "node:path";
import { held } from "../held.ts";
import { absolute, errorCode, guard, noteWritten, type Store } from "../root.ts";

/**
 * Sets a file's time, to now for a heartbeat. Of a link its own time is set.
 * @param readMs when it was last read, in milliseconds since the epoch
 * @returns false when it is gone
 * @throws Refusal `outside_home`
 */
export function touch(store: Store, target: string, nowMs: number, readMs = nowMs): boolean {
  noteWritten(store, path.posix.dirname(target));
  guard(store, path.posix.dirname(target));
  try {
    held(store.root, absolute(store, target), (own) => fs.lutimesSync(own, readMs / 1000, nowMs / 1000));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
