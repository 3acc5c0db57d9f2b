/** Whether git tracks a file: asked at once and seldom, where the search for a home meets an odd link. */
import { gitEnvironment } from "./git.ts";

/** Whether the repository of a folder tracks a name in it. What cannot be asked counts as tracked. */
export function isTracked(folder: string, name: string): boolean {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const options = { cwd: folder, env: gitEnvironment(process.env), timeout: 10_000 };
  const { status, stdout } = spawnSync("git", ["-c", "core.fsmonitor=false", "ls-files", "-z", "--", `:(literal)${name}`], options);
  return status !== 0 || stdout.length > 0;
}
