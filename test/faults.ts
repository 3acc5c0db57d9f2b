/**
 * Hurting the real command at one chosen system call, by `strace`: killed just before the call, or told that it failed.
 * Node makes many calls of its own, so a first run is only watched, and the faults go where that run touched the home.
 */
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { cleanEnv, RELAY } from "./rig.ts";

/** What befalls the process at the call. */
export type Fault = "SIGKILL" | "EIO" | "ENOSPC";

/** One system call of a command, the same in every run of it. */
export interface Point {
  call: string;
  /** Which one of its calls of this name, counted from 1: of its thread, or of those with `only`. */
  nth: number;
  /** Which one of those that touch the home. */
  among: number;
  /** Node's helper threads count for themselves; there, only calls on this path of the folder count. */
  only: string | null;
  /** What it was about, for people. */
  about: string;
}

/** How a hurt command ended. */
export interface Hurt {
  /** null when it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

const CALLS = ["openat", "write", "fsync", "link", "linkat", "rename", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"];
/** A command that runs longer than this hangs. */
const HANGS_MS = 30_000;
/** Node's own calls are now and then one more or less, so a fault that missed is tried beside. */
const SHIFTS = [0, 0, -1, 1, 0, -1, 1, -2, 2, 0, -1, 1, 0];

/** Why faults cannot be put into processes here; null when they can. */
export function whyNoFaults(): string | null {
  const tried = spawnSync("strace", ["-f", "-qq", "-e", "trace=?mkdir", "-e", "inject=?mkdir:error=EIO:when=1", "true"], {
    encoding: "utf8",
  });
  if (tried.error !== undefined) return "strace is not installed";
  return tried.status === 0 ? null : `strace may not trace here: ${tried.stderr.trim().split("\n")[0]}`;
}

const threadOf = (line = ""): string => line.split(" ")[0] as string;
const inHome = (folder: string, line: string): boolean => line.includes(`"${folder}/.relay`) || line.includes(`<${folder}/.relay`);

/** Every call with which a command touches the home of a folder, in the order in which they came. */
export async function pointsOf(folder: string, args: readonly string[]): Promise<Point[]> {
  const { log, stdout, code } = await traced(folder, args, [...CALLS.map((call) => `?${call}`)], []);
  if (code !== 0) throw new Error(`the command fails without any fault: ${stdout}`);
  const counts = new Map<string, number>();
  const next = (key: string): number => counts.set(key, (counts.get(key) ?? 0) + 1).get(key) as number;
  const main = threadOf(log[0]);
  return log.flatMap((line) => {
    const [, thread, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (thread === undefined || call === undefined) return [];
    const nth = next(`${thread} ${call}`);
    if (!inHome(folder, line)) return [];
    const about = [...line.matchAll(/["<]([^">]*\/\.relay[^">]*)[">]/g)].at(-1)?.[1]?.slice(folder.length + 1) as string;
    if (thread === main) return { call, nth, among: next(`home ${call}`), only: null, about };
    const own = next(`${about} ${call}`);
    return { call, nth: own, among: own, only: about, about };
  });
}

/** Runs a command with one fault at one point, in a new folder each time until the fault struck there. */
export async function hurt(fresh: () => string, args: readonly string[], fault: Fault, point: Point): Promise<Hurt & { folder: string }> {
  const { call, nth, among, only, about } = point;
  const what = fault === "SIGKILL" ? "signal=SIGKILL" : `error=${fault}`;
  const mark = fault === "SIGKILL" ? /( = \?|<unfinished \.\.\.>)$/ : / \(INJECTED\)$/;
  for (const shift of SHIFTS) {
    if (nth + shift < 1) continue;
    const folder = fresh();
    const where = only === null ? [] : ["-P", path.join(folder, only)];
    const ended = await traced(folder, args, [call], ["-e", `inject=${call}:${what}:when=${nth + shift}`, ...where]);
    const main = only === null ? `${threadOf(ended.log[0])} ` : "";
    const calls = ended.log.filter((line) => line.startsWith(main) && line.includes(` ${call}(`) && inHome(folder, line));
    const struck = calls.findIndex((line) => mark.test(line)) + 1;
    if (struck === among && (ended.code === null) === (fault === "SIGKILL")) return { ...ended, folder };
  }
  throw new Error(`the fault never struck: ${call} ${nth} (${about})`);
}

function traced(
  folder: string,
  args: readonly string[],
  calls: readonly string[],
  how: readonly string[],
): Promise<Hurt & { log: string[] }> {
  const to = `${folder}.strace`;
  const options = [
    "-f",
    "-qq",
    "-y",
    "-s",
    "8",
    "-o",
    to,
    "-e",
    `trace=execve,${calls.join(",")}`,
    ...how,
    process.execPath,
    RELAY,
    ...args,
  ];
  // Calls are counted in each thread: with so many helpers none of them comes to a number that matters in the main thread.
  const settings = { cwd: folder, env: cleanEnv({ UV_THREADPOOL_SIZE: "64" }), timeout: HANGS_MS, killSignal: "SIGTERM" } as const;
  return new Promise((resolve, reject) => {
    execFile("strace", options, settings, (error, stdout, stderr) => {
      if (error?.signal === "SIGTERM") return reject(new Error(`the command hangs: ${args.join(" ")}`));
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      resolve({ code, stdout, stderr, log: fs.readFileSync(to, "utf8").trimEnd().split("\n") });
    });
  });
}
