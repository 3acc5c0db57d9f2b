/** Writing commands with the calls that they made, laid out to be asked what became of them. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { operations } from "../../../protocol/index.ts";
import { type Answer, ask, type Fixture, home, isHome, type Writing } from "../../history/verdict.ts";
import { apply, type Disk, diskAt } from "../../rig/crash/disk.ts";
import { type Laid, layOf } from "../../rig/crash/laid.ts";
import { callOfOtherBoot, filesOf, layOut, ofOtherBoot } from "../../rig/crash/lay.ts";
import { type Call, record } from "../../rig/crash/trace.ts";
import { cleanEnv, repository } from "../../rig/scratch.ts";
import { REMOTE } from "./crash-writing.ts";
import { layFixture, withJson } from "./writing.ts";

/** What was recorded of one command, or of several, one after the other. */
export interface Scene {
  name: string;
  /** What tells what became of it, of one command. */
  writing: Writing | null;
  at: Fixture;
  /** The folders that are laid out anew for each state. */
  roots: readonly string[];
  /** The disk before the command. */
  before: Laid;
  calls: readonly Call[];
  remove: () => void;
}

/** Where there is one, a disk in memory: thousands of homes are laid out. */
const SCRATCH = fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();

/** Lays what a command works on, runs it once under strace, and keeps its calls. */
export const recordScene = (name: string, writing: Writing): Promise<Scene> =>
  recordSteps(name, writing, [(at) => writing.args(at)], name === "init" || writing.git === true);

/** What the next command of a story says, by what the ones before it answered. */
export type Step = (at: Fixture, answers: readonly Answer[]) => string[];

/** The same of several commands, each of which finds the disk as the last one left it, and not all of that is flushed. */
export async function recordSteps(name: string, writing: Writing | null, steps: readonly Step[], inRepository: boolean): Promise<Scene> {
  const root = fs.mkdtempSync(path.join(SCRATCH, "relay-crash-"));
  const folder = path.join(root, "project");
  if (inRepository) execFileSync("cp", ["-a", repository(), folder]);
  else fs.mkdirSync(folder);
  const at = await layFixture(name, folder, writing?.before);
  const roots = [root, cleanEnv()["XDG_STATE_HOME"] as string];
  const before = wholeOf(diskAt(roots, ofOtherBoot));
  const calls: Call[] = [];
  const answers: Answer[] = [];
  for (const step of steps) {
    const recorded = await record(withJson(step(at, answers)), folder, roots);
    calls.push(...recorded.map(callOfOtherBoot));
    for (const call of recorded) if (call.call === "answer") answers.push(JSON.parse(call.text));
  }
  return { name, writing, at, roots, before, calls, remove: () => fs.rmSync(root, { recursive: true, force: true }) };
}

/** The disk before the command, to do calls on. */
export function diskBefore({ roots, before }: Scene): Disk {
  layOut(roots, before);
  return diskAt(roots, ofOtherBoot, (at) => at.startsWith(path.join(roots[0] as string, REMOTE)));
}

/** The files of a home before some calls, and as each answer among them left it, with one look each. */
export async function endsOf(scene: Scene, calls: readonly Call[]): Promise<Files[]> {
  const ends: Laid[] = [];
  const disk = diskBefore(scene);
  const whole = (): Laid => wholeOf(disk);
  ends.push(whole());
  const answered = calls.flatMap(({ call }, at) => (call === "answer" ? [at] : []));
  for (const [at, call] of calls.entries()) {
    apply(disk, call);
    // What a command does after its answer counts to it: the last one goes to the end.
    if (answered.includes(at) && at !== answered.at(-1)) ends.push(whole());
  }
  ends.push(whole());
  const files: Files[] = [];
  for (const laid of ends) files.push(await lookAt(scene, laid));
  return files;
}

/** What lies on a disk for a running process. */
export const wholeOf = (disk: Disk): Laid => layOf(disk, "posix", { has: () => true, wet: () => "all", words: "" });

/** The files of a home by path, with their texts. */
export type Files = ReadonlyMap<string, string>;

/** Lays a state out and looks once, as the first command after the loss of power does. @returns the files of the home then */
export async function lookAt(scene: Scene, laid: Laid): Promise<Files> {
  layOut(scene.roots, laid);
  return lookAgain(scene);
}

/**
 * What git says of a home's own repository: its branch, what is broken, and whether its index can be read. An object that no name leads to
 * is nothing.
 */
export function gitSays({ at: { folder } }: Scene): string {
  const say = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync("git", args, { cwd: home(folder), env: cleanEnv(), encoding: "utf8" });
    return `${status} ${stdout}${stderr}`;
  };
  const isOwn = fs.existsSync(home(folder, ".git")) && isHome(folder);
  return isOwn ? [say("rev-parse", "HEAD"), say("fsck", "--no-dangling", "--no-progress"), say("ls-files", "--stage")].join("\n") : "none";
}

/** What git finds broken; empty where nothing is. A branch that has no commit yet is none. */
export const brokenIn = (said: string): string =>
  said
    .split("\n")
    .filter((line) => /^(\d+ )?(error|fatal|missing|broken|bad)\b/.test(line) && !/ambiguous argument 'HEAD'|invalid HEAD/.test(line))
    .join("; ");

/** One look of a new command, and of whoever goes on by itself. @returns the files of the home then */
export async function lookAgain({ writing, at: { folder } }: Scene): Promise<Files> {
  if (isHome(folder)) {
    await ask(folder, operations.whoami);
    writing?.goesOn?.(folder);
  }
  return filesOf(home(folder));
}
