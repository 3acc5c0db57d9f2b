/**
 * How git is run where it talks to somebody else: with an environment and settings that are known to the last, a deadline,
 * and an eye on what it writes. spec/git.md, "The remote".
 */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { refuse } from "../../core/refusal.ts";
import { asVariables, leadingIn, type Setting } from "../git-config.ts";
import { type GitCall, type GitResult, gitIn, gitResult, type Repository } from "../git-run.ts";
import { serverOf } from "./remote-url.ts";

/** A remote as it is used: where it is fetched from and sent to, and settings of the code that reaching it needs. */
export interface Remote {
  /** What people call it: its name in the code's repository, or its URL without a password. */
  name: string;
  url: string;
  pushUrl: string;
  /** Settings of git, such as `ssh.variant` and `http.proxy`. */
  settings: readonly Setting[];
}

/** How long a remote may take, and who may end the wait. */
export interface Patience {
  /** At most, for one call. */
  timeoutMs: number;
  /** When several calls together are over, by `performance.now()`. */
  endsMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What of the environment leads git to other settings or programs, beside the variables that tie it to a repository. */
const LEADING = new Set(["GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF"]);

/** Oddities of a tree that a layout leaves out anyway; they must not keep what is beside them from arriving. */
const LEFT_OUT = ["hasDot", "hasDotdot", "hasDotgit", "zeroPaddedFilemode"];
/** Oddities of who made a commit and when, which say nothing of what it holds: no push may stop a home by them. */
const IN_HEADS = ["badDate", "badDateOverflow", "badTimezone", "zeroPaddedDate", "badEmail", "badName"];
const MISSING_IN_HEADS = ["Email", "NameBeforeEmail", "SpaceBeforeEmail", "SpaceBeforeDate"].map((what) => `missing${what}`);
const GITMODULES = ["Blob", "Large", "Missing", "Name", "Parse", "Path", "Symlink", "Update", "Url"];

/** No program of anybody's is run, nobody is asked, nothing but the branch is fetched or sent, and what comes is checked. */
const SETTINGS: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.alternateRefsCommand", ""],
  ["core.askPass", ""],
  ["credential.interactive", "false"],
  ["fetch.fsckObjects", "true"],
  ...[...LEFT_OUT, ...IN_HEADS, ...MISSING_IN_HEADS].map((name) => [`fetch.fsck.${name}`, "ignore"] as const),
  ...GITMODULES.map((name) => [`fetch.fsck.gitmodules${name}`, "ignore"] as const),
  ["transfer.bundleURI", "false"],
  ["fetch.uriProtocols", ""],
  ["fetch.recurseSubmodules", "false"],
  ["submodule.recurse", "false"],
  ["fetch.writeCommitGraph", "false"],
  ["push.gpgSign", "false"],
  ["push.pushOption", ""],
  ["push.followTags", "false"],
  ["gc.auto", "0"],
  // Each thread has a stack, and git's memory is bounded.
  ["pack.threads", "4"],
  // A server that sends less than this for so long has gone away.
  ["http.lowSpeedLimit", "1"],
  ["http.lowSpeedTime", "60"],
];

const SSH = [
  "ssh",
  "-o BatchMode=yes",
  "-o ConnectTimeout=30",
  "-o ForwardAgent=no",
  "-o ClearAllForwardings=yes",
  "-o PermitLocalCommand=no",
].join(" ");

