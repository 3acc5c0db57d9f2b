/** Runs the tests with real agents: one scene of each, or with `--all` every one; with `--latest` all at the newest versions that npm gives. */
import { spawnSync } from "node:child_process";

const words = process.argv.slice(2);
const isLatest = words.includes("--latest");
const isAll = isLatest || words.includes("--all");
const env = { ...process.env, ...(isLatest ? { RELAY_AGENTS_LATEST: "1" } : {}), ...(isAll ? { RELAY_AGENTS_ALL: "1" } : {}) };
const vitest = ["vitest", "run", "--project", "agents", ...words.filter((word) => !["--latest", "--all"].includes(word))];
process.exitCode = spawnSync("npx", vitest, { stdio: "inherit", env }).status ?? 1;
