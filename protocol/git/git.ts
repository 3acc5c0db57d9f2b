/**
 * Git in the code's repository: short questions and commands, text in and text out; the only file that knows simple-git, which is
 * loaded when first used. What is done in a home's own repository goes by `git-run.ts`: it is fed and read as bytes, it is ended
 * with all that it started, and it lies in a process group of its own, so that Ctrl-C reaches Relay and not the half of a record.
 * spec/git.md, "Git".
 */

import { watchGit } from "./endless-files.ts";
import { gitEnvironment } from "./git-environment.ts";
import { gitRefusal } from "./git-run.ts";

/**
 * simple-git refuses these for programs that pass on what strangers wrote. Here the arguments are Relay's own, and the
 * environment is that of the user who started it.
 */
const OWN_ENVIRONMENT = {
  allowUnsafeAskPass: true,
  allowUnsafeCommandBinaries: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeEditor: true,
  allowUnsafeExec: true,
  allowUnsafeFilter: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGitProxy: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafeMergeDriver: true,
  allowUnsafePack: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeSshCommand: true,
  allowUnsafeSubmodule: true,
  allowUnsafeTemplateDir: true,
};

/** Git waits for the disk alone; this only ends one that hangs. */
const SILENT_MS = 600_000;
const NOTHING = Buffer.alloc(0);

/** Runs git in a folder and gives what it printed; rejects with git's own words. */
async function run(folder: string, args: readonly string[], extra: Record<string, string>): Promise<string> {
  const { simpleGit } = await import("simple-git");
  const environment = gitEnvironment(process.env, folder, extra);
  const [stop, unwatch] = stopper(folder);
  const instance = simpleGit({
    baseDir: folder,
    trimmed: false,
    allowEnvironment: Object.keys(environment),
    unsafe: OWN_ENVIRONMENT,
    timeout: { block: SILENT_MS },
    abort: stop.signal,
    // All is there once the pipes are closed. The library's timer for less than that keeps this process from ending meanwhile.
    completion: { onClose: true, onExit: false },
    // It counts as failed only what said why, and some commands say no by their exit code alone.
    errors: (error, { exitCode }) => error ?? (exitCode === 0 ? undefined : Buffer.from(`it ended with ${exitCode}`)),
  });
  // After a command that printed nothing the library waits for another 50 ms, in case something comes.
  instance.outputHandler((_command, stdout) => void stdout.once("end", () => stdout.emit("data", NOTHING)));
  try {
    return await instance.env(environment).raw([...args]);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    unwatch();
  }
}

/** What ends a git that a pipe holds up, with the reason; and what ends the watch. */
function stopper(folder: string): [AbortController, () => void] {
  const stop = new AbortController();
  return [stop, watchGit(folder, undefined, (reason) => stop.abort(new Error(reason)))];
}

/**
 * Runs git and gives what it printed.
 * @param folder absolute path to run in
 * @param args the command and its arguments; never made from a message's text without `--` or `-e` before it
 * @throws Refusal `git_failed` with git's own words
 */
export async function git(folder: string, args: readonly string[], extra: Record<string, string> = {}): Promise<string> {
  try {
    return await run(folder, args, extra);
  } catch (error) {
    throw gitRefusal(folder, args, (error as Error).message.trim());
  }
}

/** What git prints; null where it says no by its exit code, or cannot be started. For questions that may have no answer. */
export const askGit = (folder: string, args: readonly string[]): Promise<string | null> => run(folder, args, {}).catch(() => null);