/** What is taken out of the environment of every git that asks for, or uses, a remote. */
export function unled(from: Readonly<Record<string, string | undefined>> = process.env): Record<string, undefined> {
  const names = Object.keys(from).filter((name) => LEADING.has(name) || name.startsWith("GIT_CONFIG"));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Most memory of a git that talks to a remote, which may name refs without end. */
export const MEMORY_BYTES = 2 ** 30;

/**
 * How git is called for one address of a remote. The settings go by the environment, so that nothing of them is kept, or
 * shows in a list of processes.
 * @throws Refusal `git_failed` where the home's repository leads git elsewhere
 */
export async function networkCall(
  repository: Repository | null,
  settings: Remote["settings"],
  url: string,
  { timeoutMs, endsMs, signal }: Patience,
): Promise<GitCall> {
  const leading = repository === null ? null : leadingIn(repository.gitDir);
  if (repository !== null && leading !== null) {
    const reason = `${leading} in ${repository.gitDir}/config: how the remote is reached is set in the code's repository. Take it away`;
    throw refuse("git_failed", { command: "git fetch", reason });
  }
  const { scheme = "file" } = serverOf(url) ?? {};
  const env: Record<string, string | undefined> = {
    ...unled(),
    GIT_ALLOW_PROTOCOL: scheme,
    GIT_OPTIONAL_LOCKS: "0",
    ...asVariables([...settings, ...SETTINGS]),
  };
  const isChosen = process.env["GIT_SSH_COMMAND"] !== undefined || process.env["GIT_SSH"] !== undefined;
  if (scheme === "ssh" && !isChosen && !(await hasSshCommand(repository, env))) env["GIT_SSH_COMMAND"] = SSH;
  return {
    env,
    memoryBytes: MEMORY_BYTES,
    timeoutMs: Math.max(1, Math.min(timeoutMs, (endsMs ?? Number.POSITIVE_INFINITY) - performance.now())),
    signal,
  };
}

async function hasSshCommand(repository: Repository | null, env: Record<string, string | undefined>): Promise<boolean> {
  const args = ["config", "--get", "core.sshCommand"];
  const { code, out } = await (repository === null ? gitNowhere(args, { env }) : gitResult(repository, args, { env }));
  // What stands in the repository itself was silenced to that.
  return code === 0 && out.toString("utf8").trim() !== "ssh";
}

/** Runs git outside of any repository. */
export const gitNowhere = (args: readonly string[], call: GitCall): Promise<GitResult> =>
  gitIn("/", args, { ...call, env: { ...call.env, GIT_CEILING_DIRECTORIES: "/" } });

/** So many bytes may come in one fetch; for a larger repository, four times its size. */
const MOST_BYTES = 512 * 1024 * 1024;
const TIMES = 4;
const LOOK_MS = 500;

/** How a fetch ended, and whether it was ended because too much came. */
export interface FetchResult extends GitResult {
  /** Bytes that had come when it was ended; 0 of one that was not. */
  tooManyBytes: number;
}

/** Runs a fetch into a repository with an eye on what it writes: git itself knows no limit. @param most bytes; where it is absent, 512 MiB or four times the size of the repository */
export async function runFetch(repository: Repository, args: readonly string[], call: GitCall, most?: number): Promise<FetchResult> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  call.signal?.addEventListener("abort", end, { once: true });
  if (call.signal?.aborted === true) end();
  const sinceMs = Date.now() - LOOK_MS;
  let tooManyBytes = 0;
  const watching = setInterval(() => {
    const { came, before } = objectBytes(repository, sinceMs);
    if (came <= (most ?? Math.max(MOST_BYTES, TIMES * before))) return;
    tooManyBytes = came;
    end();
  }, LOOK_MS);
  try {
    const result = await gitResult(repository, args, { ...call, signal: stop.signal });
    if (result.code !== 0) dropHalfPacks(repository, sinceMs);
    return { ...result, tooManyBytes };
  } finally {
    clearInterval(watching);
    call.signal?.removeEventListener("abort", end);
  }
}

/** Bytes of objects, packed and loose, that were written since a time, and before it. */
function objectBytes({ gitDir }: Repository, sinceMs: number): { came: number; before: number } {
  const bytes = { came: 0, before: 0 };
  const objects = path.join(gitDir, "objects");
  for (const folder of namesIn(objects).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))) {
    for (const name of namesIn(path.join(objects, folder))) {
      const stat = fs.statSync(path.join(objects, folder, name), { throwIfNoEntry: false });
      if (stat !== undefined) bytes[stat.mtimeMs >= sinceMs ? "came" : "before"] += stat.size;
    }
  }
  return bytes;
}

/** Removes what a git that was killed, or found no room, left half written: each try would leave as much again. */
function dropHalfPacks({ gitDir }: Repository, sinceMs: number): void {
  const folder = path.join(gitDir, "objects", "pack");
  for (const name of namesIn(folder).filter((each) => each.startsWith("tmp_"))) {
    const at = path.join(folder, name);
    const stat = fs.statSync(at, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs >= sinceMs) fs.rmSync(at, { force: true });
  }
}

const namesIn = (folder: string): string[] => orElse([], () => fs.readdirSync(folder));
