/** Reads the calls of all clones, each once. spec/usage.md, "Lines" and "Tables". */
import { readOr } from "../../core/format/file-error.ts";
import { type Faults, noting } from "../../core/home/broken-files.ts";
import { knownClone } from "../../core/home/feed.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { type Tariff, UsageCells } from "../nouns/usage-cells.ts";
import { joinUsage, type UsageLine } from "../nouns/usage-line.ts";
import { type FileSums, fileSums, type Left } from "./file-sums.ts";
import { type NamedLine, type OwnFiles, sharedCalls } from "./shared-calls.ts";
import { monthsAround, SPENT } from "./spent-lines.ts";
import { callsIn, monthIn } from "./usage-lines.ts";

/** The calls of a home, and the lines that do not count as they stand. */
export interface UsageRead {
  /** Which add up to each call once. */
  cells: UsageCells[];
  broken: NamedLine[];
  /** The files that count, and how many bytes of each. */
  counted: Pick<FileSums, "path" | "bytes">[];
}

/** So many lines are named. */
const NAMED = 20;

const MEGABYTE = 1_048_576;
/** So many bytes of other clones' lines, some 190,000 calls, are read at a time, and the rest the next time. */
const AT_A_TIME = 48 * MEGABYTE;
/** What counts of other clones' files, the smallest first: years of many clones, and no more than a table can be made of. */
const [OTHERS_BYTES, OTHERS_CELLS, FILE_CELLS] = [1_024 * MEGABYTE, 524_288, 65_536];
const BEYOND =
  "its calls are not counted: with it, other clones' files, of which the smallest count first, have more than 1 GB or 524,288 sums";
const VARIED = "its calls are not counted: they differ in more than 65,536 ways";
const REPEATS = "its calls are not counted: more than 524,288 lines of other clones' files stand in several of them";

/** The files of calls, by month and clone. */
function usageFiles(store: Store): string[] {
  return names(store, "usage")
    .filter((month) => /^\d{4}-\d\d$/.test(month))
    .sort()
    .flatMap((month) =>
      names(store, `usage/${month}`)
        .filter((name) => /^[0-9a-z]{8}\.jsonl$/.test(name))
        .sort()
        .map((name) => `usage/${month}/${name}`),
    );
}

/**
 * The sums of all calls. Only files that changed since they were summed are read; of other clones' as much as takes a bounded time, and
 * what is passed over is named. @throws the errors of the disk
 */
export function readSums(world: World, tariff: Tariff): UsageRead {
  const { store } = world.home();
  const faults: Faults = [];
  const own = ownFiles(world, tariff);
  const sumsOf = (path: string, left?: Left): FileSums | null =>
    noting(faults, path, () => fileSums(store, path, tariff, (lines) => world.progress?.(`${path}, ${lines} lines`), left));
  const [ours, others] = [true, false].map((wanted) =>
    usageFiles(store).filter((path) => (own.ending !== null && path.endsWith(own.ending)) === wanted),
  ) as [string[], string[]];
  const files = ours.flatMap((path) => sumsOf(path) ?? []);
  const passed: NamedLine[] = [];
  const left = { bytes: AT_A_TIME, cells: FILE_CELLS };
  let [bytes, cells] = [0, 0];
  const bySize = others.map((path) => ({ path, size: facts(store, path)?.size ?? 0 })).sort((a, b) => a.size - b.size);
  for (const { path, size } of bySize) {
    bytes += size;
    const sums = bytes > OTHERS_BYTES || cells > OTHERS_CELLS ? null : sumsOf(path, left);
    const [own, rest] = [sums?.cells.size ?? 0, size - (sums?.bytes ?? size)];
    cells += own > FILE_CELLS ? 0 : own;
    const isBeyond = bytes > OTHERS_BYTES || cells > OTHERS_CELLS;
    const problem = own > FILE_CELLS ? VARIED : isBeyond ? BEYOND : rest > 0 ? unreadWords(rest) : null;
    if (problem !== null) passed.push({ path, line: 1, problem });
    if (sums !== null && own <= FILE_CELLS && !isBeyond) files.push(sums);
  }
  const shared = sharedCalls(store, files, tariff, own);
  for (const path of shared.passed) passed.push({ path, line: 1, problem: REPEATS });
  const unread = faults.map(({ path, line = 1, problem }) => ({ path, line, problem }));
  const lines = files.flatMap(({ path, broken }) => broken.map((line) => ({ path, ...line })));
  const counted = files.filter(({ path }) => !shared.passed.includes(path));
  return {
    cells: [...counted, shared].map((each) => each.cells),
    broken: [...passed.slice(0, NAMED), ...unread, ...lines, ...shared.told].slice(0, NAMED),
    counted,
  };
}

