/**
 * Order and fairness around short read-modify-writes; the only file that knows proper-lockfile.
 *
 * It never decides who owns anything: a takeover of a stale lock can let two in. What must be exclusive is decided by an
 * exclusive create (`replace.ts`), and nothing is corrupt when two are let in. SPEC.md, "Rules of the disk".
 */
import fs from "node:fs";
import { refuse } from "../refusal.ts";
import { absolute, errorCode, makeFolder, type Store } from "./files.ts";

/** A holder silent for this long is taken for dead. */
const STALE_MS = 30_000;

/**
 * Runs a short step while holding the lock of a name; the step must not wait for anything but the disk.
 * @param name a path of the home; the lock itself lies under `run/locks/`
 * @throws Refusal `busy` when the lock did not come free within about 35 seconds
 */
export async function withLock<T>(store: Store, name: string, step: () => T): Promise<T> {
  const { default: lockfile } = await import("proper-lockfile");
  const target = absolute(store, `run/locks/${name.replaceAll("/", "!")}`);
  makeFolder(store, "run/locks");
  let release: () => Promise<void>;
  try {
    release = await lockfile.lock(target, {
      realpath: false,
      stale: STALE_MS,
      retries: { retries: 2_000, factor: 1.3, minTimeout: 1, maxTimeout: 20, randomize: true },
      // The default throws in a timer. Being compromised is harmless here: see above.
      onCompromised: () => {},
      fs,
    });
  } catch (error) {
    if (errorCode(error) === "ELOCKED") throw refuse("busy", { path: name });
    throw error;
  }
  try {
    return step();
  } finally {
    await release().catch(() => {
      // Taken over meanwhile, or the folder is gone: nothing is left to release.
    });
  }
}
