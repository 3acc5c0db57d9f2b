/**
 * Calls that stand in several files, or in this clone's own files otherwise than it collected them: each counts once, by one line. What
 * a clone collected itself stands, so that no push can raise it; of others' lines the larger counts. Kept in `run/usage` with what the
 * files were. spec/usage.md, "Lines".
 */

import { TOKEN_FIELDS } from "../../agents/hosts/model-call.ts";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { sha256 } from "../../store/digest.ts";
import { bytesAt, readPart } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import { type Tariff, UsageCells } from "../nouns/usage-cells.ts";
import { joinUsage, type UsageLine } from "../nouns/usage-line.ts";
import type { BrokenLine, FileSums } from "./file-sums.ts";
import { placesToCompare, readCalls } from "./shared-places.ts";
import { monthIn } from "./usage-lines.ts";

/** A line that does not count as it stands. */
export type NamedLine = BrokenLine & { path: string };

/** What is to be added to the sums of all files, so that each call counts once. */
export interface SharedCalls {
  cells: UsageCells;
  /** Lines whose counts are other than those that stand. */
  told: NamedLine[];
  /** Paths of files with too many lines to compare: what they have does not count. */
  passed: string[];
}

/** What is of this clone. */
export interface OwnFiles {
  /** The ending of the paths of its files; null where it has none. */
  ending: string | null;
  /** What it collected, as no sync can change it. */
  spent: readonly FileSums[];
}

/** Of what is kept. */
const VERSION = "3";
const KEPT = "run/usage/shared";
const KEPT_BYTES = 128 * 1_048_576;
const END = 0x0a;
/** So many lines are told. */
const TOLD = 20;
/** So many calls are read and compared at once. */
const AT_ONCE = 16_384;

/**
 * Compares the lines of calls that stand in several files.
 * @param files of which those come first that count first where not all can be compared
 * @param own what of the files is this clone's
 */
export function sharedCalls(store: Store, files: readonly FileSums[], tariff: Tariff, own: OwnFiles): SharedCalls {
  if (files.length === 0 || (files.length < 2 && own.spent.length === 0)) return { cells: new UsageCells(), told: [], passed: [] };
  const sign = sha256([VERSION, tariff.sign, own.ending ?? "", ...[...files, ...own.spent].map((file) => file.sign)].join("\n"));
  const before = readKept(store, sign);
  if (before !== null) return before;
  const found = findShared(store, files, tariff, own);
  const kept = Buffer.concat([Buffer.from(`${JSON.stringify([found.told, found.passed])}\n`), found.cells.toBytes()]);
  // A home that cannot be written is compared each time.
  quietly(() => place(store, KEPT, Buffer.concat([Buffer.from(`${sign} ${sha256(kept)}\n`), kept])));
  return found;
}

function readKept(store: Store, sign: string): SharedCalls | null {
  return orElse(null, () => {
    const bytes = bytesAt(store, KEPT, KEPT_BYTES);
    if (bytes === null) return null;
    const kept = bytes.subarray(bytes.indexOf(END) + 1);
    if (!bytes.subarray(0, -kept.length).equals(Buffer.from(`${sign} ${sha256(kept)}\n`))) return null;
    const cells = UsageCells.fromBytes(kept.subarray(kept.indexOf(END) + 1));
    const [told, passed] = JSON.parse(kept.toString("utf8", 0, kept.indexOf(END))) as [NamedLine[], string[]];
    return cells === null ? null : { cells, told, passed };
  });
}

function findShared(store: Store, files: readonly FileSums[], tariff: Tariff, { ending, spent }: OwnFiles): SharedCalls {
  const cells = new UsageCells();
  const told: NamedLine[] = [];
  const isOwn = ({ path }: FileSums): boolean => ending !== null && path.endsWith(ending);
  const months = new Set(spent.map(({ path }) => monthIn(path)));
  const tell = ({ path }: FileSums, from: number, problem: string): void => {
    if (told.length < TOLD) told.push({ path, line: lineNumber(store, path, from), problem });
  };
  const { places, passed } = placesToCompare(store, files, spent, isOwn);
  for (let at = 0; at < places.length; at += AT_ONCE) {
    for (const inFiles of readCalls(store, places.slice(at, at + AT_ONCE)).values()) {
      const counted = [...inFiles].filter(([file]) => !spent.includes(file));
      const collected = [...inFiles].filter(([file]) => spent.includes(file));
      const ours = (collected.length > 0 ? collected : counted.filter(([file]) => isOwn(file))).map(([, { call }]) => call);
      const isOurs = ours.length > 0;
      const stands = (isOurs ? ours : counted.map(([, { call }]) => call)).reduce(joinUsage);
      // A call that this clone collected, and whose line is not written yet or was lost, is none of the files'.
      if (counted.length === 0) continue;
      for (const [file, { call, from }] of counted) {
        cells.add(call, tariff, -1);
        if (isOurs ? hasMore(call, stands) : hasMore(stands, call)) tell(file, from, isOurs ? NOT_OURS : LESS);
        else if (collected.length === 0 && isOwn(file) && months.has(monthIn(file.path))) tell(file, from, NOT_COLLECTED);
      }
      cells.add(stands, tariff);
    }
  }
  return { cells, told, passed: passed.map(({ path }) => path) };
}

const NOT_OURS = "the call has more tokens here than in what this clone collected itself, which counts";
const NOT_COLLECTED = "the file is this clone's, which did not collect this call";
const LESS = "the call has fewer tokens here than in the lines of another clone, which count";

const hasMore = (one: UsageLine, other: UsageLine): boolean => TOKEN_FIELDS.some((field) => one.tokens[field] > other.tokens[field]);

/** The number of a line, by its first byte. */
function lineNumber(store: Store, path: string, from: number): number {
  let [lines, at] = [1, 0];
  for (const bytes = readPart(store, path, 0, from); ; at += 1, lines += 1) {
    at = bytes.indexOf(END, at);
    if (at === -1) return lines;
  }
}
