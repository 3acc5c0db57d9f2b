/** Reads a file of calls line by line, with the place of each line, so that one line can be read again. spec/usage.md, "Lines". */

import { partsOf } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { inMonth, readUsage, type UsageLine } from "../nouns/usage-line.ts";

/** A line: its first byte, and the call, or what is wrong with it. */
export interface PlacedLine {
  from: number;
  call: UsageLine | string;
}

const PIECE = 4_194_304;
/** A longer line is no call. */
const LINE_BYTES = 65_536;
const END = 0x0a;

/**
 * The whole lines of a file from a byte on; empty ones are passed over.
 * @param size bytes of the file
 * @param done told how many lines were read, and the byte at which to go on
 * @throws Refusal `outside_home`; of a record FileError for a file that is too large; the errors of the disk
 */
export function* callsIn(
  store: Store,
  path: string,
  from: number,
  size: number,
  done: (lines: number, next: number) => void,
): Generator<PlacedLine> {
  let [at, lines, isLong] = [from, 0, false];
  const [month, read] = [monthIn(path), partsOf(store, path)];
  while (at < size) {
    const bytes = read(at, Math.min(size, at + PIECE));
    let start = 0;
    for (let end = bytes.indexOf(END); end !== -1; end = bytes.indexOf(END, start)) {
      lines += 1;
      if (isLong || end - start > LINE_BYTES) yield { from: at + start, call: "the line is longer than a call's may be" };
      else if (end > start) yield { from: at + start, call: inMonth(readUsage(bytes.toString("utf8", start, end)), month) };
      isLong = false;
      start = end + 1;
      done(lines, at + start);
    }
    if (start === 0) {
      // The rest of a line that is no call; the end of the file may still be being written.
      if (bytes.length < PIECE) return;
      isLong = true;
      start = bytes.length;
    }
    at += start;
  }
}

/** The month that a file of calls is of, as its folder or its name says. */
export const monthIn = (path: string): string | null => /\/(\d{4}-\d\d)(?:\/[^/]+)?\.jsonl$/.exec(path)?.[1] ?? null;

/**
 * Some lines of a file again. It is read a piece at a time, once from the first of them to the last, however many there are.
 * @param froms the first bytes of the lines, in any order
 * @returns of each line its first byte and its text, in the order of the file; those alone that are as long as a call's may be
 * @throws as `callsIn`
 */
export function* textsAt(store: Store, path: string, froms: Iterable<number>): Generator<[from: number, text: string]> {
  const read = partsOf(store, path);
  let [piece, first, bytes]: [Buffer, number, number] = [Buffer.alloc(0), 0, LINE_BYTES + 1];
  for (const from of Float64Array.from(froms).sort()) {
    let end = from < first + piece.length ? piece.indexOf(END, from - first) : -1;
    if (end === -1) {
      [piece, first] = [read(from, from + bytes), from];
      bytes = Math.min(PIECE, 2 * bytes);
      end = piece.indexOf(END);
    }
    if (end !== -1 && end - (from - first) <= LINE_BYTES) yield [from, piece.toString("utf8", from - first, end)];
  }
}

/** The calls of some lines again. @param froms the first bytes of the lines @throws as `callsIn` */
export function* callsAt(store: Store, path: string, froms: Iterable<number>): Generator<{ from: number; call: UsageLine }> {
  for (const [from, text] of textsAt(store, path, froms)) {
    const call = readUsage(text);
    if (typeof call !== "string") yield { from, call };
  }
}

/**
 * A number for an id, of 53 bits. Two ids may have the same one, so whoever finds it again compares the ids.
 */
export function idHash(id: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
