/** Git's plumbing on one repository, named outright so that no other is ever found: fed on stdin, with a time limit. SPEC.md, "Git". */
import fs from "node:fs";
import { type Refusal, refuse } from "../refusal.ts";
import { gitEnvironment, gitRefusal } from "./git.ts";

/** A home's own repository. Both paths are absolute. */
export interface Repository {
  /** Git's directory. */
  gitDir: string;
  /** The home. */
  workTree: string;
}

/** How git is called. */
export interface GitCall {
  input?: string | Uint8Array | undefined;
  /** The index to use instead of the repository's; absolute. */
  index?: string | undefined;
  env?: Record<string, string> | undefined;
  /** Git and all it started are killed after so many milliseconds. */
  timeoutMs?: number | undefined;
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
 * Never rejects but where there is no git.
 * @throws Refusal `git_failed`
 */
export function gitResult(repository: Repository, args: readonly string[], call: GitCall = {}): Promise<GitResult> {
  const extra: Record<string, string> = { GIT_DIR: repository.gitDir, GIT_WORK_TREE: repository.workTree, ...call.env };
  if (call.index !== undefined) extra["GIT_INDEX_FILE"] = call.index;
  const cwd = fs.existsSync(repository.workTree) ? repository.workTree : repository.gitDir;
  return gitIn(cwd, args, { ...call, env: extra });
}

/** The same in a folder, on whatever repository git finds there. */
export function gitIn(cwd: string, args: readonly string[], call: GitCall): Promise<GitResult> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const env = gitEnvironment(process.env, call.env);
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...args], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const out: Buffer[] = [];
    let err = "";
    let timedOut = false;
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // Gone already.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, call.timeoutMs ?? LOCAL_MS);
    call.signal?.addEventListener("abort", kill, { once: true });
    child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err = (err + text).slice(-20_000);
    });
    // Git may end before it has read all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input ?? "");
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(refuse("git_failed", { command: "git", reason: error.message }));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", kill);
      resolve({ code, out: Buffer.concat(out), err: err.trim(), timedOut });
    });
  });
}

/** The refusal for a git that failed. */
export function failureOf(repository: Repository, args: readonly string[], { err, code }: GitResult): Refusal {
  return gitRefusal(repository.gitDir, args, err === "" ? `it ended with ${code ?? "a signal"}` : err);
}

/** Runs git and gives what it printed. @throws Refusal `git_failed`, `disk_full`, `not_writable` */
export async function gitBytes(repository: Repository, args: readonly string[], call: GitCall = {}): Promise<Buffer> {
  const result = await gitResult(repository, args, call);
  if (result.code !== 0) throw failureOf(repository, args, result);
  return result.out;
}

/** The same as text, without white space at its ends. */
export async function gitText(repository: Repository, args: readonly string[], call: GitCall = {}): Promise<string> {
  return (await gitBytes(repository, args, call)).toString("utf8").trim();
}
