/** Numbers that count up in a folder: of messages, claims, and versions. Each has an end, and no gap that nobody counted through. spec/git.md, "What is checked out". */
import type { Counted } from "../noun/noun.ts";
import { nounAt, ownerOf } from "./layout.ts";

/** The highest number of any series: far below what names can hold, so that one more can always be written and read. */
export const NUMBER_MOST = 100_000_000;
/** How far a number that arrives may lie above the highest that is here. Whoever counts adds one. */
const JUMP_MOST = 1_000;

/** What number a path of the layout has; null where it has none. Mail counts in its thread. */
export function countedAt(path: string): Counted | null {
  const found = nounAt(ownerOf(path));
  return found?.noun.series?.(found.place) ?? null;
}

/** The highest of some numbers; 0 of none. `Math.max(...)` takes no more than some 120,000. */
export const highestIn = (numbers: readonly number[]): number => numbers.reduce((highest, n) => Math.max(highest, n), 0);

/** The lowest of some numbers; Infinity of none. */
export const lowestIn = (numbers: readonly number[]): number =>
  numbers.reduce((lowest, n) => Math.min(lowest, n), Number.POSITIVE_INFINITY);

/** The highest number of a series among the names of its folder; 0 of none. */
export const highestNamed = ({ numberOf = leading }: Counted, names: readonly string[]): number =>
  highestIn(names.map((name) => numberOf(ownerOf(name))));

/** The number that a name begins with; 0 where it has none. */
const leading = (name: string): number => Number(/^\d+/.exec(name)?.[0] ?? 0);

/**
 * The numbers of a series that cannot have been counted to.
 * @param highest the highest that is here; 0 where there is none
 * @param arriving in any order
 * @param jump how far one may lie above the highest below it
 */
export function uncounted(highest: number, arriving: Iterable<number>, jump = JUMP_MOST): Set<number> {
  const wrong = new Set<number>();
  let top = highest;
  for (const n of [...new Set(arriving)].sort((a, b) => a - b)) {
    if (n > NUMBER_MOST || n > top + jump) wrong.add(n);
    else top = Math.max(top, n);
  }
  return wrong;
}
