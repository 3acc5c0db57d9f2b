/**
 * Starting git; the only file that knows simple-git, which is loaded when first used.
 *
 * Every child starts without the variables of `git rev-parse --local-env-vars`: inside a hook of the code they point at
 * the code's index. spec/git.md, "Git".
 */
import { type Refusal, refuse } from "../../refusal.ts";

/** The variables that tie git to one repository, as `git rev-parse --local-env-vars` lists them, and others that a hook is given. */
const LOCAL_VARIABLES = new Set([
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

/**
 * simple-git refuses these for programs that pass on what strangers wrote. Here the arguments are Relay's own, and the
 * environment is that of the user who started it.
 */
const OWN_ENVIRONMENT = {
  allowUnsafeAskPass: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeEditor: true,
  allowUnsafeExec: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGitProxy: true,
  allowUnsafeHooksPath: true,
  allowUnsafePager: true,
  allowUnsafeSshCommand: true,
  allowUnsafeTemplateDir: true,
};

/** An environment without what ties it to one repository of git. */
export function untied(from: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    const tied = LOCAL_VARIABLES.has(name) || /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name);
    if (value !== undefined && !tied) environment[name] = value;
  }
  return environment;
}

/** Nobody is asked for anything: not on the terminal, not by a program that opens a window. An empty GIT_ASKPASS also keeps git from SSH_ASKPASS. */
const UNASKING = {
  // History is what was pushed, and not what a local replacement says of it.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null/none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
};

/** History is what the objects say: no commit stands for another, and none has other parents than it names. Git is silent of a file that cannot be there. */
const TRUE_HISTORY = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

const defined = (from: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(from).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The environment of a git child: what ties it to the code is gone, it never waits on a prompt, and its words are known. */
export function gitEnvironment(
  from: Record<string, string | undefined>,
  extra: Record<string, string | undefined> = {},
): Record<string, string> {
  return defined({ ...untied(from), LC_ALL: "C", ...UNASKING, ...TRUE_HISTORY, ...extra });
}

/**
 * Runs git and gives what it printed.
 * @param folder absolute path to run in
 * @param args the command and its arguments; never made from a message's text without `--` or `-e` before it
 * @throws Refusal `git_failed` with git's own words
 */
export async function git(folder: string, args: readonly string[], extra: Record<string, string> = {}): Promise<string> {
  const { simpleGit } = await import("simple-git");
  try {
    const environment = gitEnvironment(process.env, extra);
    const options = { baseDir: folder, trimmed: false, allowEnvironment: Object.keys(environment), unsafe: OWN_ENVIRONMENT };
    return await simpleGit(options)
      .env(environment)
      .raw([...args]);
  } catch (error) {
    throw gitRefusal(folder, args, (error as Error).message.trim());
  }
}

/** What git says of the disk is told as every disk's refusal is. */
export function gitRefusal(folder: string, args: readonly string[], reason: string): Refusal {
  return refusalOfDisk(folder, reason) ?? refuse("git_failed", { command: `git ${withoutOptions(args).slice(0, 3).join(" ")}`, reason });
}

/** The refusal where git says that the disk would not have it; null where it says something else. */
export function refusalOfDisk(folder: string, reason: string): Refusal | null {
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(reason)) return refuse("disk_full", { path: folder });
  if (reason.includes("Read-only file system")) return refuse("not_writable", { path: folder, reason: "the file system is read-only" });
  return null;
}

/** A command of git without the options that go before it. */
function withoutOptions([first = "", ...rest]: readonly string[]): readonly string[] {
  if (!first.startsWith("-")) return [first, ...rest];
  return withoutOptions(first === "-c" ? rest.slice(1) : rest);
}

/** The version of git, such as `2.39.5`; null when there is none. */
export function gitVersion(): Promise<string | null> {
  return new Promise((resolve) => {
    const { execFile } = process.getBuiltinModule("node:child_process");
    execFile("git", ["--version"], (error, stdout) => {
      resolve(error === null ? (/\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? null) : null);
    });
  });
}
