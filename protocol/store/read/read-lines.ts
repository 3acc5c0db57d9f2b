/** Reads a file of lines that only grows, from where its reader stopped. */
import fs from "node:fs";
import path from "node:path";
import { absolute, guard, type Store } from "../root.ts";
import { facts } from "./facts.ts";
import { READING, recordedBytes } from "./read-file.ts";
import { passOver } from "./unreadable.ts";

/** Bytes that are read of a file of lines at once. Where nothing else is said a longer line is none of ours, and counts as an empty one. */
const PIECE = 1_048_576;
/** Bytes that one call reads of it, about; the next call goes on from there. */
const PIECES = 64 * PIECE;

/**
 * Reads a file that only grows from a byte on, up to its last whole line.
 * @param longest bytes of the longest line that counts
 * @returns the lines, and the byte at which to go on; nothing new when the file is not there, or may not be read (`skipped`)
 * @throws Refusal `outside_home`; of a record FileError for a file that is too large; the errors of the disk
 */
export function readLines(store: Store, target: string, from: number, longest: number = PIECE): { lines: string[]; next: number } {
  const fact = facts(store, target);
  if (fact === null || fact.kind !== "file" || fact.size <= from) return { lines: [], next: from };
  if (store.recorded !== undefined) return wholeLines(recordedBytes(store.recorded, target), from);
  guard(store, path.posix.dirname(target));
  let descriptor: number;
  try {
    descriptor = fs.openSync(absolute(store, target), READING);
  } catch (error) {
    passOver(store, target, error);
    return { lines: [], next: from };
  }
  try {
    return linesFrom(descriptor, fact.size, from, longest);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Bytes that are read first of the end of a file. */
const END = 65_536;

/**
 * The last whole lines of a file that only grows, by its end alone; of a very large file those in its last 64 MiB.
 * @returns at most `count` lines, the oldest first, and the byte at which to go on; none when the file is not there
 * @throws as `readLines`
 */
export function lastLines(store: Store, target: string, count: number): { lines: string[]; next: number } {
  const size = facts(store, target)?.size ?? 0;
  for (let back = END; ; back *= 4) {
    const from = Math.max(0, size - Math.min(back, PIECES));
    const { lines, next } = readLines(store, target, from);
    // What is read from the middle begins within a line.
    const whole = from === 0 ? lines : lines.slice(1);
    if (from === 0 || whole.length >= count || back >= PIECES) return { lines: count === 0 ? [] : whole.slice(-count), next };
  }
}

/** The whole lines of a record's file from a byte on: such a file is read whole. */
function wholeLines(bytes: Buffer, from: number): { lines: string[]; next: number } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  return end <= from ? { lines: [], next: from } : { lines: bytes.toString("utf8", from, end - 1).split("\n"), next: end };
}

/** The whole lines of an open file that has a size, from a byte on, as `readLines` gives them. */
export function linesFrom(descriptor: number, size: number, from: number, longest: number = PIECE): { lines: string[]; next: number } {
  const lines: string[] = [];
  let piece = Buffer.alloc(Math.min(PIECE, Math.max(0, size - from)));
  let [next, isLong] = [from, false];
  for (let at = from; at < size && at - from < PIECES; at = next) {
    const read = piece.subarray(0, fs.readSync(descriptor, piece, 0, Math.min(piece.length, size - at), at));
    const end = read.lastIndexOf(0x0a) + 1;
    if (end === 0 && read.length < piece.length) break;
    if (end === 0 && piece.length < longest && at + read.length < size) {
      piece = Buffer.alloc(Math.min(longest, size - at, 8 * piece.length));
      continue;
    }
    if (end === 0 && read.length < longest) break;
    next += end === 0 ? read.length : end;
    const found = read.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    if (isLong && end > 0) found[0] = "";
    isLong = end === 0;
    for (const line of found) lines.push(line);
    if (at + read.length >= size) break;
  }
  return { lines, next };
}
