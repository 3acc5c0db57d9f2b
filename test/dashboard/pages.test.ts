/** A list by pages, whose newest rows come at its head: no row is lost between the first page and the older ones. */
import { expect, test } from "vitest";
import { noPages, type Pages, withNewest, withOlder } from "../../dashboard/web/state/pages.ts";
import { everyDay } from "../../dashboard/web/view/usage/every-day.ts";

const keyOf = (row: string): string => row;
const shown = ({ first, older }: Pages<string>): string => [...first, ...older].join(" ");
/** A list whose first page and the one after it were asked for. */
const two = (): Pages<string> => withOlder(withNewest(noPages<string>(), ["d", "c", "b"], false, keyOf), ["a", "9", "8"], "after 8", keyOf);

test.each([
  ["rows that newer ones move out of the first page come before the older ones", ["f", "e", "d"], "f e d c b a 9 8"],
  ["a row that is written to again is at the head alone", ["9", "d", "c"], "9 d c b a 8"],
  ["a row of the end that goes to the head takes no other with it", ["b", "e", "d"], "b e d c a 9 8"],
  ["a row that is gone is gone, and the page ends in an older one", ["d", "b", "a"], "d b a 9 8"],
  ["where all are new the gap is unknown, and the list begins anew", ["z", "y", "x"], "z y x"],
])("%s", (_words, first, all) => {
  const pages = withNewest(two(), first, false, keyOf);
  expect(shown(pages)).toBe(all);
  expect(pages.cursor).toBe(all.endsWith("8") ? "after 8" : undefined);
  expect(pages.run === two().run).toBe(all.endsWith("8"));
});

test("before an older page was asked for the rows stay as well, and come once; a list of one page has all", () => {
  const one = withNewest(withNewest(noPages<string>(), ["d", "c", "b"], false, keyOf), ["e", "d", "c"], false, keyOf);
  expect(shown(one)).toBe("e d c b");
  expect(one.cursor).toBeUndefined();
  expect(shown(withOlder(one, ["b", "a"], null, keyOf))).toBe("e d c b a");
  expect(shown(withNewest(one, ["e"], true, keyOf))).toBe("e");
});

test("rows found after an empty first page stay while that page is empty", () => {
  const found = withOlder(withNewest(noPages<string>(), [], false, keyOf), ["c", "b"], "after b", keyOf);
  const again = withNewest(found, [], false, keyOf);
  expect([shown(again), again.cursor, again.run]).toEqual(["c b", "after b", found.run]);
  expect(shown(withNewest(found, ["d"], false, keyOf))).toBe("d");
});

test("the days of the chart end tomorrow, whatever day a push names", () => {
  const now = new Date("2026-03-10T12:00:00");
  const days = ["2026-03-07", "2026-03-08", "2026-03-09", "2026-03-10"];
  expect(everyDay(["2026-03-07", "2026-03-10", "9999-12-31"], undefined, now)).toEqual(days);
  expect(everyDay(["2026-03-08", "2026-03-11"], "2026-03-07", now)).toEqual([...days, "2026-03-11"]);
  expect(everyDay(["2020-01-01", "2026-03-10"], undefined, now)).toHaveLength(120);
});
