/**
 * The environment of every git that Relay starts. It starts without the variables of `git rev-parse --local-env-vars`: inside a
 * hook of the code they point at the code's index. spec/git.md, "Git".
 */
import { withAbsolutePath, withOwnPath } from "../store/program.ts";
import { asVariables, settingsIn, silencing } from "./git-config.ts";

/** An environment without what ties it to one repository of git, and without the folders of `PATH` that mean another place in each folder. */
export function untied(from: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    const tied = LOCAL_VARIABLES.has(name) || /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name);
    if (value !== undefined && !tied) environment[name] = value;
  }
  return withAbsolutePath(environment);
}

/**
 * The environment of a git child: what ties it to the code is gone, it never waits on a prompt, its words are known, and no file of a
 * repository makes it start a program.
 * @param cwd where git is started
 * @param extra added to it; what is undefined is taken out
 */
export function gitEnvironment(
  from: Record<string, string | undefined>,
  cwd: string,
  extra: Record<string, string | undefined> = {},
): Record<string, string> {
  const settings = asVariables([...silencing(cwd, extra["GIT_DIR"]), ...settingsIn(extra)]);
  return defined({ ...withOwnPath(untied(from)), LC_ALL: "C", ...UNASKING, ...TRUE_HISTORY, ...UNFETCHING, ...extra, ...settings });
}

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
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
};

/** History is what the objects say: no commit stands for another, and none has other parents than it names. Git is silent of a file that cannot be there. */
export const TRUE_HISTORY = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

/**
 * A repository that lacks objects fetches none for it: its settings name who has them. Git before 2.45 may not know the first variable, and
 * then has no protocol by which it could. What talks to a remote says by which.
 */
const UNFETCHING = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/** Of each git that compares a working tree: it would start another in each repository inside of that, with the filters that it has. */
export const NOT_INSIDE = "--ignore-submodules=dirty";

/** The variables of an environment that have a value. */
export const defined = (from: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(from).filter((entry): entry is [string, string] => entry[1] !== undefined));

/**
 * Settings of each git that writes in a home's repository, of its own call alone, whatever the user's git is set to: each file is flushed
 * before it has its name. Git before 2.36 does not know them, and flushes packs.
 */
export const FLUSHED = ["-c", "core.fsync=committed,loose-object,reference", "-c", "core.fsyncMethod=fsync"];
/** The same where nothing is to wait for the disk (`durability: process`). */
export const UNFLUSHED = ["-c", "core.fsync=none"];
