/** Which of two contents of a file that is written once a history had first. */
import { describe, expect, it } from "vitest";
import { firstOf } from "../../../protocol/objects/guard/first-content.ts";

const PATH = "sessions/s/ended.md";
/** A history from lines `commit: parent parent`. */
const history = (...lines: string[]): Map<string, string[]> =>
  new Map(
    lines.map((line) => {
      const [commit = "", parents = ""] = line.split(":");
      return [commit, parents.split(" ").filter((each) => each !== "")];
    }),
  );
const first = (parents: Map<string, string[]>, mine: string[], yours: string[]): string | undefined =>
  firstOf(parents, [{ path: PATH, mine, yours }]).get(PATH);

describe("the content that was first", () => {
  const line = history("a:", "b:a", "c:b", "d:c");

  it("is the one whose commit comes before the other's, on either side", () => {
    expect([first(line, ["b"], ["c"]), first(line, ["c"], ["b"])]).toEqual(["mine", "yours"]);
  });

  it("is the first also where it comes again after the other", () => {
    expect([first(line, ["b", "d"], ["c"]), first(line, ["c"], ["b", "d"])]).toEqual(["mine", "yours"]);
  });

  it("is neither where two lines have one each, also when one line has both", () => {
    const two = history("a:", "b:a", "x:a", "m:b x", "n:m");
    expect(first(two, ["b"], ["x"])).toBeUndefined();
    expect(first(two, ["b"], ["x", "n"])).toBeUndefined();
    expect(first(two, ["b", "n"], ["x"])).toBeUndefined();
  });

  it("is neither where the history has one of them not at all, or both from one commit on", () => {
    expect([first(line, [], ["b"]), first(line, ["b"], []), first(line, ["b"], ["b"])]).toEqual([undefined, undefined, undefined]);
  });

  it("is found for many files by few walks, whether one commit rewrote all or each its own", () => {
    const count = 20_000;
    const long = new Map(Array.from({ length: count }, (_, at) => [`c${at}`, at === 0 ? [] : [`c${at - 1}`]]));
    const files = Array.from({ length: count - 1 }, (_, at) => ({ path: `${at}`, mine: [`c${at}`], yours: [`c${count - 1}`] }));
    const turned = files.map(({ path, mine, yours }) => ({ path, mine: yours, yours: mine }));
    expect(new Set(firstOf(long, files).values())).toEqual(new Set(["mine"]));
    expect(firstOf(long, turned).size).toBe(count - 1);
  });
});
