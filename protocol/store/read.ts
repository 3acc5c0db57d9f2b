/** Reads the disk. Nothing here writes. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import path from "node:path";
import { FileError } from "../objects/format/file-error.ts";
import { Refusal } from "../refusal.ts";
import { absolute, errorCode, guard, isDisbelieved, type Store } from "./root.ts";

/** Whether a name is there, whatever it names; a dangling link counts. */
export const exists = (store: Store, target: string): boolean =>
  !isDisbelieved(store, target) && fs.lstatSync(absolute(store, target), { throwIfNoEntry: false }) !== undefined;

/** What a file is, without reading it; null when it is not there. `modifiedMs` is the time of the last change. */
export interface FileFacts {
  kind: "file" | "folder" | "link" | "other";
  size: number;
  inode: number;
  modifiedMs: number;
}

/** Asks for a name without following a link. */
export function facts(store: Store, target: string): FileFacts | null {
  const stat = isDisbelieved(store, target) ? undefined : fs.lstatSync(absolute(store, target), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "other";
  return { kind, size: stat.size, inode: stat.ino, modifiedMs: stat.mtimeMs };
}

/** For how long a file's content has stood, in milliseconds, by the system's clock; null where it is not there. `disk-clock.ts` says when. */
export function ageMs(store: Store, target: string): number | null {
  const fact = facts(store, target);
  return fact === null ? null : Date.now() - fact.modifiedMs;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** To read a plain file: of what lies there now, whatever it was a moment ago, no link is followed, and no pipe is waited for. */
const READING = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

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
 * @throws FileError, with the path, for a file that is too large, not plain, or not UTF-8; Refusal `outside_home`
 */
export function readText(store: Store, target: string, limit: number): string | null {
  if (isDisbelieved(store, target)) return null;
  guard(store, path.posix.dirname(target));
  const stat = fs.lstatSync(absolute(store, target), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile()) {
    const kind = stat.isDirectory() ? "a folder" : stat.isSymbolicLink() ? "a link" : "a device or pipe";
    throw new FileError(`expected a plain file, it is ${kind}`, undefined, target);
  }
  if (stat.size > limit) throw tooLarge(target, limit, stat.size);
  const bytes = bytesWithin(store, target, stat.size, limit);
  if (bytes === null) return null;
  if (bytes.length > limit) throw tooLarge(target, limit, bytes.length);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new FileError("expected UTF-8 text, it has other bytes", undefined, target);
  }
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
  guard(store, path.posix.dirname(target));
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
    if (!["ENOENT", "ELOOP", "EISDIR"].includes(errorCode(error) ?? "")) throw error;
  }
  if (length !== size) return readText(store, target, limit);
  try {
    return decoder.decode(shared.subarray(0, size));
  } catch {
    throw new FileError("expected UTF-8 text, it has other bytes", undefined, target);
  }
}

/** The bytes of a plain file of the home within a limit; null of anything else. @throws Refusal `outside_home`; the errors of the disk */
export function bytesAt(store: Store, target: string, limit: number): Buffer | null {
  const fact = facts(store, target);
  if (fact === null || fact.kind !== "file" || fact.size > limit) return null;
  guard(store, path.posix.dirname(target));
  const bytes = bytesWithin(store, target, fact.size, limit);
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
    guard(store, path.posix.dirname(target));
    if (shared.length < fact.size) shared = Buffer.allocUnsafeSlow(fact.size);
    const descriptor = fs.openSync(absolute(store, target), "r");
    try {
      return shared.subarray(0, fs.readSync(descriptor, shared, 0, fact.size, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** Some bytes of a file that only grows, or fewer. @throws Refusal `outside_home`; the errors of the disk */
export function readPart(store: Store, target: string, from: number, to: number): Buffer {
  guard(store, path.posix.dirname(target));
  const descriptor = fs.openSync(absolute(store, target), READING);
  const bytes = Buffer.allocUnsafe(to - from);
  try {
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, from));
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Bytes that are read of a file of lines at once: a longer line is none of ours, and counts as an empty one. */
const PIECE = 1_048_576;
/** Bytes that one call reads of it, about; the next call goes on from there. */
const PIECES = 64 * PIECE;

/**
 * Reads a file that only grows from a byte on, up to its last whole line.
 * @returns the lines, and the byte at which to go on; nothing new when the file is not there
 * @throws Refusal `outside_home`; the errors of the disk
 */
export function readLines(store: Store, target: string, from: number): { lines: string[]; next: number } {
  const fact = facts(store, target);
  if (fact === null || fact.kind !== "file" || fact.size <= from) return { lines: [], next: from };
  guard(store, path.posix.dirname(target));
  const descriptor = fs.openSync(absolute(store, target), READING);
  try {
    return linesFrom(descriptor, fact.size, from);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The whole lines of an open file that has a size, from a byte on, as `readLines` gives them. */
export function linesFrom(descriptor: number, size: number, from: number): { lines: string[]; next: number } {
  const lines: string[] = [];
  const piece = Buffer.alloc(Math.min(PIECE, Math.max(0, size - from)));
  let [next, isLong] = [from, false];
  for (let at = from; at < size && at - from < PIECES; at = next) {
    const read = piece.subarray(0, fs.readSync(descriptor, piece, 0, Math.min(piece.length, size - at), at));
    const end = read.lastIndexOf(0x0a) + 1;
    if (end === 0 && read.length < PIECE) break;
    next += end === 0 ? read.length : end;
    const found = read.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    if (isLong && end > 0) found[0] = "";
    isLong = end === 0;
    for (const line of found) lines.push(line);
    if (at + read.length >= size) break;
  }
  return { lines, next };
}

/** Whether a folder may be listed; one that leads out of the home is passed over and noted, so that the others are served. */
function mayList(store: Store, folder: string): boolean {
  if (isDisbelieved(store, folder)) return false;
  try {
    guard(store, folder);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    store.skipped.add(folder);
    return false;
  }
}

/** Whether a folder is not there. Of each part many are asked for that most never have, and an error costs more than a look. */
const isAbsent = (store: Store, folder: string): boolean =>
  !store.checked.has(folder) && fs.lstatSync(absolute(store, folder), { throwIfNoEntry: false }) === undefined;

/** The names in a folder, in no order; none when it is not there, or leads out of the home (`skipped`). */
export function names(store: Store, folder: string): string[] {
  if (!mayList(store, folder)) return [];
  try {
    return isAbsent(store, folder) ? [] : fs.readdirSync(absolute(store, folder));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

/** The names in a folder with whether each is a folder itself; links count as neither. None as `names` says. */
export function entries(store: Store, folder: string): { name: string; kind: FileFacts["kind"] }[] {
  if (!mayList(store, folder)) return [];
  try {
    if (isAbsent(store, folder)) return [];
    return fs.readdirSync(absolute(store, folder), { withFileTypes: true }).map((entry) => {
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
      // A real folder inside of one that was checked leads nowhere else.
      if (kind === "folder") store.checked.add(`${folder}/${entry.name}`);
      return { name: entry.name, kind };
    });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}
