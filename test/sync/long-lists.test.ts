/** Lists that a push makes longer than one call takes arguments: nothing ends by them. */
import { expect, test } from "vitest";
import { append } from "../../protocol/core/format/append.ts";
import { highestIn, uncounted } from "../../protocol/core/tree/series.ts";
import { planGuard } from "../../protocol/sync/nouns/guard.ts";

/** More than a call takes. */
const MANY = 130_000;

test("a chain of claims that is gone comes back", () => {
  const paths = Array.from({ length: MANY }, (_, at) => `sessions/s1/claims/task-1kg9p6je0a/${at + 1}.md`);
  const { back } = planGuard(new Map(paths.map((path) => [path, path])), new Map()).run((id) => id);
  expect(back).toHaveLength(MANY);
});

test("a list takes more than an argument each", () => {
  const list = [0];
  append(
    list,
    Array.from({ length: MANY }, (_, at) => at),
  );
  expect(list).toHaveLength(MANY + 1);
});

test("the highest number is found among more than a call takes as arguments, as in a folder that was flooded", () => {
  expect(highestIn(Array.from({ length: 200_000 }, (_, at) => at))).toBe(199_999);
  expect(highestIn([])).toBe(0);
});

test("a number far ahead of the count stays in the branch", () => {
  expect([...uncounted(5, [6, 1_005, 9_000])]).toEqual([9_000]);
});
