/**
 * What `run/recorded` says: what a record saw of the home, so that the next one looks at what changed since. Disposable. It is not
 * believed where it is torn, of another start of this machine, of another index or folder, from the future, or older than a day; nor
 * where the system's clock was set meanwhile, because changes are known by their times.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Repository } from "../../git/git-run.ts";
import { leavesOutOurs } from "../../git/home/repository.ts";
import { thisRun } from "../../mail/files/recent-state.ts";
import { diskNow } from "../../store/disk-clock.ts";
import { absolute, type Store } from "../../store/root.ts";
import { readNote, writeNote } from "../../store/sealed-note.ts";

const NOTE = "run/recorded";
const NOTE_BYTES = 16 * 1_048_576;
const VERSION = 1;
/** After so long a record looks at every file again, whatever the times of folders say. */
const WHOLE_AFTER_MS = 86_400_000;
/** Two changes within this time may have one time of change on some disks, and clocks drift. */
const GRAIN_MS = 2_000;
/** An index of fewer bytes is compared with the disk file by file in hardly more time than this takes. */
const LARGE_BYTES = 262_144;
/** So many folders are looked at whole each time; a home with more of them is looked at whole itself. */
const MOST_LOUD = 1_000;

/** Instants in milliseconds since the epoch, by the disk's clock. */
export interface SeenHome {
  version: typeof VERSION;
  run: string;
  /** When the machine was started, by the clock that the times of files follow: another one after that was set. */
  startMs: number;
  /** Every change was seen up to then. */
  seenMs: number;
  /** When every file was looked at. */
  wholeMs: number;
  /** The commit whose files the index has, and what tells that index from every other. */
  commit: string;
  index: string;
  /** The folders that hold folders, each with its inode: a folder that was put in the place of another has other files. */
  folders: Record<string, number>;
  /** Folders with files that are not recorded as they are: what is in them is looked at, and told, each time. */
  loud: string[];
}

/** The index of a repository. */
const indexOf = ({ gitDir }: Repository): string => path.join(gitDir, "index");

/** What tells an index from every other, under whatever name; null of a small one, or where there is none. @param file absolute path */
function indexSign(file: string): string | null {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined || stat.size < LARGE_BYTES ? null : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

/** Whether a home is so large that it pays to know what a record saw of it. */
export const isLarge = (repository: Repository): boolean => indexSign(indexOf(repository)) !== null;

/** Up to when changes may have been missed by what a record saw. */
export const sinceOf = ({ seenMs }: SeenHome): number => seenMs - GRAIN_MS;

/** An instant, and when the machine was started by the same clock. */
export type Instant = Pick<SeenHome, "seenMs" | "startMs">;

/** Now, by the disk's clock; null where the disk cannot be written, and so tells no time. */
export function instant(store: Store): Instant | null {
  const seenMs = diskNow(store);
  return seenMs === null ? null : { seenMs, startMs: Math.round(seenMs - os.uptime() * 1_000) };
}

/** What the last record saw; null where nothing is known that can be believed. */
export function seenHome(store: Store, repository: Repository, now: Instant): SeenHome | null {
  const index = indexSign(indexOf(repository));
  if (index === null || !leavesOutOurs(repository)) return null;
  const seen = readNote(store, NOTE, NOTE_BYTES) as SeenHome | null;
  if (seen?.version !== VERSION || seen.run !== thisRun() || seen.index !== index) return null;
  const isLate = seen.seenMs > now.seenMs || now.seenMs - seen.wholeMs > WHOLE_AFTER_MS;
  const isSet = Math.abs(now.startMs - seen.startMs) > GRAIN_MS / 2;
  return isLate || isSet || seen.folders[""] !== fs.lstatSync(absolute(store, ".")).ino ? null : seen;
}

/**
 * Keeps what a record saw. It counts once the record's own index is the repository's, and no longer.
 * @param own absolute path of that index, before it takes the other's place: by then another record may have put its own there
 */
export function keepSeen(store: Store, own: string, seen: Omit<SeenHome, "version" | "run" | "index">): void {
  const index = indexSign(own);
  const loud = [...new Set(seen.loud)];
  if (index !== null && loud.length <= MOST_LOUD)
    writeNote(store, NOTE, { version: VERSION, run: thisRun(), ...seen, index, loud } satisfies SeenHome);
}
