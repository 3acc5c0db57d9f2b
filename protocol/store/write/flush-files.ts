/** Flushing many files at once, that were published without it. */
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { absolute, errorCode, type Store } from "../root.ts";

/** Flushed at once: the disk joins what waits together. */
const FLUSHED_AT_ONCE = 64;

const flush = promisify(fs.fsync);

/** Flushes files that were published without it, and their folders. */
export async function flushFiles(store: Store, files: readonly string[], folders: readonly string[]): Promise<void> {
  if (!store.durable) return;
  const all = new Set<string>(files);
  for (const folder of folders) for (let at = folder; !all.has(at); at = path.posix.dirname(at)) all.add(at);
  const waiting = [...all];
  while (waiting.length > 0) await Promise.all(waiting.splice(0, FLUSHED_AT_ONCE).map((name) => flushName(absolute(store, name))));
}

/** Flushes while this thread does other work. Opening and closing wait for no disk. */
async function flushName(at: string): Promise<void> {
  try {
    const descriptor = fs.openSync(at, "r");
    await flush(descriptor).finally(() => fs.closeSync(descriptor));
  } catch (error) {
    // What was removed since has nothing to flush but the folder that it lay in.
    if (!["ENOENT", "EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(errorCode(error) ?? "")) throw error;
  }
}
