/**
 * Watching folders; the only file that knows chokidar.
 *
 * An event is a hint: watchers lose files, and go deaf for ever when the folder is made again. So the doorbell says
 * "check", many rings lead to one check, and every beat leads to one, with a ring or without. spec/waking.md, "Watching".
 */
import fs from "node:fs";
import type { FSWatcher } from "chokidar";
import { orElse } from "../core/format/file-error.ts";
import { errorCode } from "./root.ts";

/**
 * Absolute paths of folders that are watched. A caller whose check asks for each anyway gives with each its inode, undefined for one that is
 * missing, and gives them again (`rearm`) after every check: then nothing more is asked of the disk.
 */
type Folders = readonly string[] | ReadonlyMap<string, number | undefined>;

/** A running watch. */
export interface Watch {
  /** Watches these folders and no others; those that were made again since are armed anew. */
  rearm(folders: Folders): void;
  /** Asks for a check now. */
  ring(): void;
  close(): Promise<void>;
}

/** How often a check is made without a ring. */
export const BEAT_MS = 1_000;
/** The library needs a moment before it hears a folder: the folder is checked again after so long. */
const DEAF_MS = 100;

/**
 * Calls `check` when a folder changes, and at least once a beat. Checks never overlap; rings during a check make one more.
 * @param folders those that are missing are armed when they appear
 * @param check asks the disk; where it fails it is called again at the next beat
 * @param deaf told the system's error code (`ENOSPC`, `EMFILE`: no more watches) when only the beat is left, and null when
 *   all folders are watched again
 */
export async function watchFolders(
  folders: Folders,
  check: () => void | Promise<void>,
  beatMs: number = BEAT_MS,
  deaf: (code: string | null) => void = () => {},
): Promise<Watch> {
  const armed = new Map<string, number>();
  let inodes: ReadonlyMap<string, number | undefined> | null = isNames(folders) ? null : folders;
  let wanted: { has(folder: string): boolean; keys(): Iterable<string>; size: number } = isNames(folders) ? new Set(folders) : folders;
  let closed = false;
  let checking = false;
  let rung = false;
  let fault: string | null = null;
  let doorbell: FSWatcher | null = null;

  const ring = (): void => {
    rung = true;
    if (checking || closed) return;
    checking = true;
    setImmediate(() => void checkAll());
  };
  // The system hands over all it has to tell before anything else goes on. A check between two hints would take so long that the next hints
  // are there by then, and no timer of the process would ever ring.
  const checkAll = async (): Promise<void> => {
    while (rung && !closed) {
      rung = false;
      try {
        if (inodes === null) arm();
        await check();
      } catch {
        // What fails now (a folder is being moved, or may not be read) is checked again at the next beat.
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    checking = false;
  };
  const arm = (): void => {
    let now: string | null = null;
    let isNew = false;
    for (const folder of armed.keys()) {
      if (wanted.has(folder)) continue;
      doorbell?.unwatch(folder);
      armed.delete(folder);
    }
    for (const folder of wanted.keys()) {
      const inode = inodes === null ? inodeOf(folder) : inodes.get(folder);
      if (inode === armed.get(folder)) continue;
      if (armed.has(folder)) doorbell?.unwatch(folder);
      armed.delete(folder);
      if (inode === undefined) continue;
      now ??= refusalOf(folder);
      // Out of watches the library is silent and blind, so it is not even asked; the beat finds everything, later.
      if (now !== null) continue;
      doorbell?.add(folder);
      armed.set(folder, inode);
      isNew = true;
    }
    if (isNew) setTimeout(ring, DEAF_MS).unref();
    if (now !== fault) deaf(now);
    fault = now;
  };

  try {
    const { watch } = await import("chokidar");
    // Only the folders themselves are watched: a watcher for each file would cost with every unread message.
    doorbell = watch([], { depth: 0, ignoreInitial: true, persistent: true, ignored: (at) => !wanted.has(at) });
    doorbell.on("raw", ring);
    doorbell.on("error", () => {
      // Out of watches: the beat finds everything, later.
    });
  } catch {
    doorbell = null;
  }
  // Set before the caller hears that only the beat is left.
  const beat = setInterval(ring, beatMs);
  arm();
  return {
    rearm(next) {
      // The same folders are armed before each check.
      if (isNames(next) && next.length === wanted.size && next.every((folder) => wanted.has(folder))) return;
      inodes = isNames(next) ? null : next;
      wanted = isNames(next) ? new Set(next) : next;
      arm();
    },
    ring,
    async close() {
      closed = true;
      clearInterval(beat);
      // The library forgets the timers of what it is reading, and each would keep the process alive for a second.
      for (const reading of doorbell?._throttled.values() ?? []) for (const { clear } of [...reading.values()]) clear();
      await doorbell?.close();
    },
  };
}

const isNames = (folders: Folders): folders is readonly string[] => Array.isArray(folders);

/** Which folder is there now; undefined where none is that can be read. */
const inodeOf = (folder: string): number | undefined => orElse(undefined, () => fs.statSync(folder, { throwIfNoEntry: false })?.ino);

/** Why the system gives no watch for a folder: the code of its error; null when it gives one. */
function refusalOf(folder: string): string | null {
  try {
    fs.watch(folder, () => {}).close();
    return null;
  } catch (error) {
    return errorCode(error) ?? "unknown";
  }
}
