/** After each test: nothing may be left running, and scratch folders go. */
import { afterEach, expect } from "vitest";
import { TIMEOUT_MS } from "./counts.ts";
import { clearScratch, leftProcesses } from "./rig.ts";

afterEach(async () => {
  const left = await leftProcesses();
  clearScratch();
  expect(left, "processes that the test left behind").toEqual([]);
  // Removing a hundred thousand files takes its time on a busy machine.
}, TIMEOUT_MS);
