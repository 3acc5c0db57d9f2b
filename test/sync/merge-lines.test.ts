/** Lines that are only ever added are joined in one walk, and no list that a push makes long ends anything. */
import { expect, test } from "vitest";
import { append } from "../../protocol/core/format/append.ts";
import { joinedLines, joinedSet } from "../../protocol/core/noun/merge-fields.ts";
import { highestIn, uncounted } from "../../protocol/core/tree/series.ts";
import { planGuard } from "../../protocol/sync/nouns/guard.ts";
import { fc, runs } from "../rig/properties.ts";

const keyOf = (line: string): string => /^\d+/.exec(line)?.[0] ?? "";

/** What the join is by definition: the smaller of both heads, taken off again and again. */
function byHeads(ours: readonly string[], theirs: readonly string[]): string[] {
  let shared = 0;
  while (shared < ours.length && ours[shared] === theirs[shared]) shared += 1;
  const keyed = (lines: readonly string[]): { key: string; line: string }[] => {
    let last = "";
    return lines.map((line) => {
      if (keyOf(line) > last) last = keyOf(line);
      return { key: last, line };
    });
  };
  const [left, right] = [keyed(ours.slice(shared)), keyed(theirs.slice(shared))];
  const merged: string[] = [];
  while (left.length > 0 || right.length > 0) {
    const [one, other] = [left[0], right[0]];
    if (one !== undefined && other !== undefined && one.line === other.line) right.shift();
    const isLeft = other === undefined || (one !== undefined && (one.key === other.key ? one.line <= other.line : one.key < other.key));
    merged.push(((isLeft ? left : right).shift() as { line: string }).line);
  }
  const most = (line: string): number =>
    Math.max(...[ours, theirs].map((lines) => lines.slice(shared).filter((each) => each === line).length));
  const kept = merged.filter((line, at) => merged.slice(0, at).filter((each) => each === line).length < most(line));
  return [...ours.slice(0, shared), ...kept];
}

test("is the join by its definition, whatever both sides have", () => {
  const line = fc.tuple(fc.nat(12), fc.constantFrom("", "a", "b", "c")).map(([at, text]) => `${at > 9 ? "" : at}${text}`);
  const lines = fc.array(line, { maxLength: 14 });
  fc.assert(
    fc.property(lines, lines, lines, (before, one, other) => {
      const [ours, theirs] = [
        [...before, ...one],
        [...before, ...other],
      ];
      expect(joinedLines(ours, theirs, keyOf)).toEqual(byHeads(ours, theirs));
      expect(joinedLines(theirs, ours, keyOf)).toEqual(byHeads(ours, theirs));
    }),
    { numRuns: runs(10_000) },
  );
});

/** A list that counts how often something of it is read. */
function counted(list: readonly string[]): { list: readonly string[]; reads: () => number } {
  let reads = 0;
  const get = (target: readonly string[], key: PropertyKey, receiver: unknown): unknown => {
    if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
    return Reflect.get(target, key, receiver);
  };
  return { list: new Proxy(list, { get }), reads: () => reads };
}

const numbered = (count: number, by: string): string[] => Array.from({ length: count }, (_, n) => `${1_000_000 + n} ${by}`);

test("reads each line of a long list a few times, however many there are", () => {
  const [ours, theirs] = [counted(numbered(1_000, "ours")), counted(numbered(1_000, "theirs"))];
  expect(joinedLines(ours.list, theirs.list, keyOf)).toHaveLength(2_000);
  for (const { reads } of [ours, theirs]) expect(reads()).toBeLessThan(10_000);
});

test("takes more lines than a call takes arguments", () => {
  const [ours, theirs] = [numbered(MANY, "ours"), numbered(MANY, "theirs")];
  expect(joinedLines(ours, theirs, keyOf)).toHaveLength(2 * MANY);
});

test("reads each item of a set a few times, however many there are", () => {
  const all = numbered(1_000, "x");
  const [base, ours, theirs] = [counted(all), counted([...all, "y"]), counted([...all, "z"])];
  expect(joinedSet(base.list, ours.list, theirs.list)).toEqual([...all, "y", "z"]);
  for (const { reads } of [base, ours, theirs]) expect(reads()).toBeLessThan(5_000);
});

/** More than a call takes as arguments. */
const MANY = 130_000;

test("a chain of claims that is gone comes back", () => {
  const paths = Array.from({ length: MANY }, (_, at) => `sessions/s1/claims/task-1kg9p6je0a/${at + 1}.md`);
  const { back } = planGuard(new Map(paths.map((path) => [path, path])), new Map()).run((id) => id);
  expect(back).toHaveLength(MANY);
});

test("a list takes more than an argument each", () => {
  const list = ["0"];
  append(list, numbered(MANY, "more"));
  expect(list).toHaveLength(MANY + 1);
});

test("the highest number is found among more than a call takes as arguments, as in a folder that was flooded", () => {
  expect(highestIn(Array.from({ length: 200_000 }, (_, at) => at))).toBe(199_999);
  expect(highestIn([])).toBe(0);
});

test("a number far ahead of the count stays in the branch", () => {
  expect([...uncounted(5, [6, 1_005, 9_000])]).toEqual([9_000]);
});
