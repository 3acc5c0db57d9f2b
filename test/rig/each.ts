/** After each test: nothing may be left running, and scratch folders go. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { usePackages } from "../../protocol/packages.ts";
import { builtFile } from "./built.ts";
import { TIMEOUT_MS } from "./counts.ts";
import "./end-with-parent.ts";
import { collectGarbage } from "./memory.ts";
import { leftProcesses } from "./processes.ts";
import { leftRecorders } from "./recorders.ts";
import { clearScratch, GIT_CONFIG } from "./scratch.ts";

usePackages();
// Nothing cuts the power while a test runs, so what its own process writes is not waited for; processes of their own wait.
Object.assign(fs, { fsyncSync: () => undefined });
// Operations that are called in this process start their threads from the folder of what was built.
Object.defineProperty(globalThis, "RELAY_FOLDER", { configurable: true, get: () => path.dirname(builtFile("index.js")) });
// Operations that are called in this process start git with its environment.
process.env["GIT_CONFIG_GLOBAL"] = GIT_CONFIG;
process.env["GIT_TEST_FSYNC"] = "0";
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

afterEach(async () => {
  const left = await leftProcesses();
  clearScratch();
  collectGarbage();
  expect(left, "processes that the test left behind").toEqual([]);
  // Removing a hundred thousand files takes its time on a busy machine.
}, TIMEOUT_MS);

// A recorder is no child of the command that left it.
afterAll(() => expect(leftRecorders(), "recorders that tests left behind").toEqual([]));
