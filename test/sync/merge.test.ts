/** The laws of the merge, over random histories. spec/git.md, "Merge". */

import { expect, test } from "vitest";
import { parseConfig } from "../../protocol/core/config/config.ts";
import { parseFrontmatter } from "../../protocol/core/format/frontmatter.ts";
import { guardClass } from "../../protocol/core/tree/record.ts";
import {
  type Act,
  act,
  type Clone,
  cloneOf,
  contentOf,
  firstTask,
  guarded,
  histories,
  look,
  lost,
  merged,
  newHome,
} from "../rig/merging.ts";
import { fc, runs } from "../rig/properties.ts";

const RUNS = runs(3_000);
const readable = (tree: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...tree].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, id]) => [path, contentOf(id)]));

/** Three trees: what was, and what two machines made of it. */
function threeTrees(before: readonly Act[], one: readonly Act[], other: readonly Act[]): [Clone, Clone, Clone] {
  const base = newHome("base0000");
  for (const each of before) act(base, each);
  const [x, y] = [cloneOf(base, "clonex00"), cloneOf(base, "cloney00")];
  for (const each of one) act(x, each);
  for (const each of other) act(y, each);
  return [base, x, y];
}

test("both sides come to the same, and what has no other side stays as it is", () => {
  fc.assert(
    fc.property(histories(8, 8, 8), ([before = [], one = [], other = []]) => {
      const [base, x, y] = threeTrees(before, one, other).map(({ files }) => files) as [
        Map<string, string>,
        Map<string, string>,
        Map<string, string>,
      ];
      const result = readable(merged(base, x, y));
      expect(readable(merged(base, y, x))).toEqual(result);
      expect(readable(merged(base, x, x))).toEqual(readable(x));
      const [guardedX, guardedY] = [guarded(base, x), guarded(base, y)];
      expect(readable(merged(base, base, guardedX))).toEqual(readable(guardedX));
      expect(readable(merged(base, guardedX, base))).toEqual(readable(guardedX));
      expect(readable(guarded(base, guardedX))).toEqual(readable(guardedX));
      for (const side of ["ours", "theirs"] as const) {
        const published = merged(base, guardedX, guardedY, side);
        expect(readable(merged(base, guardedY, guardedX, side === "ours" ? "theirs" : "ours"))).toEqual(readable(published));
        // Whoever has what was published finds in the merge what it had.
        const seen = side === "ours" ? guardedX : guardedY;
        expect(readable(guarded(seen, published))).toEqual(readable(published));
      }
    }),
    { numRuns: RUNS },
  );
});

/** Every value of what a side wrote since the base; each must be somewhere in the merged home. */
function valuesOf(path: string, text: string, before: string): string[] {
  if (/^(memory|events|usage)\//.test(path)) {
    const known = new Set(before.split("\n"));
    return text
      .split("\n")
      .filter((line) => line.trim() !== "" && !known.has(line) && !line.startsWith("## ") && !line.startsWith("<!-- "));
  }
  try {
    if (path === "relay.yml") {
      const known = before === "" ? new Map() : parseConfig(before).parts;
      return [...parseConfig(text).parts.keys()].filter((part) => !known.has(part));
    }
    const [now, was] = [parseFrontmatter(text), before === "" ? { header: {}, body: "" } : parseFrontmatter(before)];
    const fields = Object.entries(now.header).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(was.header[key]));
    const isRecord = path.endsWith(".artifact.md");
    const values = fields
      .filter(([key]) => !["updated_at", "fence", "status_after", ...(isRecord ? ["id", "version"] : [])].includes(key))
      .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
      .filter((value) => typeof value !== "object");
    const lines = now.body.split("\n").filter((line) => line !== "" && !was.body.split("\n").includes(line));
    return [...values.map(String), ...lines];
  } catch {
    return [text];
  }
}

