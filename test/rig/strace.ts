/**
 * Faults at exact system calls, by strace. A first run counts the calls that touch a folder; each later run has one of
 * them fail, or kills the process as it enters it. `when=` counts the calls of one thread, so the thread pool has one.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { relayFile } from "./processes.ts";
import { cleanEnv, scratch } from "./scratch.ts";

const CALLS = ["openat", "write", "fsync", "link", "rename", "unlink", "mkdir", "rmdir"];

/** The n-th call of its kind in its thread. */
export interface Point {
  call: string;
  when: number;
  /** Whether the call makes something, so that a full disk can refuse it. */
  makes: boolean;
}

/** What happens at a point: the process is killed, or the call fails with an error of the system, such as `EIO`. */
export type Fault = "KILL" | `E${string}`;

/** How a run under strace ended. */
export interface Ended {
  /** Null when the process was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** The line of the log where the fault was put in, if it was at a call that touches the folder. */
  at: string | null;
}

/** The same, with what strace wrote down, and the signal that ended the process. */
interface Traced extends Omit<Ended, "at"> {
  lines: string[];
  signal: NodeJS.Signals | null;
}

/** Why strace cannot be used here; null when it can. */
export function whyNoStrace(): string | null {
  try {
    execFileSync("strace", ["-f", "--seccomp-bpf", "-e", "inject=fsync:error=EIO:when=1", "-o", "/dev/null", "true"], { stdio: "pipe" });
    return null;
  } catch (error) {
    return `strace cannot be used here: ${(error as Error).message.split("\n")[0]}`;
  }
}

/** What is run, and the folder whose calls count. With `threads` the thread pool's calls count too, and those of children. */
export interface Scene {
  args: readonly string[];
  cwd: string;
  folder: string;
  threads: boolean;
  /** Whether every hard link is refused, as on FAT and some network disks. */
  linkless?: boolean;
}

/** What refuses every hard link. */
const LINKLESS = ["-e", "inject=link,linkat:error=EPERM"];

/** Whether a call names the folder or something in it; the working directory, which strace shows with it, does not count. */
const touches = (line: string, folder: string): boolean => line.replace(/AT_FDCWD<[^>]*>/g, "").includes(folder);

/** Runs the command once and gives the calls that touch the folder, in their order. */
export async function pointsOf(scene: Scene): Promise<Point[]> {
  const { folder } = scene;
  const { lines, code, stderr } = await straced(
    ["-e", `trace=${CALLS.join(",")},linkat`, ...(scene.linkless === true ? LINKLESS : [])],
    scene,
  );
  if (code !== 0) throw new Error(`${scene.args.join(" ")} ended with ${code}: ${stderr}`);
  const counted = new Map<string, number>();
  return lines.flatMap((line) => {
    const [, thread, call] = /^(\d+)? *(\w+)\(/.exec(line) ?? [];
    if (call === undefined) return [];
    const key = `${thread} ${call}`;
    const when = (counted.get(key) ?? 0) + 1;
    counted.set(key, when);
    const makes = call === "openat" ? line.includes("O_CREAT") : ["write", "fsync", "link", "rename", "mkdir"].includes(call);
    return touches(line, folder) ? [{ call, when, makes }] : [];
  });
}

/** What a run asks of the disk below a folder: how many calls name it or something in it. */
export async function costOf(scene: Scene): Promise<number> {
  const { code, lines } = await straced(["-e", "trace=%file,getdents64,read,write,fsync"], scene);
  if (code !== 0) throw new Error(`${scene.args.join(" ")} ended with ${code}`);
  return lines.filter((line) => touches(line, scene.folder)).length;
}

/** Runs the command with one fault. */
export async function withFault(scene: Scene, point: Point, fault: Fault): Promise<Ended> {
  const what = fault === "KILL" ? "signal=KILL" : `error=${fault}`;
  const linkless = scene.linkless === true ? LINKLESS : [];
  const trace = `trace=${point.call},openat${linkless.length > 0 ? ",link,linkat" : ""}`;
  const options = ["-e", trace, "-e", `inject=${point.call}:${what}:when=${point.when}`, ...linkless];
  const { lines, signal, ...ended } = await straced(options, scene, fault === "KILL");
  // The pool's thread counts its own calls: where one of Node's failed too, Node gives up, and that is no trial.
  const elsewhere = lines.some((line) => line.includes("(INJECTED)") && !touches(line, scene.folder) && !/\b(link|linkat)\(/.test(line));
  if (elsewhere) return { ...ended, at: null };
  const hit = fault === "KILL" ? fatalCall(lines, point, signal) : lines.find((line) => isCall(line, point) && line.includes("(INJECTED)"));
  return { ...ended, at: hit !== undefined && touches(hit, scene.folder) ? hit : null };
}

const isCall = (line: string, { call }: Point): boolean => line.includes(`${call}(`);

/** The call at whose entry the process died; none where it lived on, or where somebody else killed it. */
function fatalCall(lines: readonly string[], point: Point, signal: NodeJS.Signals | null): string | undefined {
  if (signal !== "SIGKILL") return undefined;
  const counted = new Map<string, number>();
  return lines.find((line) => {
    if (!isCall(line, point)) return false;
    const thread = /^\d+/.exec(line)?.[0] ?? "";
    const when = (counted.get(thread) ?? 0) + 1;
    counted.set(thread, when);
    // It was never answered.
    return when === point.when && /= \?$|<unfinished \.\.\.>$/.test(line);
  });
}

async function straced(options: string[], { args, cwd, folder, threads, linkless }: Scene, killing = false): Promise<Traced> {
  const log = path.join(scratch(), "strace");
  // With the quicker filter a second injection has no effect after the first, and no signal is ever put in.
  const quicker = linkless !== true && !killing;
  const tracing = [...(threads ? ["-f", ...(quicker ? ["--seccomp-bpf"] : [])] : []), "-y", "-o", log, ...options];
  const child: ChildProcess = spawn("strace", [...tracing, process.execPath, relayFile(), ...args], {
    cwd,
    env: cleanEnv({ UV_THREADPOOL_SIZE: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const read = (): string[] => (fs.existsSync(log) ? fs.readFileSync(log, "utf8").split("\n") : []);
  // A fault that came at a write of Node's own, such as to wake itself, can leave it waiting for ever: that is no trial.
  const watching = setInterval(() => {
    // A link that is refused is answered by a copy, wherever it is.
    if (named(read()).some((line) => line.includes("(INJECTED)") && !touches(line, folder) && !/\b(link|linkat)\(/.test(line)))
      endTraced(child.pid as number);
  }, 500);
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearInterval(watching);
  const lines = named(read());
  fs.rmSync(path.dirname(log), { recursive: true });
  return { code, signal, stdout, stderr, lines };
}

/** A log with the names of folders that were held open: a call names what is in them by their descriptors. */
function named(lines: readonly string[]): string[] {
  const folders = new Map<string, string>();
  return lines.map((line) => {
    const [, number = "", folder = ""] = /\bopenat\(.*O_PATH.*= (\d+)<(.*)>$/.exec(line) ?? [];
    if (number !== "") folders.set(number, folder);
    return line.replace(/\/proc\/self\/fd\/(\d+)(?=[/"])/g, (own, held: string) => folders.get(held) ?? own);
  });
}

/** Kills what a strace traces; strace ends with it, while the other way round it would go on alone. */
function endTraced(strace: number): void {
  const children = fs.readFileSync(`/proc/${strace}/task/${strace}/children`, "utf8").split(" ");
  for (const pid of children) if (pid.trim() !== "") process.kill(Number(pid), "SIGKILL");
}
