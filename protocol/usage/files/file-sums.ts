/**
 * The sums of one file of calls, kept in `run/usage`: a file that did not change is not read again, and one that grew is read on. What
 * is kept is disposable: it is made anew where it is torn, of another version, or says something of another file. spec/usage.md, "Tables".
 */
import { orElse, quietly } from "../../core/format/file-error.ts";
import { sha256 } from "../../store/digest.ts";
import { type FileFacts, facts } from "../../store/read/facts.ts";
import { bytesAt, partsOf } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import { type Tariff, UsageCells } from "../nouns/usage-cells.ts";
import { joinUsage, type UsageLine } from "../nouns/usage-line.ts";
import { callsAt, callsIn, idHash } from "./usage-lines.ts";

/** A line that nobody can read. */
export interface BrokenLine {
  line: number;
  problem: string;
}

/** What a file of calls adds up to. */
export interface FileSums {
  path: string;
  /** Tells this content of the file from every other. */
  sign: string;
  cells: UsageCells;
  /** The first of its broken lines. */
  broken: readonly BrokenLine[];
  /** How many of its first bytes are in the sums; the rest is read the next time. */
  bytes: number;
  /** The numbers of the ids of all its lines, each followed by the first byte of its line. Read when it is asked for. */
  places(): Float64Array;
}

/** How much may be read: so many bytes, and a file no further than to the piece with which it has more cells. */
export interface Left {
  bytes: number;
  cells: number;
}

/** What is kept beside the cells. */
interface Head {
  version: number;
  tariff: string;
  inode: number;
  size: number;
  modifiedMs: number;
  /** How far the file was read, how many lines that was, and a digest of what stands before that place. */
  next: number;
  lines: number;
  before: string;
  broken: BrokenLine[];
  /** Digests of the cells and of the places. */
  cells: string;
  places: string;
}

const VERSION = 4;
/** So many bytes are read at a time: with lines that all differ, more ways than a file of another clone may have. */
const PIECE = 10 * 1_048_576;
const KEPT_BYTES = 128 * 1_048_576;
/** So many bytes at the beginning, and before the place where a reading ended, say that a file only grew. */
const SAME_BYTES = 4_096;
/** So many broken lines of a file are named. */
const NAMED = 20;
/** After so many lines a person is told that the reading goes on. */
const TOLD_AFTER = 20_000;
/** So many lines of one id in a file count; an agent's record is read again for a call a few times, and never so often. */
const SAME_LINES = 100;
const REPEATED = `the file has ${SAME_LINES} lines of the same id before this one`;

const keptPath = (path: string, what: "sums" | "places"): string => `run/usage/${path.replaceAll("/", ".")}.${what}`;

/**
 * The sums of a file, as it is now.
 * @param path of a file of calls, in the home
 * @param progress told from time to time how many lines were read
 * @param left how much may be read; the bytes that were read of this file are taken off
 * @returns null where there is no such file
 * @throws Refusal `outside_home`; of a record FileError for a file that is too large; the errors of the disk
 */
export function fileSums(
  store: Store,
  path: string,
  tariff: Tariff,
  progress?: (lines: number) => void,
  left: Left = { bytes: Number.POSITIVE_INFINITY, cells: Number.POSITIVE_INFINITY },
): FileSums | null {
  const fact = facts(store, path);
  if (fact === null || fact.kind !== "file") return null;
  const kept = readKept(store, path, tariff);
  const isSame =
    kept !== null && kept.head.inode === fact.inode && kept.head.size === fact.size && kept.head.modifiedMs === fact.modifiedMs;
  if (isSame)
    return {
      ...sumsOf(path, kept.head),
      cells: kept.cells,
      places: () => readPlaces(store, path, kept.head) ?? readOn(store, path, fact, tariff, null, progress).places,
    };
  const places = kept !== null && isGrown(store, path, kept.head, fact) ? readPlaces(store, path, kept.head) : null;
  const before = kept === null || places === null ? null : { ...kept, places };
  const read = readPieces(store, path, fact, tariff, before, progress, left);
  if (read !== before) keep(store, path, read);
  return { ...sumsOf(path, read.head), cells: read.cells, places: () => read.places };
}

const sumsOf = (path: string, { broken, inode, size, modifiedMs }: Head): Pick<FileSums, "path" | "sign" | "broken" | "bytes"> => ({
  path,
  broken,
  bytes: size,
  sign: `${path} ${inode} ${size} ${modifiedMs}`,
});

interface Kept {
  head: Head;
  cells: UsageCells;
  places: Float64Array;
}

/**
 * Reads a file a piece at a time, for what is known of the lines of a piece takes memory. A file of which a part is read is kept as one
 * that ended there: it has grown when it is read the next time.
 */
function readPieces(
  store: Store,
  path: string,
  fact: FileFacts,
  tariff: Tariff,
  before: Kept | null,
  progress: ((lines: number) => void) | undefined,
  left: Left,
): Kept {
  let [read, piece] = [before, PIECE];
  do {
    const first: number = read?.head.next ?? 0;
    const size = Math.min(fact.size, first + piece, first + left.bytes);
    if (read !== null && (size === first || read.cells.size > left.cells)) break;
    read = readOn(store, path, { ...fact, size }, tariff, read, progress);
    left.bytes -= size - first;
    // A line may be longer than a piece.
    piece = read.head.next === first ? 2 * piece : PIECE;
  } while (read.head.size < fact.size);
  return read;
}

