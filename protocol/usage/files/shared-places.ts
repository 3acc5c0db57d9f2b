/** Finds the lines of calls that are to be compared, and reads them: file by file, so that no file is read once for each line. */

import type { Store } from "../../store/root.ts";
import type { UsageCells } from "../nouns/usage-cells.ts";
import { joinUsage, type UsageLine } from "../nouns/usage-line.ts";
import type { FileSums } from "./file-sums.ts";
import { callsAt, monthIn, textsAt } from "./usage-lines.ts";

/** Where a line stands. */
interface Place {
  file: FileSums;
  from: number;
}

/** So many lines of others' that stand in several files are compared: some months of a clone that was made anew. */
const COMPARED = 524_288;

/** A call as a file has it, and the first byte of one of its lines. */
type InFiles = Map<FileSums, { call: UsageLine; from: number }>;

/**
 * The lines of each id that stands in several files, or in a file of this clone that says something else than it collected.
 * @param files those that count first where not all can be compared come first
 * @param spent what this clone collected
 * @returns for each number of an id its places, those in `spent` with them; and the files with too many, which do not count
 */
export function placesToCompare(
  store: Store,
  files: readonly FileSums[],
  spent: readonly FileSums[],
  isOwn: (file: FileSums) => boolean,
): { places: Place[][]; passed: FileSums[] } {
  const all = files.map((file) => file.places());
  const hashes = new Float64Array(all.reduce((sum, places) => sum + places.length / 2, 0));
  let count = 0;
  for (const places of all) for (let at = 0; at < places.length; at += 2) hashes[count++] = places[at] as number;
  hashes.sort();
  const wanted = new Set<number>();
  for (let at = 1; at < hashes.length; at += 1) if (hashes[at] === hashes[at - 1]) wanted.add(hashes[at] as number);
  const changed = new Set<number>();
  for (const file of files) {
    const kept = isOwn(file) ? spent.find(({ path }) => monthIn(path) === monthIn(file.path)) : undefined;
    if (kept !== undefined && !isSame(file.cells, kept.cells)) for (const number of differing(store, kept, file)) changed.add(number);
  }
  for (const hash of changed) wanted.add(hash);
  if (wanted.size === 0) return { places: [], passed: [] };
  let left = COMPARED;
  const passed = files.filter((file, index) => {
    if (isOwn(file)) return false;
    const places = all[index] as Float64Array;
    let count = 0;
    for (let at = 0; at < places.length; at += 2) if (wanted.has(places[at] as number)) count += 1;
    if (count > left) return true;
    left -= count;
    return false;
  });
  const found = new Map<number, Place[]>();
  for (const [index, file] of [...files, ...spent].entries()) {
    if (passed.includes(file)) continue;
    const places = all[index] ?? file.places();
    for (let at = 0; at < places.length; at += 2) {
      const hash = places[at] as number;
      if (!wanted.has(hash)) continue;
      const known = found.get(hash) ?? [];
      found.set(hash, known);
      known.push({ file, from: places[at + 1] as number });
    }
  }
  const isShared = (places: Place[]): boolean => new Set(places.map(({ file }) => file).filter((file) => !spent.includes(file))).size > 1;
  return { places: [...found].flatMap(([hash, places]) => (changed.has(hash) || isShared(places) ? [places] : [])), passed };
}

/** Whether two files add up to the same calls in every table. */
function isSame(one: UsageCells, other: UsageCells): boolean {
  if (Buffer.from(one.toBytes()).equals(other.toBytes())) return true;
  const rows = (cells: UsageCells): string[] =>
    [...cells].flatMap(({ usd: _, ...cell }) => (cell.calls === 0 ? [] : [JSON.stringify(cell)])).sort();
  return rows(one).join("\n") === rows(other).join("\n");
}

/** The numbers of the ids of those lines that one of two files alone has, byte for byte. */
function differing(store: Store, one: FileSums, other: FileSums): number[] {
  const left = new Map(linesOfIds(store, one));
  const found: number[] = [];
  for (const [text, number] of linesOfIds(store, other)) if (!left.delete(text)) found.push(number);
  return [...found, ...left.values()];
}

/** The lines of a file, each with the number of its id. */
function* linesOfIds(store: Store, file: FileSums): Generator<[text: string, number: number]> {
  const places = file.places();
  const numbers = new Map<number, number>();
  for (let at = 0; at < places.length; at += 2) numbers.set(places[at + 1] as number, places[at] as number);
  for (const [from, text] of textsAt(store, file.path, numbers.keys())) yield [text, numbers.get(from) as number];
}

/** Reads the lines at some places. @returns by id what each file says of it @throws the errors of the disk */
export function readCalls(store: Store, places: readonly Place[][]): Map<string, InFiles> {
  const byFile = new Map<FileSums, number[]>();
  for (const { file, from } of places.flat()) {
    const known = byFile.get(file) ?? [];
    known.push(from);
    byFile.set(file, known);
  }
  const byId = new Map<string, InFiles>();
  for (const [file, froms] of byFile) {
    for (const { from, call } of callsAt(store, file.path, froms)) {
      const inFiles: InFiles = byId.get(call.id) ?? new Map();
      byId.set(call.id, inFiles);
      const known = inFiles.get(file);
      inFiles.set(file, { call: known === undefined ? call : joinUsage(known.call, call), from });
    }
  }
  return byId;
}
