/** Relay as it was at an earlier commit, built once beside this one and kept: what a version is compared with, in turn. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { kept } from "./kept.mjs";
import { childEnv, run } from "./measure.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command of a commit; null where the repository has no such commit. It is built with the packages of this version. */
export async function earlierRelay(commit) {
  if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT, stdio: "ignore" }).status !== 0) return null;
  const folder = await kept(
    "relay",
    async (at) => {
      run("sh", ["-c", `git archive ${commit} | tar -x -C "$0"`, at], ROOT);
      fs.symlinkSync(fs.realpathSync(path.join(ROOT, "node_modules")), path.join(at, "node_modules"));
      run(process.execPath, ["build.mjs", "--fast"], at, childEnv);
    },
    commit,
  );
  return path.join(folder, "dist/relay.cjs");
}