const unreadWords = (bytes: number): string =>
  `${(bytes / MEGABYTE).toFixed(1)} MB of it are not counted yet: of other clones' lines 48 MB are read at a time`;

/** The name of this clone, also where an earlier record is read. */
const cloneHere = (world: World): string | null => (world.past === undefined ? knownClone(world.home().store) : world.past.clone);

/** What of the files of calls is this clone's. */
function ownFiles(world: World, tariff: Tariff): OwnFiles {
  const { store } = world.home();
  const clone = cloneHere(world);
  const spent = names(store, SPENT).flatMap((name) => fileSums(store, `${SPENT}/${name}`, tariff) ?? []);
  return clone === null ? { ending: null, spent: [] } : { ending: `/${clone}.jsonl`, spent };
}

/**
 * The calls of the rest of a day, from an instant within it: a part of a day is no cell, so that its lines are read.
 * @param counted the files that count
 */
export function readRestOfDay(
  world: World,
  sinceMs: number,
  tariff: Tariff,
  counted: UsageRead["counted"],
): Pick<UsageRead, "broken"> & { cells: UsageCells } {
  const { store } = world.home();
  const first = new Date(sinceMs).toISOString();
  // A call whose lines stand in two months is of the first.
  const months = monthsAround(sinceMs);
  const clone = cloneHere(world);
  // What this clone collected stands before its own files, and those before others'.
  const lines = [new Map<string, UsageLine>(), new Map<string, UsageLine>(), new Map<string, UsageLine>()] as const;
  // A file that cannot be read is named with the sums.
  const add = (path: string, bytes: number, into: Map<string, UsageLine>): void =>
    readOr(undefined, () => {
      for (const { call } of callsIn(store, path, 0, bytes, () => {})) {
        if (typeof call === "string") continue;
        const known = into.get(call.id);
        into.set(call.id, known === undefined ? call : joinUsage(known, call));
      }
    });
  const broken: NamedLine[] = [];
  let left = AT_A_TIME;
  for (const { path, bytes } of counted.filter((each) => months.has(monthIn(each.path) ?? ""))) {
    const isOwn = path.endsWith(`/${clone}.jsonl`);
    left -= isOwn ? 0 : bytes;
    if (left < 0)
      broken.push({ path, line: 1, problem: "its calls of the day of the instant are not counted: other clones have more than 48 MB" });
    else add(path, bytes, lines[isOwn ? 1 : 0]);
  }
  for (const month of months) add(`${SPENT}/${month}.jsonl`, facts(store, `${SPENT}/${month}.jsonl`)?.size ?? 0, lines[2]);
  const [others, own, spent] = lines;
  const calls = new Map([...others, ...own]);
  for (const [id, call] of spent) if (calls.has(id)) calls.set(id, call);
  const cells = new UsageCells();
  const day = tariff.dayOf(first);
  for (const call of calls.values()) if (Date.parse(call.at) >= sinceMs && tariff.dayOf(call.at) === day) cells.add(call, tariff);
  return { cells, broken };
}
