/** Runs a user's command in a process group of its own, so that its child processes end with it. */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { quietly } from "../core/format/file-error.ts";

/** How a command is run. */
interface RunOptions {
  /** Absolute path of the folder it runs in. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** It and all of its group are killed after so many milliseconds. */
  timeoutMs: number;
  /** What it reads; nothing unless given. */
  input?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** How a command ended; no exit code when it was killed. `output` is the end of what it wrote to both streams. */
interface RunResult {
  exitCode: number | null;
  /** The signal of somebody else's that killed it, not the one of its limit. */
  signal?: string | undefined;
  output: string;
}

/** Characters of a command's output that are kept. */
const OUTPUT_KEPT = 2_000;
/** A shell's own code for a command that it cannot find; here of any that could not be started. */
const NOT_FOUND = 127;
/** What was written before the end is read for so long after it; something left in the background may hold the pipe open. */
const LAST_OUTPUT_MS = 200;

/** Runs a program with its arguments, and no shell. Never rejects: of one that could not be started, `output` says why. */
export function runProgram(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { cwd, env, timeoutMs, input, signal } = options;
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve({ exitCode: null, output: "" });
      return;
    }
    const [program = "", ...args] = argv;
    const stdin = input === undefined ? "ignore" : "pipe";
    let child: ChildProcess;
    try {
      child = spawn(program, args, { cwd, env, detached: true, stdio: [stdin, "pipe", "pipe"] });
    } catch (error) {
      // Arguments that no system takes: too long, or with a byte 0 in them.
      resolve({ exitCode: NOT_FOUND, output: (error as Error).message });
      return;
    }
    // Who does not read what it is told may end before.
    child.stdin?.on("error", () => {}).end(input);
    let output = "";
    let ended = false;
    // Where this process may open no more files there are none, and the error is told below.
    const streams = [child.stdout, child.stderr].filter((stream): stream is Readable => Boolean(stream));
    for (const stream of streams) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-OUTPUT_KEPT);
      });
    }
    const end = (exitCode: number | null, more = "", killer?: string | null): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      for (const stream of streams) stream.destroy();
      const kept = (output + more).slice(-OUTPUT_KEPT).toWellFormed().trim();
      resolve({ exitCode, output: kept, ...(killer ? { signal: killer } : {}) });
    };
    const stop = (): void => {
      killGroup(child.pid);
      end(null);
    };
    const timer = setTimeout(stop, timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    child.once("error", (error) => end(NOT_FOUND, error.message));
    child.once("close", (code, killer) => end(code, "", killer));
    child.once("exit", (code, killer) => setTimeout(() => end(code, "", killer), LAST_OUTPUT_MS).unref());
  });
}

/** Kills a process and all that it started; what left the group on its own is on its own. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  // It may be gone already.
  quietly(() => process.kill(-pid, "SIGKILL"));
}
