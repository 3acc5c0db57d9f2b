/** Reads files. Nothing here writes. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import path from "node:path";
import { FileError, readOr } from "../../core/format/file-error.ts";
import { lstatIfThere } from "../look.ts";
import { absolute, errorCode, guard, isDisbelieved, type Store } from "../root.ts";
import { facts } from "./facts.ts";
import type { Recorded } from "./recorded.ts";
import { readable } from "./unreadable.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** To read a plain file: of what lies there now, whatever it was a moment ago, no link is followed, and no pipe is waited for. */
export const READING = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file that had a size a moment ago; null where it is not there any more, or is no plain file now. A file that grows
 * while it is read is read up to one byte more than the limit, so that it fills no memory.
 * @throws the errors of the disk
 */
function bytesWithin(store: Store, target: string, size: number, limit: number): Buffer | null {
  let descriptor: number;
  try {
    descriptor = fs.openSync(absolute(store, target), READING);
  } catch (error) {
    if (["ENOENT", "ELOOP", "EISDIR", "ENXIO"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
  try {
    let bytes = Buffer.allocUnsafe(size + 1);
    let length = fs.readSync(descriptor, bytes, 0, bytes.length, null);
    if (length === size) return bytes.subarray(0, length);
    for (let read = length; read > 0 && length <= limit; length += read) {
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, limit + 1));
      read = fs.readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (["EISDIR", "EAGAIN"].includes(errorCode(error) ?? "")) return null;
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

const tooLarge = (target: string, limit: number, size: number): FileError =>
  new FileError(`expected at most ${limit} bytes, it has ${size}`, undefined, target);

/**
 * Reads a text file of the home whole; null when it is not there.
 * Size and kind are checked before a byte is read: a FIFO would block for ever, a huge file cannot be a text.
 * @param limit bytes at the most
 * @throws FileError, with the path, for a file that is too large, not plain, not UTF-8, or that may not be read; Refusal `outside_home`
 */
export function readText(store: Store, target: string, limit: number): string | null {
  if (store.recorded !== undefined) return textOfRecord(store.recorded, target, limit);
  return readWithInode(store, target, limit)?.text ?? null;
}

/** The same of a home on the disk, with the inode that the name had just before it was opened. */
export function readWithInode(store: Store, target: string, limit: number): { text: string; inode: number } | null {
  return readable(target, () => readNow(store, target, limit));
}

function readNow(store: Store, target: string, limit: number): { text: string; inode: number } | null {
  if (isDisbelieved(store, target) || !guard(store, path.posix.dirname(target))) return null;
  const stat = lstatIfThere(absolute(store, target));
  if (stat === undefined) return null;
  if (!stat.isFile()) {
    const kind = stat.isDirectory() ? "a folder" : stat.isSymbolicLink() ? "a link" : "a device or pipe";
    throw new FileError(`expected a plain file, it is ${kind}`, undefined, target);
  }
  if (stat.size > limit) throw tooLarge(target, limit, stat.size);
  const bytes = bytesWithin(store, target, stat.size, limit);
  if (bytes === null) return null;
  if (bytes.length > limit) throw tooLarge(target, limit, bytes.length);
  return { text: decoded(bytes, target), inode: stat.ino };
}

function decoded(bytes: Uint8Array, target: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new FileError("expected UTF-8 text, it has other bytes", undefined, target);
  }
}

function textOfRecord(recorded: Recorded, target: string, limit: number): string | null {
  const fact = recorded.facts(target);
  if (fact === null) return null;
  if (fact.kind === "folder") throw new FileError("expected a plain file, it is a folder", undefined, target);
  if (fact.size > limit) throw tooLarge(target, limit, fact.size);
  return decoded(recorded.bytes(target, limit) ?? Buffer.alloc(0), target);
}

/** One buffer for all large files that are read to be looked through: a fresh one for each would swell the process. */
let shared = Buffer.alloc(0);

/**
 * As `readText`, for a file that was listed just now as plain and of a size: where every file of a home is read, half of
 * the calls are spared. One that changed since is read as `readText` does.
 * @param limit bytes at the most
 * @throws FileError, Refusal `outside_home`, the errors of the disk
 */
export function readListed(store: Store, target: string, size: number, limit: number): string | null {
  if (size > limit) throw tooLarge(target, limit, size);
  if (store.recorded !== undefined) return readText(store, target, limit);
  readable(target, () => guard(store, path.posix.dirname(target)));
  if (shared.length <= size) shared = Buffer.allocUnsafeSlow(size + 65_536);
  let length = -1;
  try {
    const descriptor = fs.openSync(absolute(store, target), READING);
    try {
      length = fs.readSync(descriptor, shared, 0, size + 1, 0);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (!["ENOENT", "ELOOP", "EISDIR", "EACCES", "EPERM", "EIO"].includes(errorCode(error) ?? "")) throw error;
  }
  return length === size ? decoded(shared.subarray(0, size), target) : readText(store, target, limit);
}

/** The bytes of a plain file of the home within a limit; null of anything else. @throws Refusal `outside_home`; the errors of the disk */
export function bytesAt(store: Store, target: string, limit: number): Buffer | null {
  const fact = facts(store, target);
  if (fact === null || fact.kind !== "file" || fact.size > limit) return null;
  if (store.recorded !== undefined) return store.recorded.bytes(target, limit);
  guard(store, path.posix.dirname(target));
  const bytes = readOr(null, () => readable(target, () => bytesWithin(store, target, fact.size, limit)));
  return bytes === null || bytes.length > limit ? null : bytes;
}

/**
 * The bytes of a disposable file; null when it cannot be read, whatever the reason. They hold only until the next call.
 * @param limit bytes at the most: a file may state a size that nobody wrote
 */
export function readBytes(store: Store, target: string, limit: number): Buffer | null {
  try {
    const fact = facts(store, target);
    if (fact === null || fact.kind !== "file" || fact.size > limit) return null;
    if (store.recorded !== undefined) return store.recorded.bytes(target, limit);
    guard(store, path.posix.dirname(target));
    if (shared.length < fact.size) shared = Buffer.allocUnsafeSlow(fact.size);
    const descriptor = fs.openSync(absolute(store, target), READING);
    try {
      return shared.subarray(0, fs.readSync(descriptor, shared, 0, fact.size, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** No file of a home has more bytes, and a file of a record is read whole. */
const MOST_RECORDED = 268_435_456;

/** The bytes of a file of a record; none where it is not there. @throws FileError where it is larger than a file of a home may be */
export function recordedBytes(recorded: Recorded, target: string): Buffer {
  const bytes = recorded.bytes(target, MOST_RECORDED);
  const fact = bytes === null ? recorded.facts(target) : null;
  if (fact?.kind === "file") throw tooLarge(target, MOST_RECORDED, fact.size);
  return bytes ?? Buffer.alloc(0);
}

/** Reads parts of one file, as `readPart`; of a record the file is read once. */
export function partsOf(store: Store, target: string): (from: number, to: number) => Buffer {
  if (store.recorded === undefined) return (from, to) => readPart(store, target, from, to);
  const bytes = recordedBytes(store.recorded, target);
  return (from, to) => bytes.subarray(from, to);
}

/**
 * Some bytes of a file that only grows, or fewer.
 * @throws Refusal `outside_home`; of a record FileError, as `recordedBytes`; the errors of the disk
 */
export function readPart(store: Store, target: string, from: number, to: number): Buffer {
  if (store.recorded !== undefined) return recordedBytes(store.recorded, target).subarray(from, to);
  guard(store, path.posix.dirname(target));
  const descriptor = readable(target, () => fs.openSync(absolute(store, target), READING));
  const bytes = Buffer.allocUnsafe(to - from);
  try {
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, from));
  } finally {
    fs.closeSync(descriptor);
  }
}
