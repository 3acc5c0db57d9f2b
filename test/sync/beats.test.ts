/** What a sync lists: Relay's own lines of what gave way, and after months no more than after a day. spec/git.md, "Merge". */
import { expect, test } from "vitest";
import { newlyGaveWay } from "../../protocol/sync/nouns/merge.ts";
import { addSync, type Synced } from "../../protocol/sync/sync/sync-result.ts";

/** A sync that lists as much as a push can make it. */
const beat = (number: number, count = 20): Synced => {
  const paths = Array.from({ length: count }, (_, at) => `${number}/${at}`);
  const faults = paths.map((path) => ({ path, problem: "x" }));
  const lists = { gaveWay: paths, did: paths, toUndo: [], strangers: [...paths, "always"], skipped: faults, later: paths, unfit: faults };
  return {
    ...{ remote: "origin", branch: "relay", commit: `${number}`, sent: number === 0, rounds: 1, restored: paths },
    arrived: { messages: 1, mail: [`m-${number}`], files: 2, things: new Map([["message", 1]]), ...lists },
    came: { newest: paths, authors: paths, count },
    broughtBack: [{ commit: `${number}`, by: [], deleted: 1, changed: 0, paths: [] }],
    contested: ["contested", ...paths],
    attempts: ["attempt"],
    warnings: [],
  };
};

/** How many entries all lists of a value have together. */
const entriesOf = (value: unknown): number =>
  Array.isArray(value)
    ? value.length + value.reduce((sum: number, each) => sum + entriesOf(each), 0)
    : typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, each) => sum + entriesOf(each), 0)
      : 0;

test("the lists of a watch do not grow with its beats, and what is counted is all of it", () => {
  let told = beat(0);
  const sizes: number[] = [];
  for (let number = 1; number <= 1_200; number += 1) {
    told = addSync(told, beat(number));
    if (number % 100 === 10) sizes.push(entriesOf(told));
  }
  expect(sizes.at(-1)).toBe(sizes.at(-2));
  expect(told).toMatchObject({ sent: true, commit: "1200", arrived: { messages: 1_201, files: 2_402 }, came: { count: 24_020 } });
  expect(told.arrived.things.get("message")).toBe(1_201);
  expect(told.arrived.did.at(-1)).toBe("1200/19");
  expect(told.attempts).toEqual(["attempt"]);
});

test("the lists of one sync are never cut", () => {
  const told = addSync(beat(1), beat(2, 5_000));
  expect(told.arrived.did).toEqual(beat(2, 5_000).arrived.did);
});

const TASK = "sessions/s-1/tasks/task-1kg9p6je0a.md";
const THREAD = "threads/2026-01-31/t-20260131-k3f9x2ab/thread.md";
const told = (path: string, text: string): string[] => newlyGaveWay(path, "# a\n", `# a\n${text}\n`);

test("prose is no loss, wherever it is written", () => {
  const prose = ["The old API gave way to v2", "- 2026-01-31 relay: the old API gave way", "- status gave way"];
  for (const line of prose) {
    for (const path of ["memory/project.md", "memory/agents/web.md", TASK, THREAD, "sessions/s-1/summary.md"])
      expect(told(path, line), `${path}: ${line}`).toEqual([]);
    expect(told("memory/project.md", `## History\n${line}`)).toEqual([]);
  }
  expect(told(TASK, "## History\n\n- 2026-01-31T10:00:00.000Z web: the old API gave way to v2")).toEqual([]);
  expect(told(TASK, "## Notes (kept 0123abcd)")).toEqual([]);
});

test("Relay's own lines in a history, and the heading of a kept memory section, are reported", () => {
  expect(told(TASK, '## History\n\n- 2026-01-31T10:00:00.000Z relay: title "a" gave way to "b"')).toEqual([
    `${TASK}: title "a" gave way to "b"`,
  ]);
  expect(told(THREAD, 'Notes.\n\n## History\n\n- status "holding" gave way')).toEqual([`${THREAD}: status "holding" gave way`]);
  expect(told("memory/project.md", "## k (kept 0123abcd)")).toEqual(["memory/project.md: k (kept 0123abcd)"]);
});
