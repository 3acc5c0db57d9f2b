/** What a sync that goes on for months keeps of what it listed. */
import { expect, test } from "vitest";
import type { Synced } from "../../protocol/sync/sync/sync-result.ts";
import { addSync } from "../../protocol/sync/sync/sync-result.ts";

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
