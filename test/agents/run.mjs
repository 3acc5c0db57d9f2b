/** Runs the tests with real agents: at the versions of `versions.json`, or with `--latest` at the newest that npm gives. */
import { spawnSync } from "node:child_process";

const words = process.argv.slice(2);
const isLatest = words.includes("--latest");
const env = { ...process.env, ...(isLatest ? { RELAY_AGENTS_LATEST: "1" } : {}) };
const vitest = ["vitest", "run", "--project", "agents", ...words.filter((word) => word !== "--latest")];
process.exitCode = spawnSync("npx", vitest, { stdio: "inherit", env }).status ?? 1;
