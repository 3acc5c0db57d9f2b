/**
 * Where the lines of `local/arrivals` lie, 1,024 together, and more of those long ago: their bytes, and between which times their
 * tokens are. Kept in `run/arrivals`, which is disposable: it is not believed where it is torn, or where the file is another before the
 * place that it goes up to.
 */
import { orElse } from "../../core/format/file-error.ts";
import { timeTextOf } from "../../core/format/id.ts";
import { ARRIVALS } from "../../core/home/feed.ts";
import { sha256 } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import { readPart } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { readNote, writeNote } from "../../store/sealed-note.ts";

const KEPT = "run/arrivals";
const KEPT_BYTES = 64 * 1_048_576;
/** So many bytes before a place are compared: who cuts the file, or puts another in its place, changes them. */
const TAIL_BYTES = 4_096;
const LINES = 1_024;
/** So many of the newest blocks stay as they are. */
const STAY = 16;
/** Of those before, so many become one. */
const JOINED = 8;
/** So many blocks more are worth keeping anew. */
const WORTH_KEEPING = 2;
/** So many bytes of blocks are in the memory, beside those of the last one: two that were joined, and some others. */
const READ_BYTES = 1_048_576;
const PIECE = 262_144;
/** A longer line is no id. */
const ID_LENGTH = 80;
const LINE_END = 0x0a;
/** Sorts after every time in an id. */
const NEVER = "~";

/** Lines that follow one another. Times are as in tokens, which sort as they follow. */
export interface Block {
  /** The number of its first line, from 1. */
  first: number;
  count: number;
  /** Its first byte. */
  from: number;
  bytes: number;
  earliest: string;
  latest: string;
}

/** How far the file was read, and what tells it from another. */
export interface ReadUpTo {
  inode: number;
  next: number;
  tail: string;
}

interface Order {
  /** The facts of the file when it was read. */
  sign: string;
  upTo: ReadUpTo;
  blocks: Block[];
  /** How many lines what is kept on the disk goes up to. */
  kept: number;
}

const orders = new Map<string, Order>();
const blocksRead = new Map<Block, Buffer>();
/** The bytes of all of those together. */
let readBytes = 0;

/** What the file is up to a byte; null where it does not reach so far. @throws the errors of the disk */
export function readUpTo(store: Store, next: number): ReadUpTo | null {
  const fact = facts(store, ARRIVALS);
  if (fact === null || fact.kind !== "file" || fact.size < next) return null;
  const tail = readPart(store, ARRIVALS, Math.max(0, next - TAIL_BYTES), next);
  return { inode: fact.inode, next, tail: sha256(tail) };
}

/** Every block, as the file is now. @throws Refusal `outside_home`; the errors of the disk */
export function orderOf(store: Store): readonly Block[] {
  const fact = facts(store, ARRIVALS);
  if (fact === null || fact.kind !== "file") return [];
  const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const known = orders.get(store.root);
  if (known?.sign === sign) return known.blocks;
  const before =
    known !== undefined && isStill(store, known.upTo) ? known : (keptOrder(store) ?? { blocks: [], kept: 0, upTo: { next: 0 } });
  const blocks = [...before.blocks];
  let next = before.upTo.next;
  for (let end = readOn(store, blocks, next, fact.size); end > next; end = readOn(store, blocks, next, fact.size)) next = end;
  const joined = joinOld(blocks);
  const upTo = readUpTo(store, next);
  // It was cut while it was read.
  if (upTo === null) return joined;
  const order = { sign, upTo, blocks: joined, kept: before.kept };
  orders.set(store.root, order);
  if (joined.length < before.blocks.length || linesIn(joined) - order.kept > WORTH_KEEPING * LINES) keep(store, order);
  return joined;
}

/** How many lines the blocks have. */
function linesIn(blocks: readonly Block[]): number {
  const last = blocks.at(-1);
  return last === undefined ? 0 : last.first + last.count - 1;
}

/** Joins blocks of long ago: few ask for one of their lines, and everybody reads where they are. */
function joinOld(blocks: Block[]): Block[] {
  const at = blocks.findIndex(({ count }) => count <= LINES);
  const many = Math.floor((blocks.length - at - STAY) / JOINED);
  if (at === -1 || many <= 0) return blocks;
  const old = Array.from({ length: many }, (_, nth) => joinedOf(blocks.slice(at + nth * JOINED, at + (nth + 1) * JOINED)));
  return [...blocks.slice(0, at), ...old, ...blocks.slice(at + many * JOINED)];
}

/** Blocks that follow one another as one. */
function joinedOf(blocks: readonly Block[]): Block {
  const joined = { ...(blocks[0] as Block) };
  for (const { count, bytes, earliest, latest } of blocks.slice(1)) {
    joined.count += count;
    joined.bytes += bytes;
    if (earliest < joined.earliest) joined.earliest = earliest;
    if (latest > joined.latest) joined.latest = latest;
  }
  return joined;
}

