import { readFileSync } from "node:fs";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { AGENTS, FAST, LONG } from "./test/groups.ts";
import { TIMEOUT_MS } from "./test/rig/counts.ts";
import { HostTable } from "./test/rig/host-table.ts";
import { LongestFirst } from "./test/rig/longest-first.ts";
import { Tally } from "./test/rig/tally.ts";

/** Imports Markdown and YAML templates as text, as the build does. */
const asText = {
  name: "text",
  enforce: "pre" as const,
  transform(_code: string, id: string) {
    return /\.(md|yml|service)$/.test(id) ? { code: `export default ${JSON.stringify(readFileSync(id, "utf8"))};`, map: null } : null;
  },
};

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** A group of tests, which `vitest run --project NAME` runs alone. */
const group = (name: string, files: { include: string[]; exclude: string[] }): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, ...files },
});

/** The real programs of agents: installed first, and two files at a time, because they are heavy. */
const agents: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "agents",
    ...AGENTS,
    globalSetup: ["test/agents/setup.ts"],
    setupFiles: ["test/agents/each.ts"],
    // A program that is not Relay's and failed to start on a busy machine is started once more, and vitest says so.
    retry: 1,
    isolate: true,
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
};

export default defineConfig({
  define: { RELAY_VERSION: JSON.stringify(version) },
  plugins: [asText],
  test: {
    projects: [group("fast", FAST), group("long", LONG), agents],
    globalSetup: ["test/rig/setup.ts"],
    setupFiles: ["test/rig/each.ts"],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // What vitest makes of a file is kept by the file's content.
    experimental: { fsModuleCache: true },
    pool: "forks",
    // A worker starts processes all day, and each start copies its table of pages: what waits to be collected makes that longer.
    execArgv: ["--max-semi-space-size=2", "--expose-gc"],
    // What a file imports is what the one before it imported: loading it anew for each took a fifth of all the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new Tally(), ...(process.env["RELAY_AGENTS_LATEST"] === undefined ? [] : [new HostTable()])],
  },
});
