/** Talking to a remote: fetching and sending one branch, with nobody there to answer a question. SPEC.md, "Syncing". */
import { type Refusal, refuse } from "../refusal.ts";
import { refusalOfDisk } from "./git.ts";
import { type GitCall, type GitResult, gitIn, gitResult, type Repository } from "./git-run.ts";

/** A remote as it is used: where it is fetched from and sent to, and settings of the code that reaching it needs. */
export interface Remote {
  /** What people call it: its name in the code's repository, or its URL. */
  name: string;
  url: string;
  pushUrl: string;
  /** Settings of git, such as `core.sshCommand` and `http.proxy`. */
  settings: readonly (readonly [string, string])[];
}

/** How long a remote may take, and who may end the wait. */
export interface Patience {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** A server that sends less than this for so long has gone away. */
const SLOW = [
  ["http.lowSpeedLimit", "1"],
  ["http.lowSpeedTime", "60"],
  ["core.askPass", ""],
  ["gc.auto", "0"],
  ["fetch.fsckObjects", "false"],
] as const;

/** The settings go by the environment, so that nothing of them is kept, or shows in a list of processes. */
export async function callOf(
  repository: Repository,
  { settings, url, pushUrl }: Remote,
  { timeoutMs, signal }: Patience,
): Promise<GitCall> {
  const all = [...SLOW, ...settings];
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(all.length) };
  for (const [index, [name, value]] of all.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = name;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  // A folder on this disk, or a web server, is not reached by ssh.
  const bySsh = [url, pushUrl].some((at) => !/^(\/|https?:|file:)/i.test(at) || settings.some(([name]) => /^url\./i.test(name)));
  if (
    bySsh &&
    process.env["GIT_SSH_COMMAND"] === undefined &&
    process.env["GIT_SSH"] === undefined &&
    !(await hasSshCommand(repository, env))
  )
    env["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes -o ConnectTimeout=30";
  return { env, timeoutMs, signal };
}

async function hasSshCommand(repository: Repository, env: Record<string, string>): Promise<boolean> {
  return (await gitResult(repository, ["config", "--get", "core.sshCommand"], { env })).code === 0;
}

/** So often a fetch whose ref another moved is tried again. */
const FETCH_TRIES = 5;

/**
 * Fetches a branch into a ref.
 * @returns whether the remote has the branch
 * @throws Refusal `remote_unreachable`, `login_needed`
 */
export const fetchBranch = (repository: Repository, remote: Remote, branch: string, into: string, patience: Patience): Promise<boolean> =>
  fetchRefspec(repository, remote, `+refs/heads/${branch}:${into}`, patience);

/**
 * Fetches what a refspec says; with a `*` in it, what the remote has no more goes here too.
 * @returns whether the remote has it
 * @throws Refusal `remote_unreachable`, `login_needed`
 */
export async function fetchRefspec(repository: Repository, remote: Remote, refspec: string, patience: Patience): Promise<boolean> {
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  if (refspec.includes("*")) args.push("--prune");
  const call = await callOf(repository, remote, patience);
  for (let tried = 1; ; tried += 1) {
    const result = await gitResult(repository, [...args, "--end-of-options", remote.url, refspec], call);
    if (result.code === 0) return true;
    if (/couldn't find remote ref/i.test(result.err)) return false;
    // The git of a process that was killed may live on for a moment, and move the ref as well.
    if (tried > FETCH_TRIES || !/cannot lock ref/.test(result.err)) throw failed(repository, remote, result, patience);
    await new Promise((resolve) => setTimeout(resolve, 100 * tried));
  }
}

/** Whether a remote has a branch. @throws Refusal `remote_unreachable`, `login_needed` */
export async function hasBranch(repository: Repository, remote: Remote, branch: string, patience: Patience): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const call = await callOf(repository, remote, patience);
  const result = await gitResult(repository, ["ls-remote", "--quiet", "--end-of-options", remote.url, ref], call);
  if (result.code !== 0) throw failed(repository, remote, result, patience);
  return result.out
    .toString("utf8")
    .split("\n")
    .some((line) => line.endsWith(`\t${ref}`));
}

/** How a push ended: `behind` when somebody else sent something first. */
export type Pushed = "done" | "behind";

/**
 * Sends a commit to a branch, which only ever moves forward.
 * @throws Refusal `remote_refused`, `remote_unreachable`, `login_needed`
 */
export async function pushBranch(
  repository: Repository,
  remote: Remote,
  commit: string,
  branch: string,
  patience: Patience,
): Promise<Pushed> {
  const args = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no", "--end-of-options"];
  const call = await callOf(repository, remote, patience);
  const result = await gitResult(repository, [...args, remote.pushUrl, `${commit}:refs/heads/${branch}`], call);
  if (result.code === 0) return "done";
  const line = /^!\t[^\t]*\t(.*)$/m.exec(result.out.toString("utf8"))?.[1] ?? "";
  if (isBehind(line, result.err)) return "behind";
  if (line !== "") throw refuse("remote_refused", { remote: remote.name, reason: wordsOf(`${line}\n${result.err}`) });
  throw failed(repository, remote, result, patience);
}

/** Whether a push was only too late; who asks again after the next fetch may win. */
export function isBehind(line: string, err: string): boolean {
  const words = `${line}\n${err}`;
  // A branch `relay/x` of the remote keeps it from having a branch `relay`, however often one tries.
  if (/hook declined|protected branch|GH\d{3}|prohibited|exists; cannot create|directory\/file conflict/i.test(words)) return false;
  return /\(non-fast-forward\)|\(fetch first\)|stale info|failed to update ref|cannot lock ref|incorrect old value|reference already exists|failed to lock/i.test(
    words,
  );
}

const LOGIN =
  /could not read (Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|Host key verification failed|Access denied|invalid credentials|returned error: 40[13]|passphrase|not authorized/i;

/** The refusal for a remote that could not be used. */
export function failed(repository: Repository, remote: Remote, { err, timedOut }: GitResult, { timeoutMs, signal }: Patience): Refusal {
  if (signal?.aborted === true) return refuse("interrupted", { state: `${remote.name} was not waited for; what is here is recorded` });
  // What the other side's disk says comes with `remote:` before it.
  const full = refusalOfDisk(repository.gitDir, err.replace(/^remote:.*$/gm, ""));
  if (full !== null) return full;
  const reason = timedOut ? `it did not answer within ${Math.round(timeoutMs / 1_000)} seconds` : wordsOf(err);
  if (!timedOut && LOGIN.test(err)) return refuse("login_needed", { remote: remote.name, reason });
  return refuse("remote_unreachable", { remote: remote.name, reason });
}

/** What git said that matters, in one line; never a password that stood in a URL. */
export function wordsOf(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^(fatal|error|remote|ssh): */, "").trim())
    .filter((line) => line !== "" && !/^(hint:|To |Done$|Please make sure|and the repository exists)/.test(line));
  return (
    lines
      .slice(0, 4)
      .join("; ")
      .replace(/[.;\s]+$/, "") || "git gave no reason"
  ).replace(/:\/\/[^/@\s]+@/g, "://");
}

/**
 * Clones a repository into a folder, as `git clone` does.
 * @throws Refusal `remote_unreachable`, `login_needed`, `git_failed` where the folder is in the way
 */
export async function cloneInto(cwd: string, url: string, folder: string, patience: Patience): Promise<void> {
  const env = Object.fromEntries(process.env["GIT_SSH_COMMAND"] === undefined ? [["GIT_SSH_COMMAND", "ssh -o BatchMode=yes"]] : []);
  const result = await gitIn(cwd, ["clone", "--quiet", "--", url, folder], { env, ...patience });
  if (result.code === 0) return;
  if (/already exists and is not an empty/.test(result.err))
    throw refuse("git_failed", { command: "git clone", reason: wordsOf(result.err) });
  const there = { gitDir: cwd, workTree: cwd };
  throw failed(there, { name: url, url, pushUrl: url, settings: [] }, result, patience);
}
