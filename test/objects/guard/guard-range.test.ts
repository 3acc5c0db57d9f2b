/** What the guard makes of a range of commits: more of history in the range never means that less comes back. spec/git.md, "Guard". */
import { expect, test } from "vitest";
import { GuardHistory, lastReadable } from "../../../protocol/objects/guard/guard-history.ts";
import { guardClass } from "../../../protocol/objects/tree/record.ts";
import { act, contentOf, guarded, histories, idOf, newHome } from "../../rig/merging.ts";
import { fc, runs } from "../../rig/properties.ts";

type Files = ReadonlyMap<string, string>;

/** What a clone makes of the last of some records, one after the other, of which it has the first ones; of none of them, with `known` -1. */
function guardedFrom(records: readonly Files[], known: number): Files {
  const history = new GuardHistory();
  for (let at = known + 1; at < records.length; at += 1) {
    const [before, now] = [records[at - 1] ?? new Map<string, string>(), records[at] as Files];
    history.addCommit(`${at}`, at === 0 ? [] : [`${at - 1}`]);
    for (const path of new Set([...before.keys(), ...now.keys()])) {
      const change = { path, before: before.get(path) ?? null, after: now.get(path) ?? null };
      if (change.before !== change.after) history.addChange(`${at}`, change);
    }
  }
  const now = records.at(-1) as Files;
  const { tree, edited } = history.joinedWith(records[known] ?? new Map(), now);
  for (const [path, ids] of edited) tree.set(path, lastReadable(path, ids, contentOf));
  return guarded(tree, now);
}

test("a clone that has less of a history brings back no less of it", () => {
  const steps = fc.array(fc.tuple(histories(4), fc.array(fc.nat(), { maxLength: 3 })), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(steps, (all) => {
      const home = newHome("base0000");
      const records: Files[] = [new Map(home.files)];
      for (const [[acts = []], gone] of all) {
        for (const each of acts) act(home, each);
        // A hand deletes some, and an honest part goes on.
        const removed = new Map(home.files);
        for (const at of gone) removed.delete([...removed.keys()][at % removed.size] ?? "");
        records.push(removed);
      }
      // Whether a guest's mail is still there is told by the whole.
      const paths = (files: Files): string[] =>
        [...files.keys()].filter((path) => !["stranger", "attempt"].includes(guardClass(path)) && !path.endsWith("/guest.md")).sort();
      for (let known = records.length - 2; known >= 0; known -= 1) {
        const [less, more] = [guardedFrom(records, known), guardedFrom(records, known - 1)];
        expect(paths(less).filter((path) => !more.has(path))).toEqual([]);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

const THREAD = "threads/2026-01-31/t-20260131-abcd1234/thread.md";

/** One file's contents, commit by commit; null where it is gone. */
const texts = (path: string, ...contents: (string | null)[]): Files[] =>
  contents.map((text) => new Map(text === null ? [] : [[path, idOf(text)]]));

test("a file that was edited and deleted within a range comes back with its last readable content", () => {
  const good = [...newHome("base0000").files].find(([path]) => /\/tasks\/task-/.test(path)) as [string, string];
  const records = texts(good[0], null, contentOf(good[1]), "garbage", null);
  const back = guardedFrom([new Map(), ...records.slice(1)], 0);
  expect(contentOf(back.get(good[0]) as string)).toBe(contentOf(good[1]));
  expect(contentOf(guardedFrom(texts(THREAD, null, "garbage", "more of it", null), 0).get(THREAD) as string)).toBe("more of it");
});
