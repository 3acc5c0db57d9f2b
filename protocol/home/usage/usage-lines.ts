/** Reads a file of calls line by line, with the place of each line, so that one line can be read again. spec/usage.md, "Lines". */
import { inMonth, readUsage, type UsageLine } from "../../objects/usage/usage-line.ts";
import { partsOf } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";

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
 * @throws Refusal `outside_home`; the errors of the disk
 */
export function* linesOf(
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

/** One line again, by its first byte; null where no call begins there. @param read of `partsOf` @throws as `read` */
export function lineAt(read: (from: number, to: number) => Buffer, from: number): UsageLine | null {
  const bytes = read(from, from + LINE_BYTES + 1);
  const end = bytes.indexOf(END);
  const call = end === -1 ? null : readUsage(bytes.toString("utf8", 0, end));
  return typeof call === "string" ? null : call;
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
