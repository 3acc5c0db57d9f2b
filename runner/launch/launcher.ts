/**
 * Starts the program of a launch so that it outlives its runner: in a process group of its own, with files for its streams, below a
 * shell that writes down which process it is and how the program ended.
 */
import { spawn } from "node:child_process";

/**
 * What the shell does. Its id is written by exclusive create, so that it ends where the launch was made void before. It takes
 * no notice of a signal to the group but to go on waiting: the program's end is written down in any case but SIGKILL.
 */
const SCRIPT = `folder=$1; shift
set -C
echo $$ >"$folder/pid" || exit 125
set +C
trap : TERM INT HUP
"$@" <"$folder/stdin" >>"$folder/stdout" 2>>"$folder/stderr"
echo $? >"$folder/exit.new"
mv "$folder/exit.new" "$folder/exit"`;

/** How a program is started. */
export interface Start {
  /** The launch's folder. */
  folder: string;
  /** The program, by its absolute path, and its arguments. */
  argv: readonly string[];
  /** The working directory. */
  cwd: string;
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  /** Called when the shell has ended; never, where this process is no more. */
  ended(): void;
}

/** Starts a program. @returns why the system cannot; null where it did */
export function startProgram({ folder, argv, cwd, env, ended }: Start): Promise<string | null> {
  return new Promise((resolve) => {
    try {
      const child = spawn("/bin/sh", ["-c", SCRIPT, "relay-turn", folder, ...argv], { cwd, env, detached: true, stdio: "ignore" });
      child.once("spawn", () => resolve(null));
      child.once("error", (error) => resolve(error.message));
      child.once("exit", ended);
      child.unref();
    } catch (error) {
      // Arguments that no system takes: too long, or with a byte 0 in them.
      resolve((error as Error).message);
    }
  });
}