/** Reads a file to its end: from where it was read before, or from its beginning. */
function readOn(
  store: Store,
  path: string,
  fact: FileFacts,
  tariff: Tariff,
  before: Kept | null,
  progress: ((lines: number) => void) | undefined,
): Kept {
  const cells = before?.cells ?? new UsageCells();
  const broken = [...(before?.head.broken ?? [])];
  const [first, firstLine] = [before?.head.next ?? 0, before?.head.lines ?? 0];
  let [next, lines] = [first, firstLine];
  const earlier = before === null ? new Map<number, number[]>() : placesOf(before.places, numbersIn(store, path, first, fact.size));
  const fresh = new Map<string, { call: UsageLine | null; lines: number }>();
  const added: number[] = [];
  const done = (count: number, at: number): void => {
    [lines, next] = [firstLine + count, at];
    if (lines % TOLD_AFTER === 0) progress?.(lines);
  };
  for (const { from, call } of callsIn(store, path, first, fact.size, done)) {
    const number = typeof call === "string" ? 0 : idHash(call.id);
    const known = typeof call === "string" ? null : (fresh.get(call.id) ?? { call: null, lines: earlier.get(number)?.length ?? 0 });
    if (typeof call === "string" || known === null || known.lines === SAME_LINES) {
      // The line itself is counted once its end was read.
      if (broken.length < NAMED) broken.push({ line: lines + 1, problem: typeof call === "string" ? call : REPEATED });
      continue;
    }
    fresh.set(call.id, { call: joined(known.call, call), lines: known.lines + 1 });
    added.push(number, from);
  }
  const old = new Map<string, UsageLine>();
  if (earlier.size > 0)
    for (const { call } of callsAt(store, path, [...earlier.values()].flat())) old.set(call.id, joined(old.get(call.id), call));
  for (const [id, { call }] of fresh) {
    if (call === null) continue;
    const known = old.get(id);
    if (known !== undefined) cells.add(known, tariff, -1);
    cells.add(joined(known, call), tariff);
  }
  const places = new Float64Array((before?.places.length ?? 0) + added.length);
  if (before !== null) places.set(before.places);
  places.set(added, before?.places.length ?? 0);
  const { inode, size, modifiedMs } = fact;
  const head = { version: VERSION, tariff: tariff.sign, inode, size, modifiedMs, next, lines, before: windowOf(store, path, next), broken };
  return { head: { ...head, cells: "", places: "" }, cells, places };
}

/** The numbers of the ids of the lines from a byte on. */
function numbersIn(store: Store, path: string, first: number, size: number): Set<number> {
  const numbers = new Set<number>();
  for (const { call } of callsIn(store, path, first, size, () => {})) if (typeof call !== "string") numbers.add(idHash(call.id));
  return numbers;
}

/** The places of some ids. @param wanted the numbers of the ids */
function placesOf(places: Float64Array, wanted: ReadonlySet<number>): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let at = 0; at < places.length; at += 2) {
    const number = places[at] as number;
    if (!wanted.has(number)) continue;
    const known = found.get(number);
    if (known === undefined) found.set(number, [places[at + 1] as number]);
    else known.push(places[at + 1] as number);
  }
  return found;
}

/** A call with one more of its lines. */
const joined = (known: UsageLine | null | undefined, line: UsageLine): UsageLine => (known == null ? line : joinUsage(known, line));

/** A digest of the beginning of a file, and of what stands before a place in it. */
function windowOf(store: Store, path: string, end: number): string {
  const length = Math.min(SAME_BYTES, end);
  const read = partsOf(store, path);
  return sha256(Buffer.concat([read(0, length), read(end - length, end)]));
}

const isGrown = (store: Store, path: string, { size, next, before }: Head, fact: FileFacts): boolean =>
  fact.size > size && windowOf(store, path, next) === before;

function keep(store: Store, path: string, { head, cells, places }: Kept): void {
  const bytes = new Uint8Array(places.buffer, places.byteOffset, places.byteLength);
  const kept = cells.toBytes();
  const said: Head = { ...head, cells: sha256(kept), places: sha256(bytes) };
  // A home that cannot be written is read whole each time.
  quietly(() => {
    place(store, keptPath(path, "places"), bytes);
    place(store, keptPath(path, "sums"), Buffer.concat([Buffer.from(`${JSON.stringify(said)}\n`), kept]));
  });
}

function readKept(store: Store, path: string, tariff: Tariff): Omit<Kept, "places"> | null {
  return orElse(null, () => {
    const bytes = bytesAt(store, keptPath(path, "sums"), KEPT_BYTES);
    if (bytes === null) return null;
    const end = bytes.indexOf("\n");
    const head = JSON.parse(bytes.toString("utf8", 0, end)) as Head;
    if (head.version !== VERSION || head.tariff !== tariff.sign || head.cells !== sha256(bytes.subarray(end + 1))) return null;
    const isHead =
      [head.next, head.lines, head.size].every((each) => Number.isSafeInteger(each) && each >= 0) && Array.isArray(head.broken);
    const cells = isHead ? UsageCells.fromBytes(bytes.subarray(end + 1)) : null;
    return cells === null ? null : { head, cells };
  });
}

function readPlaces(store: Store, path: string, { places, size }: Head): Float64Array | null {
  return orElse(null, () => {
    const bytes = bytesAt(store, keptPath(path, "places"), KEPT_BYTES);
    if (bytes === null || bytes.length % 16 !== 0 || sha256(bytes) !== places) return null;
    const found = new Float64Array(bytes.length / 8);
    new Uint8Array(found.buffer).set(bytes);
    return found.every((value, at) => at % 2 === 0 || (value >= 0 && value < size)) ? found : null;
  });
}
