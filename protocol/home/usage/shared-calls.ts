/**
 * Calls that stand in the files of several clones: each counts once, by one line. What a clone collected itself stands there, so that no
 * push can raise it; of others' lines the larger counts. Kept in `run/usage` with what the files were. spec/usage.md, "Lines".
 */
import { orElse, quietly } from "../../objects/format/file-error.ts";
import { type Tariff, UsageCells } from "../../objects/usage/usage-cells.ts";
import { joinUsage, TOKEN_FIELDS, type UsageLine } from "../../objects/usage/usage-line.ts";
import { sha256 } from "../../store/digest.ts";
import { bytesAt, readPart } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import type { BrokenLine, FileSums } from "./file-sums.ts";
import { lineAt } from "./usage-lines.ts";

/** A line that does not count as it stands. */
export type NamedLine = BrokenLine & { path: string };

/** What is to be added to the sums of all files, so that each call counts once. */
export interface SharedCalls {
  cells: UsageCells;
  /** Lines whose counts are other than those that stand. */
  told: NamedLine[];
}

const KEPT = "run/usage/shared";
const KEPT_BYTES = 128 * 1_048_576;
const END = 0x0a;
/** So many lines are told. */
const TOLD = 20;

/** @param own the ending of the paths of this clone's own files; null where it has none */
export function sharedCalls(store: Store, files: readonly FileSums[], tariff: Tariff, own: string | null): SharedCalls {
  if (files.length < 2) return { cells: new UsageCells(), told: [] };
  const sign = sha256([tariff.sign, own ?? "", ...files.map((file) => file.sign)].join("\n"));
  const before = readKept(store, sign);
  if (before !== null) return before;
  const found = findShared(store, files, tariff, own);
  const kept = Buffer.concat([Buffer.from(`${JSON.stringify(found.told)}\n`), found.cells.toBytes()]);
  // A home that cannot be written is compared each time.
  quietly(() => place({ ...store, durable: false }, KEPT, Buffer.concat([Buffer.from(`${sign} ${sha256(kept)}\n`), kept])));
  return found;
}

function readKept(store: Store, sign: string): SharedCalls | null {
  return orElse(null, () => {
    const bytes = bytesAt(store, KEPT, KEPT_BYTES);
    if (bytes === null) return null;
    const kept = bytes.subarray(bytes.indexOf(END) + 1);
    if (!bytes.subarray(0, -kept.length).equals(Buffer.from(`${sign} ${sha256(kept)}\n`))) return null;
    const cells = UsageCells.fromBytes(kept.subarray(kept.indexOf(END) + 1));
    return cells === null ? null : { cells, told: JSON.parse(kept.toString("utf8", 0, kept.indexOf(END))) as NamedLine[] };
  });
}

/** Where a line of an id stands. */
interface Place {
  file: FileSums;
  from: number;
}

function findShared(store: Store, files: readonly FileSums[], tariff: Tariff, own: string | null): SharedCalls {
  const cells = new UsageCells();
  const told: NamedLine[] = [];
  for (const places of sharedPlaces(files).values()) {
    const byId = new Map<string, Map<FileSums, { call: UsageLine; from: number }>>();
    for (const { file, from } of places) {
      const call = lineAt(store, file.path, from);
      if (call === null) continue;
      const inFiles = byId.get(call.id) ?? new Map<FileSums, { call: UsageLine; from: number }>();
      byId.set(call.id, inFiles);
      const known = inFiles.get(file);
      inFiles.set(file, { call: known === undefined ? call : joinUsage(known.call, call), from });
    }
    for (const inFiles of byId.values()) {
      if (inFiles.size < 2) continue;
      const ours = own === null ? undefined : [...inFiles].filter(([{ path }]) => path.endsWith(own)).map(([, { call }]) => call);
      const isOurs = ours !== undefined && ours.length > 0;
      const stands = (isOurs ? ours : [...inFiles.values()].map(({ call }) => call)).reduce(joinUsage);
      for (const [{ path }, { call, from }] of inFiles) {
        cells.add(call, tariff, -1);
        const isOther = isOurs ? hasMore(call, stands) : hasMore(stands, call);
        if (isOther && told.length < TOLD) told.push({ path, line: lineNumber(store, path, from), problem: isOurs ? NOT_OURS : LESS });
      }
      cells.add(stands, tariff);
    }
  }
  return { cells, told };
}

const NOT_OURS = "the call has more tokens here than in what this clone collected itself, which counts";
const LESS = "the call has fewer tokens here than in the lines of another clone, which count";

const hasMore = (one: UsageLine, other: UsageLine): boolean => TOKEN_FIELDS.some((field) => one.tokens[field] > other.tokens[field]);

/** The places of the numbers of ids that stand in several files. */
function sharedPlaces(files: readonly FileSums[]): Map<number, Place[]> {
  const all = files.map((file) => file.places());
  const hashes = new Float64Array(all.reduce((sum, places) => sum + places.length / 2, 0));
  let count = 0;
  for (const places of all) for (let at = 0; at < places.length; at += 2) hashes[count++] = places[at] as number;
  hashes.sort();
  const twice = new Set<number>();
  for (let at = 1; at < hashes.length; at += 1) if (hashes[at] === hashes[at - 1]) twice.add(hashes[at] as number);
  const found = new Map<number, Place[]>();
  if (twice.size === 0) return found;
  for (const [index, file] of files.entries()) {
    const places = all[index] as Float64Array;
    for (let at = 0; at < places.length; at += 2) {
      const hash = places[at] as number;
      if (!twice.has(hash)) continue;
      const known = found.get(hash) ?? [];
      known.push({ file, from: places[at + 1] as number });
      found.set(hash, known);
    }
  }
  for (const [hash, places] of found) if (places.every(({ file }) => file === places[0]?.file)) found.delete(hash);
  return found;
}

/** The number of a line, by its first byte. */
function lineNumber(store: Store, path: string, from: number): number {
  let [lines, at] = [1, 0];
  for (const bytes = readPart(store, path, 0, from); ; at += 1, lines += 1) {
    at = bytes.indexOf(END, at);
    if (at === -1) return lines;
  }
}
