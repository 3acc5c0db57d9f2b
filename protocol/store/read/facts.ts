/** What a name on the disk is, without opening it. */
import type { Stats } from "node:fs";
import { lstatIfThere } from "../look.ts";
import { absolute, isDisbelieved, type Store } from "../root.ts";
import { passOver } from "./unreadable.ts";

/** Asks the disk for a name; of one in a folder that may not be read nothing is known, where the store passes over such. */
function statOf(store: Store, target: string): Stats | undefined {
  try {
    return isDisbelieved(store, target) ? undefined : lstatIfThere(absolute(store, target));
  } catch (error) {
    passOver(store, target.slice(0, Math.max(0, target.lastIndexOf("/"))) || ".", error);
    return undefined;
  }
}

/** Whether a name is there, whatever it names; a dangling link counts. */
export const exists = (store: Store, target: string): boolean =>
  store.recorded === undefined ? statOf(store, target) !== undefined : store.recorded.kindOf(target) !== null;

/** What a file is, without reading it; null when it is not there. `modifiedMs` is the time of the last change. */
export interface FileFacts {
  kind: "file" | "folder" | "link" | "other";
  size: number;
  inode: number;
  modifiedMs: number;
}

/** Asks for a name without following a link. */
export function facts(store: Store, target: string): FileFacts | null {
  if (store.recorded !== undefined) return store.recorded.facts(target);
  const stat = statOf(store, target);
  if (stat === undefined) return null;
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "other";
  return { kind, size: stat.size, inode: stat.ino, modifiedMs: stat.mtimeMs };
}

/** The number of the user to whom a file belongs; null where it is not there. */
export const ownerOf = (store: Store, target: string): number | null => statOf(store, target)?.uid ?? null;

/**
 * When a name or a folder's names changed last, in milliseconds since the epoch, by the time that nobody can set; never, where it is
 * not there, or nothing can be known of it.
 */
export const changedMs = (store: Store, target: string): number => statOf(store, target)?.ctimeMs ?? Number.NEGATIVE_INFINITY;

/** Time at which a file was read since it was written, in milliseconds since the epoch, as far as its disk notes that (`relatime` notes the first time); null if it was not. */
export function readAtMs(store: Store, target: string): number | null {
  const stat = statOf(store, target);
  return stat !== undefined && stat.atimeMs > stat.mtimeMs ? stat.atimeMs : null;
}

/** For how long a file's content has stood, in milliseconds, by the system's clock; null where it is not there. `disk-clock.ts` says when. */
export function ageMs(store: Store, target: string): number | null {
  const fact = facts(store, target);
  return fact === null ? null : ageOf(fact);
}

/** Clocks of machines that share a disk differ by less. */
const SKEW_MS = 60_000;

/** The same, of a file that was looked at just now. A time to come says nothing of what stands since then: the file is taken for old. */
export function ageOf({ modifiedMs }: Pick<FileFacts, "modifiedMs">): number {
  const age = Date.now() - modifiedMs;
  return age < -SKEW_MS ? Number.POSITIVE_INFINITY : age;
}

/** Two changes within the grain of the file system's clock look like one. */
const GRAIN_MS = 2_000;

/** Whether something was changed so lately that another change might not show. */
export const isFresh = (found: FileFacts | null): boolean => found !== null && Math.abs(ageOf(found)) < GRAIN_MS;
