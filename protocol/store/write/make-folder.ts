/** Makes folders, and flushes them. */
import fs from "node:fs";
import path from "node:path";
import { absolute, errorCode, flushFolders, guard, isChecked, makeAt, noteWritten, type Store } from "../root.ts";

/**
 * Makes a folder and those above it. Everything that is written comes by here.
 * @returns the folders that grew, which whoever calls flushes before anything is answered
 * @throws Refusal `tracked_state`, `not_own_home`
 */
export function growFolder(store: Store, folder: string): string[] {
  if (store.foreign !== null) throw store.foreign;
  noteWritten(store, folder);
  if (isChecked(store, folder)) return [];
  guard(store, folder);
  // The guard has just seen that it is there.
  if (isChecked(store, folder)) return [];
  // A home that was removed meanwhile is not made again.
  const made = makeAt(absolute(store, folder), store.root);
  // What was made in a folder that was checked is a folder, and no link.
  if (made === absolute(store, folder) && isChecked(store, path.posix.dirname(folder))) store.checked.set(folder, performance.now());
  else guard(store, folder);
  const grown: string[] = [];
  if (made !== undefined)
    for (let at = folder; absolute(store, at).length >= made.length; at = path.posix.dirname(at)) grown.push(path.posix.dirname(at));
  return grown;
}

/**
 * The same, and flushes each folder that grew.
 * @throws Refusal as `growFolder`
 */
export function makeFolder(store: Store, folder: string): void {
  flushFolders(store, growFolder(store, folder));
}

/** Flushes one folder. */
export const flushFolder = (store: Store, folder: string): void => flushFolders(store, [folder]);

/** Makes a file in a folder; the folder is made, and made again where it was removed since it was checked. */
export function inFolder<T>(store: Store, folder: string, make: () => T): T {
  makeFolder(store, folder);
  try {
    return make();
  } catch (error) {
    // A home that was moved or removed is not made again.
    if (errorCode(error) !== "ENOENT" || !isChecked(store, folder) || !fs.existsSync(store.root)) throw error;
    store.checked.clear();
    makeFolder(store, folder);
    return make();
  }
}