/** Whether the file is what it was, and may have grown. */
function isStill(store: Store, { inode, next, tail }: ReadUpTo): boolean {
  const now = readUpTo(store, next);
  return now?.inode === inode && now.tail === tail;
}

/** Reads a piece more, up to its last whole line. @returns the byte at which to go on */
function readOn(store: Store, blocks: Block[], next: number, size: number): number {
  if (next >= size) return next;
  let bytes = readPart(store, ARRIVALS, next, Math.min(size, next + PIECE));
  // A line that is longer than a piece is read to its end.
  for (let more = 2 * PIECE; !bytes.includes(LINE_END) && next + bytes.length < size && bytes.length > 0; more *= 2)
    bytes = readPart(store, ARRIVALS, next, Math.min(size, next + more));
  let from = 0;
  for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, from)) {
    addLine(blocks, end - from <= ID_LENGTH ? bytes.toString("latin1", from, end) : "", end + 1 - from);
    from = end + 1;
  }
  return next + from;
}

function addLine(blocks: Block[], line: string, bytes: number): void {
  const time = timeTextOf(line);
  const last = blocks.at(-1);
  if (last === undefined || last.count >= LINES) {
    const [first, from] = last === undefined ? [1, 0] : [last.first + last.count, last.from + last.bytes];
    blocks.push({ first, count: 1, from, bytes, earliest: time ?? NEVER, latest: time ?? "" });
    return;
  }
  last.count += 1;
  last.bytes += bytes;
  if (time !== null && time < last.earliest) last.earliest = time;
  if (time !== null && time > last.latest) last.latest = time;
  forgetBytes(last);
}

function forgetBytes(block: Block): void {
  readBytes -= blocksRead.get(block)?.length ?? 0;
  blocksRead.delete(block);
}

/** The lines of a block. */
export const linesOf = (store: Store, block: Block): string[] => bytesOf(store, block).toString("latin1").split("\n").slice(0, block.count);

/** Whether a block has a line. */
export const hasLine = (store: Store, block: Block, id: string): boolean => byteOf(bytesOf(store, block), id) !== -1;

/** Where the first line of an id begins; -1 where there is none. */
function byteOf(bytes: Buffer, id: string): number {
  const line = Buffer.from(`${id}\n`);
  let at = bytes.indexOf(line);
  // What only ends so is another line.
  while (at > 0 && bytes[at - 1] !== LINE_END) at = bytes.indexOf(line, at + 1);
  return at;
}

/** How many lines of a block stand before an id's first one; null where it is not there. */
export function placeIn(store: Store, block: Block, id: string): number | null {
  const bytes = bytesOf(store, block);
  const at = byteOf(bytes, id);
  if (at === -1) return null;
  let before = 0;
  for (let end = bytes.indexOf(LINE_END); end !== -1 && end < at; end = bytes.indexOf(LINE_END, end + 1)) before += 1;
  return before;
}

function bytesOf(store: Store, block: Block): Buffer {
  const known = blocksRead.get(block);
  if (known !== undefined) return known;
  const bytes = readPart(store, ARRIVALS, block.from, block.from + block.bytes);
  for (const [oldest, { length }] of blocksRead) {
    if (readBytes + bytes.length <= READ_BYTES) break;
    blocksRead.delete(oldest);
    readBytes -= length;
  }
  blocksRead.set(block, bytes);
  readBytes += bytes.length;
  return bytes;
}

/** What is kept: how far it goes, and of each block its lines, bytes and times. */
interface Kept {
  upTo: ReadUpTo;
  blocks: [count: number, bytes: number, earliest: string, latest: string][];
}

function keptOrder(store: Store): Order | null {
  return orElse(null, () => {
    const kept = readNote(store, KEPT, KEPT_BYTES) as Kept | null;
    if (kept === null || !isStill(store, kept.upTo)) return null;
    const { upTo, blocks } = kept;
    let [first, from] = [1, 0];
    const all = blocks.map(([count, bytes, earliest, latest]): Block => {
      const block = { first, count, from, bytes, earliest, latest };
      first += count;
      from += bytes;
      return block;
    });
    return { sign: "", upTo, blocks: all, kept: linesIn(all) };
  });
}

function keep(store: Store, order: Order): void {
  const blocks: Kept["blocks"] = order.blocks.map(({ count, bytes, earliest, latest }) => [count, bytes, earliest, latest]);
  // A home that cannot be written is read so all the same.
  if (writeNote(store, KEPT, { upTo: order.upTo, blocks } satisfies Kept)) order.kept = linesIn(order.blocks);
}
