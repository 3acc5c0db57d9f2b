/** A writing command with the calls that it made, laid out to be asked what became of it. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { operations } from "../../../protocol/index.ts";
import { ask, type Fixture, home, isHome, type Writing } from "../../history/verdict.ts";
import { type Disk, diskAt, type Laid, layOf } from "../../rig/crash/disk.ts";
import { callOfOtherBoot, filesOf, layOut, ofOtherBoot } from "../../rig/crash/lay.ts";
import { type Call, record } from "../../rig/crash/trace.ts";
import { cleanEnv, repository } from "../../rig/rig.ts";
import { layFixture } from "./writing.ts";

/** What was recorded of a command. */
export interface Scene {
  name: string;
  writing: Writing;
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

/** What follows `--` is another program's. */
function withJson(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return [...args.slice(0, end), "--json", ...args.slice(end)];
}

/** Lays what a command works on, runs it once under strace, and keeps its calls. */
export async function recordScene(name: string, writing: Writing): Promise<Scene> {
  const root = fs.mkdtempSync(path.join(SCRATCH, "relay-crash-"));
  const folder = path.join(root, "project");
  if (name === "init" || writing.git === true) execFileSync("cp", ["-a", repository(), folder]);
  else fs.mkdirSync(folder);
  const at = await layFixture(name, folder);
  const roots = [root, cleanEnv()["XDG_STATE_HOME"] as string];
  const before = wholeOf(diskAt(roots, ofOtherBoot));
  const calls = (await record(withJson(writing.args(at)), folder, roots)).map(callOfOtherBoot);
  return { name, writing, at, roots, before, calls, remove: () => fs.rmSync(root, { recursive: true, force: true }) };
}

/** The disk before the command, to do calls on. */
export function diskBefore({ roots, before }: Scene): Disk {
  layOut(roots, before);
  return diskAt(roots, ofOtherBoot);
}

/** What lies on a disk for a running process. */
export const wholeOf = (disk: Disk): Laid => layOf(disk, "posix", { has: () => true, wet: () => "all", words: "" });

/** The files of a home by path, with their texts. */
export type Files = ReadonlyMap<string, string>;

/** Lays a state out and looks once, as the first command after the loss of power does. @returns the files of the home then */
export async function lookAt({ roots, at: { folder } }: Scene, laid: Laid): Promise<Files> {
  layOut(roots, laid);
  return lookAgain(folder);
}

/** One look of a new command. @returns the files of the home then */
export async function lookAgain(folder: string): Promise<Files> {
  if (isHome(folder)) await ask(folder, operations.whoami);
  return filesOf(home(folder));
}
