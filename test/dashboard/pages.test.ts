/** The state of the page without a browser: lists by pages lose no row, a part's state has its word; and what a browser loads is small. */
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { doingOf, type Part } from "../../dashboard/web/state/doing.ts";
import { noPages, type Pages, withNewest, withOlder } from "../../dashboard/web/state/pages.ts";
import { everyDay } from "../../dashboard/web/view/usage/every-day.ts";
import { builtFile } from "../rig/built.ts";

// The clock of the page asks each second whether it is seen.
vi.stubGlobal("document", { visibilityState: "hidden" });

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

test("a page loads itself anew for its own server alone", async () => {
  for (const [name, value] of Object.entries({ location: { hash: "" }, addEventListener: () => {} })) vi.stubGlobal(name, value);
  const { isAnother, setAbout } = await import("../../dashboard/web/state/about.ts");
  const page = { name: "shop", part: "human", readOnly: false, version: "1", proof: "a" };
  setAbout(page);
  expect([page, { ...page, part: "api" }, { ...page, part: "api", proof: "b" }].map(isAnother)).toEqual([false, true, false]);
});

test("the days of the chart end tomorrow, whatever day a push names", () => {
  const now = new Date("2026-03-10T12:00:00");
  const days = ["2026-03-07", "2026-03-08", "2026-03-09", "2026-03-10"];
  expect(everyDay(["2026-03-07", "2026-03-10", "9999-12-31"], undefined, now)).toEqual(days);
  expect(everyDay(["2026-03-08", "2026-03-11"], "2026-03-07", now)).toEqual([...days, "2026-03-11"]);
  expect(everyDay(["2020-01-01", "2026-03-10"], undefined, now)).toHaveLength(120);
});

const NOW_MS = Date.parse("2026-03-01T12:00:00Z");
const ago = (minutes: number): string => new Date(NOW_MS - minutes * 60_000).toISOString();
const failed = ["failed", "left", "released"].map((became) => ({ part: "web", became }));

/** The word for what a part does, and its place among the parts. */
test.each<[word: string, part: Partial<Part>, stories?: typeof failed, asking?: string[]]>([
  ["at a prompt", { presence: "working", terminal: "dialog", limitedUntil: ago(-5) }],
  ["at a prompt", { unread: 1, presence: "idle", wake: { state: "kept back", reason: "dialog" } }],
  ["stuck", { presence: "idle", task: "T", seenAt: ago(15) }],
  ["stuck", { presence: "idle", unread: 1 }, failed],
  ["waiting for you", { presence: "working", seenAt: ago(1) }, [], ["web"]],
  ["idle with mail", { presence: "idle", unread: 2, seenAt: ago(20) }, failed.slice(1)],
  ["working", { presence: "working", task: "T", seenAt: ago(1) }],
  ["waiting for mail", { presence: "waiting", task: "T", seenAt: ago(30) }],
  ["idle", { presence: "idle", seenAt: ago(20) }],
  ["offline", { presence: "idle", online: false, seenAt: ago(20) }],
  ["never seen", { presence: "never", online: false }],
])("%s", (word, part, stories = [], asking = []) => {
  const whole: Part = { part: "web", online: true, main: false, you: false, unread: 0, agent: null, ...part };
  expect(doingOf(whole, stories, new Set(asking), NOW_MS).word).toBe(word);
});

test("all that a browser loads is 90 kB at the most, packed", () => {
  const files = ["index.html", "app.js", "style.css", "icon.svg"].map((name) => fs.readFileSync(path.join(builtFile("dashboard"), name)));
  expect(files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0)).toBeLessThanOrEqual(90_000);
});
