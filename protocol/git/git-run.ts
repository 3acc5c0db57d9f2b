/** Git's plumbing on one repository, named outright so that no other is ever found: fed on stdin, with a time limit. spec/git.md, "Git". */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import fs from "node:fs";
import { type Refusal, refuse } from "../core/refusal.ts";
import { watchGit } from "./endless-files.ts";
import { FLUSHED, UNFLUSHED } from "./git-environment.ts";
import { spawnGit } from "./spawn-git.ts";

/** A home's own repository. Both paths are absolute. */
export interface Repository {
  /** Git's directory. */
  gitDir: string;
  /** The home. */
  workTree: string;
  /** Whether an answer waits until the disk has what git wrote; it does where this is absent. */
  durable?: boolean;
}

/** How git is called. */
export interface GitCall {
  input?: string | Uint8Array | undefined;
  /** The index to use instead of the repository's; absolute. */
  index?: string | undefined;
  /** Added to the environment; what is undefined is taken out of it. */
  env?: Record<string, string | undefined> | undefined;
  /** Git and all it started are killed after so many milliseconds. */
  timeoutMs?: number | undefined;
  /** Most memory of git and of each program that it starts. */
  memoryBytes?: number | undefined;
  /** Most bytes that it may print: then it is killed. */
  outBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** How git ended; no code when it was killed. */
export interface GitResult {
  code: number | null;
  out: Buffer;
  err: string;
  timedOut: boolean;
}

/** Local commands wait for the disk alone; this only ends one that hangs. */
const LOCAL_MS = 600_000;

/**
 * Runs git on a repository, in a process group without a terminal: nothing it starts can ask anybody anything.
 * Never rejects but where git cannot be started.
 * @throws Refusal `git_failed`
 */
export function gitResult(repository: Repository, args: readonly string[], call: GitCall = {}): Promise<GitResult> {
  const env = { ...tiesTo(repository), ...call.env };
  if (call.index !== undefined) env["GIT_INDEX_FILE"] = call.index;
  return gitIn(folderOf(repository), [...(repository.durable === false ? UNFLUSHED : FLUSHED), ...args], { ...call, env });
}

/** Starts git on a repository, for a caller that reads its output while it runs. @throws Refusal `git_failed` */
export const startGit = (repository: Repository, args: readonly string[]): ChildProcessWithoutNullStreams =>
  spawnGit(folderOf(repository), args, tiesTo(repository));

/** The repository by all of its names: a file in it that leads elsewhere (`commondir`) is not followed. */
const tiesTo = ({ gitDir, workTree }: Repository): Record<string, string> => ({
  GIT_DIR: gitDir,
  GIT_COMMON_DIR: gitDir,
  GIT_WORK_TREE: workTree,
});
const folderOf = ({ gitDir, workTree }: Repository): string => (fs.existsSync(workTree) ? workTree : gitDir);

/** The repository that git finds from a folder; null when there is none. */
export async function repositoryFrom(folder: string): Promise<Repository | null> {
  const { code, out } = await gitIn(folder, ["rev-parse", "--absolute-git-dir"], {});
  return code === 0 ? { gitDir: out.toString("utf8").replace(/\n$/, ""), workTree: folder } : null;
}

/** The same in a folder, on whatever repository git finds there. */
export function gitIn(cwd: string, args: readonly string[], call: GitCall): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    if (call.signal?.aborted === true) {
      resolve({ code: null, out: Buffer.alloc(0), err: "", timedOut: false });
      return;
    }
    const child = spawnGit(cwd, args, call.env, call.memoryBytes);
    const out: Buffer[] = [];
    let printed = 0;
    let err = "";
    let timedOut = false;
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // Gone already.
      }
      // A child that left the group may hold the pipes open for ever, and nobody is to wait for it.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, call.timeoutMs ?? LOCAL_MS);
    let heldUp: string | null = null;
    const unwatch = watchGit(cwd, call.env?.["GIT_DIR"], (reason) => {
      heldUp = reason;
      kill();
    });
    call.signal?.addEventListener("abort", kill, { once: true });
    child.stdout.on("data", (bytes: Buffer) => {
      printed += bytes.length;
      if (printed > (call.outBytes ?? Number.POSITIVE_INFINITY)) kill();
      else out.push(bytes);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err = (err + text).slice(-20_000);
    });
    // Git may end before it has read all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input ?? "");
    const end = (): void => {
      clearTimeout(timer);
      unwatch();
      call.signal?.removeEventListener("abort", kill);
    };
    child.once("error", (error) => {
      end();
      reject(refuse("git_failed", { command: "git", reason: error.message }));
    });
    child.once("close", (code) => {
      end();
      if (heldUp !== null) reject(refuse("git_failed", { command: "git", reason: heldUp }));
      resolve({ code, out: Buffer.concat(out), err: err.trim(), timedOut });
    });
  });
}

/** The refusal for a git that failed. */
export const failureOf = (repository: Repository, args: readonly string[], { err, code }: GitResult): Refusal =>
  gitRefusal(repository.gitDir, args, err === "" ? `it ended with ${code ?? "a signal"}` : err);

/** Runs git and gives what it printed. @throws Refusal `git_failed`, `disk_full`, `not_writable` */
export async function gitBytes(repository: Repository, args: readonly string[], call: GitCall = {}): Promise<Buffer> {
  const result = await gitResult(repository, args, call);
  if (result.code !== 0) throw failureOf(repository, args, result);
  return result.out;
}

/** The same as text, without white space at its ends. */
export const gitText = async (repository: Repository, args: readonly string[], call: GitCall = {}): Promise<string> =>
  (await gitBytes(repository, args, call)).toString("utf8").trim();

/** The version of git, such as `2.39.5`; null when there is none. */
export async function gitVersion(): Promise<string | null> {
  const said = await gitIn("/", ["--version"], {}).catch(() => null);
  return /\d+\.\d+(\.\d+)?/.exec(said?.out.toString("utf8") ?? "")?.[0] ?? null;
}

/** What git says of the disk is told as every disk's refusal is. */
export const gitRefusal = (folder: string, args: readonly string[], reason: string): Refusal =>
  refusalOfDisk(folder, reason) ?? refuse("git_failed", { command: `git ${withoutOptions(args).slice(0, 3).join(" ")}`, reason });

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
