/** Starts git as a process of its own, for what is read or fed while it runs, and for what cannot be waited for; nothing else does but `git.ts`. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { refuse } from "../../refusal.ts";
import { gitEnvironment } from "./git-environment.ts";

/** The variables that tie git to one repository, as `git rev-parse --local-env-vars` lists them, and others that a hook is given. */
export const LOCAL_VARIABLES = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_PARAMETERS",
  "GIT_DIR",
  "GIT_GLOB_PATHSPECS",
  "GIT_GRAFT_FILE",
  "GIT_ICASE_PATHSPECS",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_LITERAL_PATHSPECS",
  "GIT_NAMESPACE",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
]);

/** Nobody is asked for anything: not on the terminal, not by a program that opens a window. An empty GIT_ASKPASS also keeps git from SSH_ASKPASS. */
export const UNASKING = {
  // History is what was pushed, and not what a local replacement says of it.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null/none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
};

/** History is what the objects say: no commit stands for another, and none has other parents than it names. Git is silent of a file that cannot be there. */
export const TRUE_HISTORY = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

export const defined = (from: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(from).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** Longer than this nobody waits for an answer at once. */
const AT_ONCE_MS = 10_000;
/** Names of all files of a large repository. */
const MOST_BYTES = 2 ** 28;

/**
 * Starts git in a process group without a terminal: nothing it starts can ask anybody anything, and all of it can be ended together.
 * @param extra added to the environment; what is undefined is taken out of it
 * @throws Refusal `git_failed` of arguments that no system takes, and where this process may open no more files
 */
export function spawnGit(
  cwd: string,
  args: readonly string[],
  extra: Readonly<Record<string, string | undefined>> = {},
): ChildProcessWithoutNullStreams {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const env = gitEnvironment(process.env, extra);
  let child: ChildProcess;
  try {
    child = spawn("git", [...args], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    throw refuse("git_failed", { command: "git", reason: (error as Error).message });
  }
  if (hasPipes(child)) return child;
  child.once("error", () => {});
  throw refuse("git_failed", { command: "git", reason: "this process has too many open files (EMFILE)" });
}

/** A process that could not be given pipes has none, whatever its type says. */
const hasPipes = (child: ChildProcess): child is ChildProcessWithoutNullStreams => Boolean(child.stdin && child.stdout && child.stderr);

/** What git prints, waited for with all that this process does: for callers that cannot wait otherwise. Null where it fails. */
export function gitAtOnce(cwd: string, args: readonly string[]): Buffer | null {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const options = { cwd, env: gitEnvironment(process.env), timeout: AT_ONCE_MS, maxBuffer: MOST_BYTES };
  const { status, stdout } = spawnSync("git", [...args], options);
  return status === 0 ? stdout : null;
}

export const LIST = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--"];
