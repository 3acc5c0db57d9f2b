/** Appends lines to a file that only grows. */
import fs from "node:fs";
import path from "node:path";
import { absolute, type Store } from "../root.ts";
import { flushFolder, inFolder } from "./make-folder.ts";

/**
 * Appends one whole line, or several at once. A torn tail (a writer died in the middle) is closed by a line break first, so that of what
 * another writes afterwards nothing is lost.
 * @param text lines without the last one's end
 * @param flush whether to wait for the disk, where the home is durable at all
 * @returns whether it is the file's first
 */
export function appendLine(store: Store, target: string, text: string, flush: boolean): boolean {
  const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0);
  const descriptor = inFolder(store, path.posix.dirname(target), () => fs.openSync(absolute(store, target), flags, 0o666));
  try {
    const { size } = fs.fstatSync(descriptor);
    const last = Buffer.alloc(1);
    const torn = size > 0 && fs.readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    const whole = Buffer.from(`${torn ? "\n" : ""}${text}\n`);
    const written = fs.writeSync(descriptor, whole);
    if (written !== whole.length) throw Object.assign(new Error("the line was cut short"), { code: "ENOSPC" });
    if (!flush || !store.durable) return size === 0;
    fs.fsyncSync(descriptor);
    // The first line came with the file's name.
    if (size === 0) flushFolder(store, path.posix.dirname(target));
    return size === 0;
  } finally {
    fs.closeSync(descriptor);
  }
}