function lostValues(base: ReadonlyMap<string, string>, side: ReadonlyMap<string, string>, result: ReadonlyMap<string, string>): string[] {
  const ids = new Set(result.values());
  const folderText = (path: string): string => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    return [...result].flatMap(([at, id]) => (at.startsWith(folder) && (folder !== "" || at === path) ? [contentOf(id)] : [])).join("\n");
  };
  return [...side].flatMap(([path, id]) => {
    if (ids.has(id) || base.get(path) === id) return [];
    const before = base.get(path);
    const text = folderText(path);
    const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);
    return valuesOf(path, contentOf(id), before === undefined ? "" : contentOf(before))
      .filter((value) => !text.includes(value) && !text.includes(escaped(value)))
      .map((value) => `${path}: ${value}`);
  });
}

test("nothing that a side wrote is lost, and what was acked stays acked", () => {
  fc.assert(
    fc.property(histories(4, 12, 12), ([before = [], one = [], other = []]) => {
      const [base, x, y] = threeTrees(before, one, other);
      const result = merged(base.files, x.files, y.files);
      for (const { files } of [x, y]) {
        expect(lostValues(base.files, files, result)).toEqual([]);
        for (const path of files.keys()) {
          if (path.startsWith("threads/")) expect(result.has(path), path).toBe(true);
          const acked = /^inbox\/(.+)\/read\/[^/]+\/(.+)$/.exec(path);
          const isUnread = acked !== null && result.has(`inbox/${acked[1]}/new/${acked[2]}`);
          expect(isUnread, path).toBe(false);
        }
      }
      expect(() => parseConfig(contentOf(result.get("relay.yml") as string))).not.toThrow();
    }),
    { numRuns: runs(8_000) },
  );
});

