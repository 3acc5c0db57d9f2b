/**
 * Which commits of a range come before all of some others. Many questions are answered by one walk, so that no push makes anybody
 * walk its commits once for each of its files. spec/git.md, "Guard".
 */

import { addTo } from "../format/append.ts";

/** Whether a commit comes before each of some others, or is it. */
export interface Question {
  earlier: string;
  later: readonly string[];
}

/** So many commits are asked about in one walk, a bit each. */
const AT_ONCE = 32;

/**
 * Answers questions about a range.
 * @param parents of each commit of the range; those that are not in the range say nothing
 * @returns the answers, in the order of the questions, and the commits that were walked over
 */
export function comeBefore(
  parents: ReadonlyMap<string, readonly string[]>,
  questions: readonly Question[],
): { answers: boolean[]; steps: number } {
  const answers = questions.map(({ earlier, later }) => later.every((each) => each === earlier));
  const open = [...questions.entries()].filter(([index]) => !answers[index]);
  if (open.length === 0) return { answers, steps: 0 };
  const order = parentsFirst(parents);
  const places = new Map(order.map((commit, place) => [commit, place]));
  const placeOf = (commit: string): number => places.get(commit) ?? -1;
  const above = order.map((commit) => (parents.get(commit) ?? []).map(placeOf));
  const asked = [...new Set(open.map(([, { earlier }]) => placeOf(earlier)))].filter((place) => place >= 0).sort((a, b) => a - b);
  const groups = new Map(asked.map((place, at) => [place, Math.floor(at / AT_ONCE)]));
  const byGroup = new Map<number, [number, Question][]>();
  for (const each of open) addTo(byGroup, groups.get(placeOf(each[1].earlier)) ?? -1, each);
  const reached = new Int32Array(order.length);
  let steps = 0;
  for (let group = 0; group * AT_ONCE < asked.length; group += 1) {
    const starts = asked.slice(group * AT_ONCE, (group + 1) * AT_ONCE);
    const bits = new Map(starts.map((place, bit) => [place, 1 << bit]));
    const from = starts[0] as number;
    const own = byGroup.get(group) ?? [];
    const to = own.reduce((last, [, { later }]) => later.reduce((most, each) => Math.max(most, placeOf(each)), last), from);
    for (let place = from; place <= to; place += 1) {
      let bit = bits.get(place) ?? 0;
      for (const parent of above[place] as number[]) if (parent >= from) bit |= reached[parent] as number;
      reached[place] = bit;
    }
    steps += to - from + 1;
    for (const [index, { earlier, later }] of own) {
      const bit = bits.get(placeOf(earlier)) as number;
      answers[index] = later.every(
        (each) => each === earlier || (placeOf(each) >= from && ((reached[placeOf(each)] as number) & bit) !== 0),
      );
    }
  }
  return { answers, steps };
}

/** The commits of a range in an order in which parents come before their children. */
function parentsFirst(parents: ReadonlyMap<string, readonly string[]>): string[] {
  const met = new Set<string>();
  const order = new Set<string>();
  for (const commit of parents.keys()) {
    const ahead = [commit];
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      if (met.has(at)) {
        order.add(at);
        continue;
      }
      met.add(at);
      // It is met again once its parents were.
      ahead.push(at);
      for (const parent of parents.get(at) ?? []) if (parents.has(parent) && !met.has(parent)) ahead.push(parent);
    }
  }
  return [...order];
}
