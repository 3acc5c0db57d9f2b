/** Lists folders. */
import fs from "node:fs";
import { Refusal } from "../../core/refusal.ts";
import { lstatIfThere } from "../look.ts";
import { absolute, errorCode, guard, isDisbelieved, type Store } from "../root.ts";
import { type FileFacts, facts, isFresh } from "./facts.ts";
import { passOver } from "./unreadable.ts";

/** Whether a folder may be there and be listed; one that leads out of the home is passed over and noted, so that the others are served. */
function mayList(store: Store, folder: string): boolean {
  if (isDisbelieved(store, folder)) return false;
  try {
    return guard(store, folder);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      passOver(store, folder, error);
      return false;
    }
    store.skipped.set(folder, "it leads out of the home, so Relay reads nothing in it; remove the link");
    return false;
  }
}

/** Whether a folder is not there. Of each part many are asked for that most never have, and an error costs more than a look. */
const isAbsent = (store: Store, folder: string): boolean =>
  !store.checked.has(folder) && lstatIfThere(absolute(store, folder)) === undefined;

/** What was found in a folder of a commit; where that is nothing, what stands in its place is noted. */
function noted<T>(store: Store, folder: string, found: T[]): T[] {
  const other = found.length === 0 ? (store.recorded?.inPlaceOf(folder) ?? null) : null;
  if (other !== null) store.skipped.set(other.at, `it is ${other.what} in this commit, so Relay reads nothing in it`);
  return found;
}

/** The names in a folder, in no order; none when it is not there, leads out of the home, or may not be read (`skipped`). */
export function names(store: Store, folder: string): string[] {
  if (store.recorded !== undefined) return noted(store, folder, store.recorded.names(folder));
  if (!mayList(store, folder)) return [];
  try {
    return isAbsent(store, folder) ? [] : fs.readdirSync(absolute(store, folder));
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) passOver(store, folder, error);
    return [];
  }
}

/** What folders held when they were listed, by their absolute paths, and what each was just before. */
const listed = new Map<string, { sign: string; found: readonly string[] }>();

/** As `names`, of a folder that hardly ever changes and that each call asks for: it is listed where it changed, or did so just now. */
export function keptNames(store: Store, folder: string): readonly string[] {
  const fact = store.recorded === undefined ? facts(store, folder) : null;
  if (fact?.kind !== "folder" || isFresh(fact)) return names(store, folder);
  const [at, sign] = [absolute(store, folder), `${fact.inode} ${fact.modifiedMs}`];
  const before = listed.get(at);
  if (before?.sign === sign) return before.found;
  const found = names(store, folder);
  listed.set(at, { sign, found });
  return found;
}

/** The entries of a folder of the disk, so many at the most. */
function firstEntries(folder: string, most: number): fs.Dirent[] {
  const open = fs.opendirSync(folder, { bufferSize: 1_000 });
  try {
    const found: fs.Dirent[] = [];
    for (let entry = open.readSync(); entry !== null && found.length < most; entry = open.readSync()) found.push(entry);
    return found;
  } finally {
    open.closeSync();
  }
}

/**
 * The names in a folder with whether each is a folder itself; links count as neither. None as `names` says.
 * @param most where a folder may be larger than is worth reading
 */
export function entries(store: Store, folder: string, most?: number): { name: string; kind: FileFacts["kind"] }[] {
  if (store.recorded !== undefined) return noted(store, folder, store.recorded.entries(folder));
  if (!mayList(store, folder)) return [];
  try {
    if (isAbsent(store, folder)) return [];
    const at = absolute(store, folder);
    return (most === undefined ? fs.readdirSync(at, { withFileTypes: true }) : firstEntries(at, most)).map((entry) => {
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
      // A real folder inside of one that was checked leads nowhere else.
      if (kind === "folder") store.checked.set(`${folder}/${entry.name}`, performance.now());
      return { name: entry.name, kind };
    });
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) passOver(store, folder, error);
    return [];
  }
}
