/** Scratch folders and repositories on the real disk, git, and waiting: all that a test needs that starts no process of Relay. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { TIMEOUT_MS } from "./counts.ts";

/** Git's settings for every repository of the tests: no upkeep, and no waiting for the disk, for none of them cuts the power. */
export const GIT_CONFIG = path.resolve("dist-test/gitconfig");
/** A repository without a commit, made once and then copied: git would be started for each step of it. */
export const EMPTY_REPOSITORY = path.resolve("dist-test/repository");
/** The same with one commit of a README.md. */
export const USUAL_REPOSITORY = path.resolve("dist-test/repository-begun");

const scratched: string[] = [];

let tests = 0;
/** The user's state folder: another one for each test, so that no test spends another's wakes. */
export const stateHome = (): string => path.join(os.tmpdir(), `relay-state-${process.pid}-${tests}`);

/** The environment of every child: no user's or system's git configuration, no part or home from outside. */
export function cleanEnv(extra: Record<string, string> = {}): Record<string, string> {
  const kept = ["PATH", "TMPDIR", "LANG"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]]));
  return {
    ...Object.fromEntries(kept),
    HOME: os.tmpdir(),
    XDG_STATE_HOME: stateHome(),
    // A test that is about it sets it to nothing.
    RELAY_NO_RECORDER: "1",
    GIT_CONFIG_GLOBAL: GIT_CONFIG,
    GIT_TEST_FSYNC: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.com",
    NO_COLOR: "1",
    ...extra,
  };
}

/** A new empty folder, removed after the test. Its path is real. */
export function scratch(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-test-")));
  scratched.push(folder);
  return folder;
}

/** Removes every scratch folder. */
export function clearScratch(): void {
  for (const folder of [...scratched.splice(0), stateHome()]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  tests += 1;
}

/** Removes a folder in which a process may still write: again, as a person would, while the folder is not empty. */
export async function removeBusy(folder: string): Promise<void> {
  await until(`${folder} is removed`, () => {
    try {
      fs.rmSync(folder, { recursive: true });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      return false;
    }
  });
}

/** Bytes that git may print: some tests push a branch of very many files. */
const GIT_BYTES = 2 ** 28;

/** Runs git; gives what it printed. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    env: cleanEnv(),
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: GIT_BYTES,
  });
}

/** A search path on which git runs a script first, to which git itself is `"$real"`. */
export function pathWithGit(script: string): string {
  const [bin, real] = [scratch(), execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()];
  put(path.join(bin, "git"), `#!/bin/sh\nreal="${real}"\n${script}\nexec "$real" "$@"\n`, 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

/** What the whole lines of a file say, each of which is JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was written.
export const jsonLines = (file: string): any[] =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Writes a file, and makes the folders above it. */
export function put(file: string, content: string | Uint8Array, mode?: number): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content, { mode });
}

/** Writes files below a folder, each under its path there; null is no file. */
export function putAll(folder: string, files: Readonly<Record<string, string | null>> | ReadonlyMap<string, string>): void {
  const entries = files instanceof Map ? files : Object.entries(files);
  for (const [name, text] of entries) if (text !== null) put(path.join(folder, name), text);
}

/** Commits all files of a repository. @param flags of `git add` */
export function commitAll(folder: string, message = "begin", ...flags: string[]): void {
  git(folder, "add", "--all", ...flags);
  git(folder, "commit", "--quiet", "--allow-empty", "--message", message);
}

/** A new code repository with one commit; git's own upkeep is off (`setup.ts`). @param files of the commit; README.md alone if not given */
export function repository(files?: Record<string, string>): string {
  const folder = path.join(scratch(), "code");
  fs.cpSync(files === undefined ? USUAL_REPOSITORY : EMPTY_REPOSITORY, folder, { recursive: true });
  if (files === undefined) return folder;
  putAll(folder, files);
  commitAll(folder);
  return folder;
}

/** Another user of this machine, to whom permissions apply, for whoever runs the tests as root; that user owns the folder from now on. */
export function otherUser(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = [65_534, 65_534];
  const top = path.dirname(folder);
  for (const at of [top, ...(fs.readdirSync(top, { recursive: true }) as string[]).map((name) => path.join(top, name))])
    fs.lchownSync(at, uid, gid);
  return { uid, gid };
}

/** The only limit of a wait, in milliseconds. */
export const WAIT_MS = 0.9 * TIMEOUT_MS;
/** Between two looks: a look may start a program. */
const [LEAST_MS, MOST_MS] = [5, 100];

/**
 * Waits for a condition, looking often, but for no more than a third of the time.
 * @param look returns what is waited for, or a falsy value while it is not there
 * @throws Error that says `what`, shortly before vitest gives the test up
 */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const began = performance.now();
    const found = await look();
    if (found) return found as NonNullable<T>;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    const breathMs = Math.min(MOST_MS, Math.max(LEAST_MS, 2 * (performance.now() - began)));
    await new Promise((resolve) => setTimeout(resolve, breathMs));
  }
}

/** Every file below a folder with its text, but for what is disposable or belongs to the machine. */
export function tree(folder: string, skip: RegExp = /^(\.git|run|local)(\/|$)/): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(path.join(folder, at), { withFileTypes: true })) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (skip.test(name)) continue;
      if (entry.isDirectory()) walk(name);
      else found[name] = fs.readFileSync(path.join(folder, name), "utf8");
    }
  };
  walk("");
  return found;
}

/** A clock that a test moves, and dice that always fall the same way. */
export function held(start = "2026-01-31T09:30:00.000Z"): {
  now: () => number;
  random: (length: number) => string;
  advance: (ms: number) => void;
} {
  let at = Date.parse(start);
  let rolled = 0;
  return {
    now: () => at,
    advance: (ms) => {
      at += ms;
    },
    random: (length) => {
      rolled += 1;
      return rolled
        .toString(32)
        .replace(/[ilou]/g, "z")
        .padStart(length, "0")
        .slice(-length);
    },
  };
}
