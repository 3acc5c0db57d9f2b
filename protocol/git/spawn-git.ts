/** Starts git as a process of its own, for what is read or fed while it runs, and for what cannot be waited for; nothing else does but `git.ts`. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { refuse } from "../core/refusal.ts";
import { gitEnvironment } from "./git-environment.ts";

/** Longer than this nobody waits for an answer at once. */
const AT_ONCE_MS = 10_000;
/** Names of all files of a large repository. */
const MOST_BYTES = 2 ** 28;

/** Has a program, and each that it starts, end where it takes more memory than the first argument says, in KiB. macOS has no such limit. */
const BOUNDED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

/**
 * Starts git in a process group without a terminal: nothing it starts can ask anybody anything, and all of it can be ended together.
 * @param extra added to the environment; what is undefined is taken out of it
 * @param memoryBytes most memory of git and of each program that it starts
 * @throws Refusal `git_failed` of arguments that no system takes, and where this process may open no more files
 */
export function spawnGit(
  cwd: string,
  args: readonly string[],
  extra: Readonly<Record<string, string | undefined>> = {},
  memoryBytes?: number,
): ChildProcessWithoutNullStreams {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const env = gitEnvironment(process.env, cwd, extra);
  let child: ChildProcess;
  try {
    const argv =
      memoryBytes === undefined ? ["git", ...args] : ["sh", "-c", BOUNDED, String(Math.floor(memoryBytes / 1_024)), "git", ...args];
    child = spawn(argv[0] as string, argv.slice(1), { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    throw refuse("git_failed", { command: "git", reason: (error as Error).message });
  }
  if (hasPipes(child)) return child;
  child.once("error", () => {});
  throw refuse("git_failed", { command: "git", reason: "this process has too many open files (EMFILE)" });
}

/** A process that could not be given pipes has none, whatever its type says. */
const hasPipes = (child: ChildProcess): child is ChildProcessWithoutNullStreams => Boolean(child.stdin && child.stdout && child.stderr);

/**
 * What git prints, waited for with all that this process does: for callers that cannot wait otherwise. Null where it fails.
 */
export function gitAtOnce(cwd: string, args: readonly string[]): Buffer | null {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const options = { cwd, env: gitEnvironment(process.env, cwd), timeout: AT_ONCE_MS, maxBuffer: MOST_BYTES };
  const { status, stdout } = spawnSync("git", [...args], options);
  return status === 0 ? stdout : null;
}

export const LIST = ["ls-files", "-z", "--"];
