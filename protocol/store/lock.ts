/**
 * Order and fairness around short read-modify-writes; the only file that knows proper-lockfile.
 *
 * It never decides who owns anything: a takeover of a stale lock can let two in. What must be exclusive is decided by an
 * exclusive create (`replace.ts`), and nothing is corrupt when two are let in. SPEC.md, "Rules of the disk".
 */
import fs from "node:fs";
import { quietly } from "../core/format/file-error.ts";
import { refuse } from "../core/refusal.ts";
import { held } from "./held.ts";
import { lifeOf, thisProcess } from "./process.ts";
import { ageOf, exists } from "./read/facts.ts";
import { readPlainText } from "./read/plain-file.ts";
import { absolute, errorCode, type Store, unlinkQuietly } from "./root.ts";
import { growFolder } from "./write/make-folder.ts";

const LOCKS = "run/locks";
/** Beside a lock: which process holds it, as `thisProcess` writes it. */
const HOLDER = ".holder";
/** Pauses between tries for a held lock, at random, so that those who wait do not march in step. */
const PAUSE_MS = { least: 1, most: 20, growth: 1.3 };

/**
 * Runs a short step while holding the lock of a name; the step must not wait for anything but the disk.
 * @param name a path of the home; the lock itself lies under `run/locks/`
 * @throws Refusal `busy` when the lock did not come free although a dead holder's would have
 */
export async function withLock<T>(store: Store, name: string, step: () => T): Promise<T> {
  const release = await acquire(store, name);
  try {
    return step();
  } finally {
    release();
  }
}

/**
 * The same for a step that takes a while and waits for other processes. A holder that is suspended may be overtaken, so
 * the step itself must be safe beside another: it ends in a compare-and-set.
 */
export async function holdLock<T>(store: Store, name: string, step: () => Promise<T>): Promise<T> {
  const release = await acquire(store, name);
  try {
    return await step();
  } finally {
    release();
  }
}

/** Where the lock of a name lies, without its ending. */
const lockOf = (name: string): string => `${LOCKS}/${name.replaceAll("/", "!")}`;

/** Whether somebody holds the lock of a name just now, or died while holding it. */
export const isLocked = (store: Store, name: string): boolean => exists(store, `${lockOf(name)}.lock`);

/** Takes a lock away from a holder that is gone, and need not be waited for. Where it errs two are let in, which harms nothing. */
function breakDead(store: Store, target: string): void {
  try {
    // The library takes over what is old, and a lock of a time to come would never be.
    const { mtimeMs } = fs.statSync(`${target}.lock`);
    if (ageOf({ modifiedMs: mtimeMs }) === Number.POSITIVE_INFINITY) fs.utimesSync(`${target}.lock`, new Date(), new Date());
    if (lifeOf(readPlainText(`${target}${HOLDER}`)) !== "gone") return;
    held(store.root, `${target}${HOLDER}`, (own) => fs.unlinkSync(own));
    held(store.root, `${target}.lock`, (own) => fs.rmdirSync(own));
  } catch {
    // Somebody else was quicker, or the holder has not said yet who it is.
  }
}

/** Writes down which process holds a lock, in a file of its own: what lies there is of a dead holder, or leads elsewhere. */
function writeHolder(store: Store, at: string): void {
  unlinkQuietly(store, at);
  held(store.root, at, (own) => fs.writeFileSync(own, thisProcess(), { flag: "wx" }));
}

/** By synchronous calls: a lock that is free costs no turn of the event loop. @returns what releases it, and never throws */
async function acquire(store: Store, name: string): Promise<() => void> {
  const { default: lockfile } = await import("proper-lockfile");
  const target = absolute(store, lockOf(name));
  // Counted and not timed: a process that was suspended while it waited still has its tries.
  const tries = (3 * store.lockStaleMs) / PAUSE_MS.most;
  for (let tried = 1; ; tried += 1) {
    try {
      growFolder(store, LOCKS);
      const release = lockfile.lockSync(target, {
        realpath: false,
        stale: store.lockStaleMs,
        // The library would try again after any error; a disk that is full or read-only must be told at once.
        retries: 0,
        // The default throws in a timer. Being compromised is harmless here: see above.
        onCompromised: () => {},
        fs,
      });
      try {
        writeHolder(store, `${target}${HOLDER}`);
      } catch (error) {
        // A lock of which nobody knows the holder would be kept for the life of this process.
        quietly(release);
        throw error;
      }
      return () => {
        unlinkQuietly(store, `${target}${HOLDER}`);
        // Taken over meanwhile, or the folder is gone: nothing is left to release.
        quietly(release);
      };
    } catch (error) {
      // The lock, or the folder of all locks, was taken away while this process was about to have it.
      if (errorCode(error) === "ENOENT") store.checked.delete(LOCKS);
      else if (errorCode(error) === "ELOCKED") breakDead(store, target);
      else throw error;
      if (tried > tries) throw refuse("busy", { path: name });
    }
    const longest = Math.min(PAUSE_MS.most, PAUSE_MS.least * PAUSE_MS.growth ** tried);
    await new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
  }
}
