/** Makes folders, and flushes them. */
import fs from "node:fs";
import { errorCode, flushFolders, growFolder, type Store } from "../root.ts";

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
export function inFolder<T>(store: Store, folder: string, make: () => T): T {
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
