/**
 * How bytes reach the disk. Knows no noun.
 *
 * A file appears whole: it is written aside, flushed, and then linked to its name. `link` and not `rename`, because
 * `rename` silently replaces what is there, and `link` lets exactly one of two contenders have the name. The calls are
 * synchronous: for small files they are several times faster than the asynchronous ones. SPEC.md, "Rules of the disk".
 */
import fs from "node:fs";
import path from "node:path";
import { thisThread } from "./process.ts";
import { exists } from "./read.ts";
import { copyExclusively, RESERVATIONS } from "./reserve.ts";
import { ASIDE, absolute, errorCode, flushFolders, growFolder, guard, noteWritten, type Store, unlinkQuietly } from "./root.ts";

let counter = 0;

/** A new name of this process's own in `run/tmp/`. A process id alone would collide across containers and threads. */
export function newAside(): string {
  counter += 1;
  return `${ASIDE}/${thisThread()}.${counter}`;
}

/**
 * Makes a folder and those above it, and flushes each that grew. Everything that is written comes by here.
 * @throws Refusal `tracked_state`
 */
export function makeFolder(store: Store, folder: string): void {
  flushFolders(store, growFolder(store, folder));
}

/** Flushes one folder. */
export const flushFolder = (store: Store, folder: string): void => flushFolders(store, [folder]);

/** Makes a file in a folder; the folder is made, and made again where it was removed since it was checked. */
function inFolder<T>(store: Store, folder: string, make: () => T): T {
  makeFolder(store, folder);
  try {
    return make();
  } catch (error) {
    // A home that was moved or removed is not made again.
    if (errorCode(error) !== "ENOENT" || !store.checked.has(folder) || !fs.existsSync(store.root)) throw error;
    store.checked.clear();
    makeFolder(store, folder);
    return make();
  }
}

/**
 * Writes a whole file under a name of its own, flushed, and gives its path.
 * @param mode who may read it, before the umask
 * @param target where the file is moved before its bytes are flushed, if anywhere; else it stays where it was written
 */
export function writeAside(store: Store, content: string | Uint8Array, mode = 0o666, target: string | null = null): string {
  let aside = path.join(store.root, newAside());
  const descriptor = inFolder(store, ASIDE, () => fs.openSync(aside, "wx", mode));
  try {
    fs.writeFileSync(descriptor, content);
    if (target !== null) {
      fs.renameSync(aside, absolute(store, target));
      aside = absolute(store, target);
    }
    if (store.durable) fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    unlinkQuietly(aside);
    throw error;
  }
  fs.closeSync(descriptor);
  return aside;
}

/**
 * Gives a finished file its name, if nobody has it yet: the commit point of everything that two must not both win.
 * @param mode who may read it, before the umask: 0o600 for a secret
 * @returns `exists` when the name is taken; the file that has it is untouched.
 */
export function publish(store: Store, target: string, content: string | Uint8Array, mode?: number): "created" | "exists" {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  const aside = writeAside(store, content, mode);
  try {
    const result = linkInto(store, aside, target);
    if (result === "created") afterCommit(() => flushFolders(store, [folder, ...grown]));
    return result;
  } finally {
    unlinkQuietly(aside);
  }
}

/** After the name is there the file is published; what fails then (a flush, a clean-up) must not be told as a failure. */
export function afterCommit(step: () => void): void {
  try {
    step();
  } catch {
    // Published all the same.
  }
}

/**
 * Puts a finished file under a name, whole; an earlier file of that name is replaced. For names that only this process uses, or whose
 * last writer may win: `publish` is for what two must not both win.
 * @param mode who may read it, before the umask: 0o600 for a secret
 */
export function place(store: Store, target: string, content: string | Uint8Array, mode?: number): void {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  const aside = writeAside(store, content, mode);
  try {
    fs.renameSync(aside, absolute(store, target));
  } catch (error) {
    unlinkQuietly(aside);
    throw error;
  }
  flushFolders(store, [folder, ...grown]);
}

/**
 * Puts a file under a name that nobody takes for finished: an intent, or a content that waits for its commit. The bytes are
 * flushed when this returns, and with them, on most file systems, the name; whoever needs the name for sure flushes the folder.
 * A loss of power can leave the name without its bytes, which says no more than no name.
 * @returns the folders that grew
 */
