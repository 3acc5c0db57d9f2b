/** What a range of commits says of a file that was written once. */
import { describe, expect, it } from "vitest";
import { GuardHistory } from "../../../protocol/objects/guard/guard-history.ts";

const PATH = "threads/2026-01-31/t-20260131-k3f9x2ab/1-1m80wktek9jxhprs2nw6sr4q3.md";

/** A line of commits that each write the file anew. @returns the last of them */
function rewritten(history: GuardHistory, count: number): string {
  for (let at = 0; at < count; at += 1) {
    history.addCommit(`c${at}`, at === 0 ? [] : [`c${at - 1}`]);
    history.addChange(`c${at}`, { path: PATH, before: null, after: `content ${at}` });
  }
  return `c${count - 1}`;
}

describe("the content of a file that was written once", () => {
  it("is the first of a line, however often it was written over", () => {
    const history = new GuardHistory();
    rewritten(history, 20_000);
    const { tree, contested } = history.joinedWith(new Map(), new Map([[PATH, "content 19999"]]));
    expect([tree.get(PATH), contested.size]).toEqual(["content 0", 0]);
  });

  it("is the first also where it comes again after another", () => {
    const history = new GuardHistory();
    for (const [at, after] of ["one", "two", "one"].entries()) {
      history.addCommit(`c${at}`, at === 0 ? [] : [`c${at - 1}`]);
      history.addChange(`c${at}`, { path: PATH, before: null, after });
    }
    const { tree, contested } = history.joinedWith(new Map(), new Map([[PATH, "two"]]));
    expect([tree.get(PATH), contested.size]).toEqual(["one", 0]);
  });

  it("is contested where two roots have it, also at the end of thousands of commits", () => {
    const history = new GuardHistory();
    const last = rewritten(history, 20_000);
    history.addCommit("other", []);
    history.addChange("other", { path: PATH, before: null, after: "another" });
    history.addCommit("merge", ["other", last]);
    const { contested } = history.joinedWith(new Map(), new Map([[PATH, "another"]]));
    expect(contested.get(PATH)?.length).toBe(20_001);
  });

  it("is that of a merge of three, which git lists last, where all others come after it", () => {
    const history = new GuardHistory();
    for (const root of ["a", "b", "c"]) history.addCommit(root, []);
    history.addCommit("child", ["octopus"]);
    history.addChange("child", { path: PATH, before: "first", after: "second" });
    history.addCommit("octopus", ["a", "b", "c"]);
    history.addChange("octopus", { path: PATH, before: null, after: "first" });
    const { tree, contested } = history.joinedWith(new Map(), new Map([[PATH, "second"]]));
    expect([tree.get(PATH), contested.size]).toEqual(["first", 0]);
  });

  it("is found for all files of a range together, however its commits hang together", () => {
    const count = 4_000;
    for (const withSides of [false, true]) {
      const history = new GuardHistory();
      const now = new Map<string, string>();
      const write = (commit: string, at: number, after: string): void => {
        const path = PATH.replace("/1-", `/${at + 1}-`);
        history.addChange(commit, { path, before: null, after });
        now.set(path, after);
      };
      for (let at = 0; at < count; at += 1) {
        if (withSides) history.addCommit(`s${at}`, []);
        history.addCommit(`c${at}`, [...(withSides ? [`s${at}`] : []), ...(at === 0 ? [] : [`c${at - 1}`])]);
        write(`c${at}`, at, `content ${at}`);
      }
      history.addCommit("last", [`c${count - 1}`]);
      for (let at = 0; at < count; at += 1) write("last", at, `other ${at}`);
      // What another root has as well comes before nothing.
      history.addCommit("root", []);
      history.addChange("root", { path: PATH, before: null, after: "another" });
      const { tree, contested } = history.joinedWith(new Map(), now);
      expect([...tree.values()]).toEqual(Array.from({ length: count - 1 }, (_, at) => `content ${at + 1}`));
      expect([...contested.keys()]).toEqual([PATH]);
      expect(history.steps).toBeLessThan((count * count) / 10);
    }
  });
});
