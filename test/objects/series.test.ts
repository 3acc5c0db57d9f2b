/** Numbers that count up in a folder. */
import { expect, test } from "vitest";
import { highestIn, uncounted } from "../../protocol/objects/tree/series.ts";

test("the highest number is found among more than a call takes as arguments, as in a folder that was flooded", () => {
  expect(highestIn(Array.from({ length: 200_000 }, (_, at) => at))).toBe(199_999);
  expect(highestIn([])).toBe(0);
});

test("a number far ahead of the count stays in the branch", () => {
  expect([...uncounted(5, [6, 1_005, 9_000])]).toEqual([9_000]);
});
