/** Moves and removes names. */
import fs from "node:fs";
import path from "node:path";
import { held } from "../held.ts";
import { exists } from "../read/facts.ts";
import { READING } from "../read/read-file.ts";
import { absolute, errorCode, guard, noteWritten, type Store } from "../root.ts";
import { flushFolder, makeFolder } from "./make-folder.ts";

/**
 * Moves a file, replacing what has the name.
 * @param isMeant asked right before the move
 * @returns false when the source is gone: somebody moved it already; or where the move is not meant any more
 */
export function moveFile(store: Store, source: string, target: string, isMeant = (): boolean => true): boolean {
  guard(store, path.posix.dirname(source));
  makeFolder(store, path.posix.dirname(target));
  try {
    return moveHeld(store, absolute(store, source), absolute(store, target), isMeant);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  if (!exists(store, source)) return false;
  // The folder it goes to was renamed or removed since it was checked.
  store.checked.clear();
  makeFolder(store, path.posix.dirname(target));
  return moveHeld(store, absolute(store, source), absolute(store, target), isMeant);
}

/** Moves a file of the home to another name in it, by their absolute paths, if that is meant. @returns whether it is */
export const moveHeld = ({ root }: Store, from: string, to: string, isMeant = (): boolean => true): boolean =>
  held(root, from, (source) =>
    held(root, to, (target) => {
      const isMoved = isMeant();
      if (isMoved) fs.renameSync(source, target);
      return isMoved;
    }),
  );

/**
 * Keeps a file open while it is replaced. The disk frees a file when it has no name and nobody has it open: that takes many times as long
 * as the move itself, and happens beside what comes next.
 * @param at absolute path; nothing need be there
 */
export function keepingOpen<T>(at: string, replace: () => T): T {
  const replaced = openIfThere(at);
  try {
    return replace();
  } finally {
    if (replaced !== null) fs.close(replaced, () => {});
  }
}

function openIfThere(at: string): number | null {
  // Windows moves nothing over a file that is open.
  if (process.platform === "win32") return null;
  try {
    return fs.openSync(at, READING);
  } catch {
    return null;
  }
}

/** Removes one name of a file. @returns false when it was gone already. */
export function removeFile(store: Store, target: string): boolean {
  noteWritten(store, path.posix.dirname(target));
  guard(store, path.posix.dirname(target));
  try {
    held(store.root, absolute(store, target), (own) => fs.unlinkSync(own));
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
  guard(store, path.posix.dirname(folder));
  try {
    held(store.root, absolute(store, folder), (own) => fs.rmdirSync(own));
    store.checked.delete(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  }
}
