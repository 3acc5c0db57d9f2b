/** Which clone keeps a content of a file that is written once against another one. */
import { expect, test } from "vitest";
import { arrivalsOf, knewBetter } from "../../protocol/sync/nouns/arrivals.ts";

/** A history from lines `commit: parent parent`. */
const history = (...lines: string[]): Map<string, string[]> =>
  new Map(
    lines.map((line) => {
      const [commit = "", parents = ""] = line.split(":");
      return [commit, parents.split(" ").filter((each) => each !== "")];
    }),
  );
/** Root, the honest write, an evil one on top or from a second root, and a merge. */
const LINE = history("root:", "good:root", "evil:good", "tip:evil");
const ROOTS = history("root:", "good:root", "evil:", "tip:good evil");

test.each([LINE, ROOTS])(
  "a clone that had the good one before the evil one came keeps it; one that met both follows the branch",
  (parents) => {
    const early = arrivalsOf(parents, ["root", "good", "tip"]);
    const late = arrivalsOf(parents, ["tip"]);
    expect(knewBetter(early, "good", ["evil"])).toBe(true);
    expect(knewBetter(early, "evil", ["good"])).toBe(false);
    for (const [own, other] of [
      ["good", "evil"],
      ["evil", "good"],
    ] as const)
      expect(knewBetter(late, own, [other])).toBe(false);
  },
);

test("a clone that met a planted content before the good one follows the branch; the one that wrote the file is not asked", () => {
  const planted = history("root:", "evil:root", "gone:evil", "good:gone", "again:good");
  expect(knewBetter(arrivalsOf(planted, ["root", "gone", "good", "again"]), "good", ["evil", "again"])).toBe(false);
  expect(knewBetter(arrivalsOf(planted, ["root", "gone", "good", "again"]), "good", ["again"])).toBe(true);
});

test("a commit that no tip has was never met, and one that is in no history proves nothing", () => {
  const arrived = arrivalsOf(LINE, ["good", "elsewhere"]);
  expect([...arrived]).toEqual([
    ["good", 0],
    ["root", 0],
  ]);
  expect(knewBetter(arrived, "good", ["evil"])).toBe(true);
  expect(knewBetter(arrived, "unknown", ["evil"])).toBe(false);
});

test("each commit is walked over once, however many tips there are", () => {
  const count = 20_000;
  const long = new Map(Array.from({ length: count }, (_, at) => [`c${at}`, at === 0 ? [] : [`c${at - 1}`]]));
  const arrived = arrivalsOf(long, [...long.keys()]);
  expect(arrived.get("c12345")).toBe(12_345);
});
