import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/rig/longest-first.ts";

/** Markdown and YAML templates are imported as text, as the build does. */
const asText = {
  name: "text",
  enforce: "pre" as const,
  transform(_code: string, id: string) {
    return /\.(md|yml|service)$/.test(id) ? { code: `export default ${JSON.stringify(readFileSync(id, "utf8"))};`, map: null } : null;
  },
};

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** The tests with the real programs of agents run by themselves: `npm run test:agents`. */
const withAgents = process.env["RELAY_AGENTS"] === "1";

export default defineConfig({
  define: { RELAY_VERSION: JSON.stringify(version) },
  plugins: [asText],
  test: {
    include: [withAgents ? "test/agents/*.test.ts" : "test/**/*.test.ts"],
    exclude: withAgents ? [] : ["test/agents/**"],
    globalSetup: ["test/rig/setup.ts", ...(withAgents ? ["test/agents/setup.ts"] : [])],
    setupFiles: ["test/rig/each.ts", ...(withAgents ? ["test/agents/each.ts"] : [])],
    // Generous, so that no test passes or fails by the speed of the machine.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    // Programs that are not ours start as they like on a busy machine: one that failed is tried once more, and vitest says so.
    retry: withAgents ? 1 : 0,
    // What vitest makes of a file is kept by the file's content.
    experimental: { fsModuleCache: true },
    pool: "forks",
    // A worker starts processes all day, and each start copies its table of pages: what waits to be collected makes that longer.
    execArgv: ["--max-semi-space-size=2", "--expose-gc"],
    // What a file imports is what the one before it imported: loading it anew for each took a fifth of all the time.
    isolate: withAgents,
    // Half of a test is waiting, for a disk or for a process, so two cores have work for four. Real agents are heavy: one at a time.
    maxWorkers: withAgents ? 1 : 4,
    sequence: { sequencer: LongestFirst },
  },
});
