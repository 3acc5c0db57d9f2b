/** Appends lines to a file that only grows. */
import fs from "node:fs";
import path from "node:path";
import { held } from "../held.ts";
import { readPlain } from "../read/plain-file.ts";
import { absolute, isLasting, type Store } from "../root.ts";
import { flushFolder, inFolder } from "./make-folder.ts";
import { place } from "./publish.ts";

/** The files that this process wrote to last, with the size that it left them at: such a one ends in a line break. */
const sizesLeft = new Map<string, string>();
const KEPT = 64;

/** Bytes of a file before a line was appended, and after. */
interface Appended {
  from: number;
  to: number;
}

/** Appends to a copy that takes the file's name: the other name may be one outside of the home. */
function appendAlone(store: Store, target: string, text: string, flush: boolean): Appended {
  place(store, target, readPlain(absolute(store, target)));
  return appendLine(store, target, text, flush);
}

/**
 * Appends one whole line, or several at once. A torn tail (a writer died in the middle) is closed by a line break first, so that of what
 * another writes afterwards nothing is lost.
 * @param text lines without the last one's end
 * @param flush whether to wait for the disk, where the home is durable at all
 */
export function appendLine(store: Store, target: string, text: string, flush: boolean): Appended {
  const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0);
  const at = absolute(store, target);
  const descriptor = inFolder(store, path.posix.dirname(target), () => held(store.root, at, (own) => fs.openSync(own, flags, 0o666)));
  try {
    const { ino, size, nlink } = fs.fstatSync(descriptor);
    if (nlink > 1) return appendAlone(store, target, text, flush);
    const isWhole = size === 0 || sizesLeft.get(at) === `${ino} ${size}` || lastByte(descriptor, size) === LINE_END;
    const whole = Buffer.from(`${isWhole ? "" : "\n"}${text}\n`);
    const written = fs.writeSync(descriptor, whole);
    if (written !== whole.length) throw Object.assign(new Error("the line was cut short"), { code: "ENOSPC" });
    keepSize(at, `${ino} ${size + written}`);
    if (flush && isLasting(store, target)) {
      fs.fsyncSync(descriptor);
      // The first line came with the file's name.
      if (size === 0) flushFolder(store, path.posix.dirname(target));
    }
    return { from: size, to: size + written };
  } finally {
    fs.closeSync(descriptor);
  }
}

const LINE_END = 0x0a;
const last = Buffer.alloc(1);
/** The last byte of a file; none of one that was cut meanwhile, which counts as whole. */
const lastByte = (descriptor: number, size: number): number | undefined =>
  fs.readSync(descriptor, last, 0, 1, size - 1) === 1 ? last[0] : LINE_END;

function keepSize(at: string, sign: string): void {
  sizesLeft.delete(at);
  sizesLeft.set(at, sign);
  if (sizesLeft.size > KEPT) sizesLeft.delete(sizesLeft.keys().next().value as string);
}
