/** Writes a file whole under a name that nobody else uses. */
import fs from "node:fs";
import path from "node:path";
import { thisThread } from "../process.ts";
import { ASIDE, absolute, type Store, unlinkQuietly } from "../root.ts";
import { growFolder, inFolder } from "./make-folder.ts";

let counter = 0;

/** A new name of this process's own in `run/tmp/`. A process id alone would collide across containers and threads. */
export function newAside(): string {
  counter += 1;
  return `${ASIDE}/${thisThread()}.${counter}`;
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
 * Writes a new file in its place, flushed: for a name that says nothing before another file names it, so that nobody reads it half. Its
 * folder is not flushed.
 */
export function writeNew(store: Store, target: string, content: string): void {
  const at = absolute(store, target);
  const descriptor = inFolder({ ...store, durable: false }, path.posix.dirname(target), () => fs.openSync(at, "wx"));
  try {
    fs.writeFileSync(descriptor, content);
    if (store.durable) fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    unlinkQuietly(at);
    throw error;
  }
  fs.closeSync(descriptor);
}

/**
 * Puts a file under a name that nobody takes for finished: an intent, or a content that waits for its commit. The bytes are
 * flushed when this returns, and with them, on most file systems, the name; whoever needs the name for sure flushes the folder.
 * A loss of power can leave the name without its bytes, which says no more than no name.
 * @returns the folders that grew
 */
export function stage(store: Store, target: string, content: string | Uint8Array, mode?: number): string[] {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  writeAside(store, content, mode, target);
  return [folder, ...grown];
}