export function stage(store: Store, target: string, content: string | Uint8Array): string[] {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  writeAside(store, content, undefined, target);
  return [folder, ...grown];
}

/**
 * Links a file to a second name.
 * @returns `exists` when the name is taken, `missing` when the source is gone.
 */
export function linkFile(store: Store, source: string, target: string): "created" | "exists" | "missing" {
  makeFolder(store, path.posix.dirname(target));
  try {
    return linkInto(store, absolute(store, source), target);
  } catch (error) {
    if (errorCode(error) === "ENOENT" && !fs.existsSync(absolute(store, source))) return "missing";
    throw error;
  }
}

/** Links to a name in the home; when its folder was renamed or removed since it was checked, makes it again first. */
export function linkInto(store: Store, source: string, target: string): "created" | "exists" {
  try {
    return linkAt(store, source, target);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    store.checked.clear();
    makeFolder(store, path.posix.dirname(target));
    return linkAt(store, source, target);
  }
}

/** File systems without hard links (FAT, some network mounts) answer with one of these. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

function linkAt(store: Store, source: string, target: string): "created" | "exists" {
  try {
    fs.linkSync(source, absolute(store, target));
    return "created";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return "exists";
    if (!NO_LINKS.has(errorCode(error) ?? "")) throw error;
  }
  for (const folder of [RESERVATIONS, ASIDE]) makeFolder(store, folder);
  return copyExclusively(store, source, target);
}

/** Moves a file, replacing what has the name. @returns false when the source is gone: somebody moved it already. */
export function moveFile(store: Store, source: string, target: string): boolean {
  makeFolder(store, path.posix.dirname(target));
  try {
    fs.renameSync(absolute(store, source), absolute(store, target));
    return true;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  if (!exists(store, source)) return false;
  // The folder it goes to was renamed or removed since it was checked.
  store.checked.clear();
  makeFolder(store, path.posix.dirname(target));
  fs.renameSync(absolute(store, source), absolute(store, target));
  return true;
}

/** Removes one name of a file. @returns false when it was gone already. */
export function removeFile(store: Store, target: string): boolean {
  noteWritten(store, path.posix.dirname(target));
  guard(store, path.posix.dirname(target));
  try {
    fs.unlinkSync(absolute(store, target));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Removes one name of a file, and flushes that: after a loss of power it is still gone. @returns false when it was gone already */
export function removeForGood(store: Store, target: string): boolean {
  const removed = removeFile(store, target);
  if (removed) flushFolder(store, path.posix.dirname(target));
  return removed;
}

/** Removes a folder when it is empty; otherwise does nothing. */
export function removeEmptyFolder(store: Store, folder: string): void {
  if (store.readOnly) return;
  try {
    fs.rmdirSync(absolute(store, folder));
    store.checked.delete(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  }
}

/**
 * Appends one whole line. A torn tail (a writer died in the middle) is closed by a line break first, so that it costs
 * one line and never two.
 * @param flush whether to wait for the disk, where the home is durable at all
 */
export function appendLine(store: Store, target: string, text: string, flush: boolean): void {
  const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0);
  const descriptor = inFolder(store, path.posix.dirname(target), () => fs.openSync(absolute(store, target), flags, 0o666));
  try {
    const { size } = fs.fstatSync(descriptor);
    const last = Buffer.alloc(1);
    const torn = size > 0 && fs.readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    const whole = Buffer.from(`${torn ? "\n" : ""}${text}\n`);
    const written = fs.writeSync(descriptor, whole);
    if (written !== whole.length) throw Object.assign(new Error("the line was cut short"), { code: "ENOSPC" });
    if (!flush || !store.durable) return;
    fs.fsyncSync(descriptor);
    // The first line came with the file's name.
    if (size === 0) flushFolder(store, path.posix.dirname(target));
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Sets a file's time to now: a heartbeat. @returns false when it is gone. */
export function touch(store: Store, target: string, nowMs: number): boolean {
  noteWritten(store, path.posix.dirname(target));
  try {
    fs.utimesSync(absolute(store, target), nowMs / 1000, nowMs / 1000);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
