/** Writes a file whole under a name that nobody else uses. */
import fs from "node:fs";
import path from "node:path";
import { held } from "../held.ts";
import { thisThread } from "../process.ts";
import { ASIDE, absolute, isLasting, type Store, unlinkQuietly } from "../root.ts";
import { growFolder, inFolder } from "./make-folder.ts";
import { moveHeld } from "./move-file.ts";

let counter = 0;

/** A new name of this process's own in `run/tmp/`. A process id alone would collide across containers and threads. */
export function newAside(): string {
  counter += 1;
  return `${ASIDE}/${thisThread()}.${counter}`;
}

/**
 * Writes a whole file under a name of its own, and gives its path.
 * @param target the name that it will have, which says whether its bytes are flushed
 * @param mode who may read it, before the umask
 * @param isMoved whether it is moved there at once, before its bytes are flushed; else it stays where it was written
 */
export function writeAside(store: Store, target: string, content: string | Uint8Array, mode = 0o666, isMoved = false): string {
  let aside = path.join(store.root, newAside());
  const descriptor = inFolder(store, ASIDE, () => held(store.root, aside, (own) => fs.openSync(own, "wx", mode)));
  try {
    fs.writeFileSync(descriptor, content);
    if (isMoved) {
      moveHeld(store, aside, absolute(store, target));
      aside = absolute(store, target);
    }
    if (isLasting(store, target)) fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    unlinkQuietly(store, aside);
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
  const descriptor = inFolder({ ...store, durable: false }, path.posix.dirname(target), () =>
    held(store.root, at, (own) => fs.openSync(own, "wx")),
  );
  try {
    fs.writeFileSync(descriptor, content);
    if (isLasting(store, target)) fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    unlinkQuietly(store, at);
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
  writeAside(store, target, content, mode, true);
  return [folder, ...grown];
}
