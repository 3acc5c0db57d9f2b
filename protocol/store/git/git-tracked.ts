/** Whether git tracks a file: asked at once and seldom, where the search for a home meets an odd link. */
import { gitEnvironment } from "./git.ts";
import { zeroFields } from "./git-path.ts";

/** Whether the repository of a folder tracks a name in it. What cannot be asked counts as tracked. */
export function isTracked(folder: string, name: string): boolean {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const options = { cwd: folder, env: gitEnvironment(process.env), timeout: 10_000 };
  const { status, stdout } = spawnSync("git", ["-c", "core.fsmonitor=false", "ls-files", "-z", "--", `:(literal)${name}`], options);
  return status !== 0 || stdout.length > 0;
}

/**
 * What a working tree's repository tracks at some paths and below them, in whatever case.
 * @param top absolute path of the working tree
 * @param paths from its top, with `/`
 * @returns such paths; null where git cannot be asked
 */
export function trackedBelow(top: string, paths: readonly string[]): string[] | null {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const asked = paths.map((each) => `:(top,literal,icase)${each}`);
  const options = { cwd: top, env: gitEnvironment(process.env), timeout: 10_000, maxBuffer: 2 ** 28 };
  const { status, stdout } = spawnSync("git", ["-c", "core.fsmonitor=false", "ls-files", "-z", "--", ...asked], options);
  return status === 0 ? zeroFields(stdout).filter((name) => name !== "") : null;
}