test("two homes that have nothing in common are one afterwards, with all of both", () => {
  fc.assert(
    fc.property(histories(10, 10), ([one = [], other = []]) => {
      const [, x] = threeTrees([], one, []);
      const y = newHome("other000");
      for (const each of other) act(y, each);
      const result = merged(new Map(), x.files, y.files);
      expect(readable(merged(new Map(), y.files, x.files))).toEqual(readable(result));
      for (const { files } of [x, y]) expect(lostValues(new Map(), files, result)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("acts of parts are never taken for a loss, and deletions by hand always are", () => {
  fc.assert(
    fc.property(histories(12, 8), fc.nat(), ([before = [], more = []], at) => {
      const [base, x] = threeTrees(before, more, []);
      expect(lost(base.files, x)).toEqual([]);
      const path = [...x.files.keys()].filter((each) => !each.endsWith("/guest.md"))[at % x.files.size] as string | undefined;
      if (path === undefined || path === "relay.yml") return;
      const gone = cloneOf(x, x.name);
      gone.files.delete(path);
      const isStillRead = path.includes("/new/") && x.files.has(path.replace("/new/", `/read/${dayOfMessage(path)}/`));
      expect(lost(x.files, gone)).toEqual(isStillRead ? [] : [path]);
      // Of what the layout does not know git says what is there.
      const stays = guardClass(path) === "stranger" ? gone : x;
      expect(readable(merged(x.files, gone.files, x.files))).toEqual(readable(stays.files));
      expect(readable(guarded(x.files, gone.files))).toEqual(readable(stays.files));
    }),
    { numRuns: RUNS },
  );
});

const dayOfMessage = (path: string): string => /m-(\d{4})(\d\d)(\d\d)/.exec(path)?.slice(1).join("-") ?? "";

/** A home that all machines push to: a list of trees, each the successor of the one before it. */
interface Remote {
  heads: ReadonlyMap<string, string>[];
}
/** A machine, and the last head of the remote that is part of what it has. */
interface Machine {
  clone: Clone;
  seen: number;
}

/** What `sync` does: what others brought is merged with one's own; then, unless another was quicker, it is the new head. */
function sync(machine: Machine, remote: Remote, isQuick: boolean): void {
  const { clone } = machine;
  const base = remote.heads[machine.seen] ?? new Map<string, string>();
  const head = remote.heads.at(-1) as ReadonlyMap<string, string>;
  // A record guards what a hand did here; what machines of this law send is never otherwise than its guard.
  expect(readable(guarded(base, head))).toEqual(readable(head));
  clone.files = merged(base, guarded(base, clone.files), head, "theirs");
  machine.seen = remote.heads.length - 1;
  look(clone);
  if (isQuick && JSON.stringify(readable(clone.files)) !== JSON.stringify(readable(remote.heads.at(-1) as ReadonlyMap<string, string>))) {
    remote.heads.push(new Map(clone.files));
    machine.seen = remote.heads.length - 1;
  }
}

test("machines that sync through one remote, in any order, have the same bytes after three rounds", () => {
  const turns = fc.array(fc.record({ machine: fc.nat(4), syncs: fc.boolean(), isQuick: fc.boolean() }), { minLength: 15, maxLength: 60 });
  const orders = fc.array(fc.nat(), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(histories(8, 60), fc.integer({ min: 2, max: 5 }), turns, orders, ([before = [], after = []], size, steps, order) => {
      const base = newHome("base0000");
      for (const each of before) act(base, each);
      const remote: Remote = { heads: [new Map(base.files)] };
      const machines: Machine[] = Array.from({ length: size }, (_, at) => ({ clone: cloneOf(base, `clone${at}x0`), seen: 0 }));
      for (const [at, step] of steps.entries()) {
        const machine = machines[step.machine % size] as Machine;
        const given = after[at];
        if (step.syncs) sync(machine, remote, step.isQuick);
        else if (given !== undefined) act(machine.clone, given);
      }
      const wrote = machines.map(({ clone, seen }) => ({
        files: new Map(clone.files),
        base: remote.heads[seen] as ReadonlyMap<string, string>,
      }));
      for (let round = 0; round < 3; round += 1) {
        const turn = machines.map((machine, at) => ({ machine, key: order[(round * 8 + at) % order.length] as number }));
        for (const { machine } of turn.sort((a, b) => a.key - b.key)) sync(machine, remote, true);
      }
      const result = readable((machines[0] as Machine).clone.files);
      for (const { clone } of machines) expect(readable(clone.files)).toEqual(result);
      for (const { files } of wrote) {
        for (const path of files.keys()) if (path.startsWith("threads/")) expect(Object.keys(result)).toContain(path);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

/** Claims, releases and ends of one task by one part. */
const CHAINS = ["", "c", "cr", "cd", "crc", "crcr", "crcd"];
const KIND_OF = { c: "claim", r: "release", d: "finish" } as const;

test("a task says what the last record of its merged claims says, in every clone", () => {
  const wrong: string[] = [];
  for (const before of ["", "c", "cr", "crc"])
    for (const one of CHAINS)
      for (const other of CHAINS)
        for (const third of before === "" ? CHAINS : [""])
          for (const order of [
            [0, 1, 2],
            [1, 0, 2],
            [2, 1, 0],
          ]) {
            const base = newHome("base0000");
            const run = (clone: Clone, chain: string, who: number): void => {
              for (const step of chain) act(clone, { kind: KIND_OF[step as keyof typeof KIND_OF], a: 0, b: who, c: 0 });
            };
            run(base, before, 0);
            const remote: Remote = { heads: [new Map(base.files)] };
            const machines = [0, 1, 2].map((at): Machine => ({ clone: cloneOf(base, `clone${at}x0`), seen: 0 }));
            for (const [at, chain] of [one, other, third].entries()) {
              const { clone } = machines[at] as Machine;
              // A chain goes on from what it begins with: a release first where the task is held.
              run(clone, before.endsWith("c") ? chain.slice(1) : chain, at);
            }
            for (let round = 0; round < 3; round += 1) for (const at of order) sync(machines[at] as Machine, remote, true);
            for (const { clone } of machines) {
              const { task, last } = firstTask(clone);
              const said = `${task.status} ${task.assignee ?? "-"} ${task.fence}`;
              const right = {
                claim: `in_progress ${last?.agent} ${last?.fence}`,
                release: `todo - ${last?.fence}`,
                done: `done ${task.assignee ?? "-"} ${last?.fence}`,
                none: "todo - 0",
              }[last?.kind ?? "none"];
              if (said !== right) wrong.push(`${before}: ${one}|${other}|${third} by ${order}: it says ${said}, the last record ${right}`);
            }
          }
  expect(wrong).toEqual([]);
});
