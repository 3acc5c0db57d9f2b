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
import { type FileSums, fileSums } from "./file-sums.ts";
import { type NamedLine, type OwnFiles, sharedCalls } from "./shared-calls.ts";
import { monthsAround, SPENT } from "./spent-lines.ts";
import { callsIn } from "./usage-lines.ts";

/** The calls of a home, and the lines that do not count as they stand. */
export interface UsageRead {
  /** Which add up to each call once. */
  cells: UsageCells[];
  broken: NamedLine[];
}

/** So many lines are named. */
const NAMED = 20;

/** The files of calls, by month and clone. */
function usageFiles(store: Store): { month: string; path: string }[] {
  return names(store, "usage")
    .filter((month) => /^\d{4}-\d\d$/.test(month))
    .sort()
    .flatMap((month) =>
      names(store, `usage/${month}`)
        .filter((name) => /^[0-9a-z]{8}\.jsonl$/.test(name))
        .sort()
        .map((name) => ({ month, path: `usage/${month}/${name}` })),
    );
}

/** The sums of all calls. Only files that changed since they were summed are read. @throws the errors of the disk */
export function readSums(world: World, tariff: Tariff): UsageRead {
  const { store } = world.home();
  const faults: Faults = [];
  const sumsOf = ({ path }: { path: string }): FileSums | null =>
    noting(faults, path, () => fileSums(store, path, tariff, (lines) => world.progress?.(`${path}, ${lines} lines`)));
  const files = usageFiles(store).flatMap((file) => sumsOf(file) ?? []);
  const shared = sharedCalls(store, files, tariff, ownFiles(world, tariff));
  const unread = faults.map(({ path, line = 1, problem }) => ({ path, line, problem }));
  const broken = [...unread, ...files.flatMap(({ path, broken: lines }) => lines.map((line) => ({ path, ...line }))), ...shared.told];
  return { cells: [...files, shared].map(({ cells }) => cells), broken: broken.slice(0, NAMED) };
}

/** The name of this clone, also where an earlier record is read. */
const cloneHere = (world: World): string | null => (world.past === undefined ? knownClone(world.home().store) : world.past.clone);

/** What of the files of calls is this clone's. */
function ownFiles(world: World, tariff: Tariff): OwnFiles {
  const { store } = world.home();
  const clone = cloneHere(world);
  const spent = names(store, SPENT).flatMap((name) => fileSums(store, `${SPENT}/${name}`, tariff) ?? []);
  return clone === null ? { ending: null, spent: [] } : { ending: `/${clone}.jsonl`, spent };
}

/** The calls of the rest of a day, from an instant within it: a part of a day is no cell, so that its lines are read. */
export function readRestOfDay(world: World, sinceMs: number, tariff: Tariff): UsageCells {
  const { store } = world.home();
  const first = new Date(sinceMs).toISOString();
  // A call whose lines stand in two months is of the first.
  const months = monthsAround(sinceMs);
  const clone = cloneHere(world);
  // What this clone collected stands before its own files, and those before others'.
  const lines = [new Map<string, UsageLine>(), new Map<string, UsageLine>(), new Map<string, UsageLine>()] as const;
  // A file that cannot be read is named with the sums.
  const add = (path: string, into: Map<string, UsageLine>): void =>
    readOr(undefined, () => {
      for (const { call } of callsIn(store, path, 0, facts(store, path)?.size ?? 0, () => {})) {
        if (typeof call === "string") continue;
        const known = into.get(call.id);
        into.set(call.id, known === undefined ? call : joinUsage(known, call));
      }
    });
  for (const { month, path } of usageFiles(store)) if (months.has(month)) add(path, lines[path.endsWith(`/${clone}.jsonl`) ? 1 : 0]);
  for (const month of months) if (facts(store, `${SPENT}/${month}.jsonl`) !== null) add(`${SPENT}/${month}.jsonl`, lines[2]);
  const [others, own, spent] = lines;
  const calls = new Map([...others, ...own]);
  for (const [id, call] of spent) if (calls.has(id)) calls.set(id, call);
  const cells = new UsageCells();
  const day = tariff.dayOf(first);
  for (const call of calls.values()) if (Date.parse(call.at) >= sinceMs && tariff.dayOf(call.at) === day) cells.add(call, tariff);
  return cells;
}
