/** Reads the calls of all clones, each once. spec/usage.md, "Lines" and "Tables". */
import { type Tariff, UsageCells } from "../../objects/usage/usage-cells.ts";
import { joinUsage, type UsageLine } from "../../objects/usage/usage-line.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { knownClone } from "../feed.ts";
import { type FileSums, fileSums } from "./file-sums.ts";
import { type NamedLine, type OwnFiles, sharedCalls } from "./shared-calls.ts";
import { SPENT } from "./spent-lines.ts";
import { linesOf } from "./usage-lines.ts";

/** The calls of a home, and the lines that do not count as they stand. */
export interface UsageRead {
  /** Which add up to each call once. */
  cells: UsageCells[];
  broken: NamedLine[];
}

/** So many lines are named. */
const NAMED = 20;
const DAY_MS = 86_400_000;

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
  const sumsOf = ({ path }: { path: string }): FileSums | null =>
    fileSums(store, path, tariff, (lines) => world.progress?.(`${path}, ${lines} lines`));
  const files = usageFiles(store).flatMap((file) => sumsOf(file) ?? []);
  const shared = sharedCalls(store, files, tariff, ownFiles(store, tariff));
  const broken = [...files.flatMap(({ path, broken: lines }) => lines.map((line) => ({ path, ...line }))), ...shared.told];
  return { cells: [...files, shared].map(({ cells }) => cells), broken: broken.slice(0, NAMED) };
}

/** What of the files of calls is this clone's. */
function ownFiles(store: Store, tariff: Tariff): OwnFiles {
  const clone = knownClone(store);
  const spent = names(store, SPENT).flatMap((name) => fileSums(store, `${SPENT}/${name}`, tariff) ?? []);
  return clone === null ? { ending: null, spent: [] } : { ending: `/${clone}.jsonl`, spent };
}

/** The calls of the rest of a day, from an instant within it: a part of a day is no cell, so that its lines are read. */
export function readRestOfDay(world: World, sinceMs: number, tariff: Tariff): UsageCells {
  const { store } = world.home();
  const first = new Date(sinceMs).toISOString();
  // A call whose lines stand in two months is of the first.
  const months = new Set([sinceMs - DAY_MS, sinceMs, sinceMs + DAY_MS].map((ms) => new Date(ms).toISOString().slice(0, 7)));
  const clone = knownClone(store);
  // What this clone collected stands before its own files, and those before others'.
  const lines = [new Map<string, UsageLine>(), new Map<string, UsageLine>(), new Map<string, UsageLine>()] as const;
  const add = (path: string, into: Map<string, UsageLine>): void => {
    for (const { call } of linesOf(store, path, 0, facts(store, path)?.size ?? 0, () => {})) {
      if (typeof call === "string") continue;
      const known = into.get(call.id);
      into.set(call.id, known === undefined ? call : joinUsage(known, call));
    }
  };
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
