import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Markdown and YAML templates are imported as text, as the build does. */
const asText = {
  name: "text",
  enforce: "pre" as const,
  transform(_code: string, id: string) {
    return /\.(md|yml|service)$/.test(id) ? { code: `export default ${JSON.stringify(readFileSync(id, "utf8"))};`, map: null } : null;
  },
};

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

export default defineConfig({
  define: { RELAY_VERSION: JSON.stringify(version) },
  plugins: [asText],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup.ts"],
    setupFiles: ["test/each.ts"],
    // Generous, so that no test passes or fails by the speed of the machine.
    testTimeout: 400_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
