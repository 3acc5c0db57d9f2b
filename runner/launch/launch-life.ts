/** Whether the program of a launch runs, and to end it: asked of the launch's folder and the system, so any process may ask. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { LAUNCH_VARIABLE } from "../../protocol/core/names.ts";
import { createWhole } from "../../protocol/store/beside/own-folder.ts";
import { processesWith, processOf, wordsOf } from "../../protocol/store/process.ts";
import { readPlainText } from "../../protocol/store/read/plain-file.ts";

/** How far a launch is. */
export type LaunchLife =
  /** Its shell has not begun, and may still do so. */
  | { state: "starting" }
  /** Its shell runs, and leads the process group of that id. */
  | { state: "running"; group: number }
  /** Its program ended by itself or by a signal: an exit code as text, or the signal's name. */
  | { state: "ended"; group: number; exit: string }
  /** Its shell is gone and said nothing: it was killed, or the machine went off. */
  | { state: "gone"; group: number | null }
  /** It was made void before it began. */
  | { state: "void" };

const VOID = "void";
/** A shell that has its file writes its id into it at once. */
const WRITTEN_MS = 10_000;
/** From when the program is asked to end until it is killed. */
const GENTLE_MS = 3_000;
const LOOK_MS = 20;

/** Processes that are named; more are counted. */
const NAMED = 5;

/**
 * Says in words what the program of a launch left running in groups of its own, which nobody ended; null where it left nothing. Where the
 * system does not say which process is whose, nothing is known.
 * @param folder the absolute path of the launch, which has ended
 */
export function leftRunning(folder: string): string | null {
  const life = lifeOfLaunch(folder);
  const group = "group" in life ? life.group : null;
  const left = processesWith(LAUNCH_VARIABLE, path.basename(folder)).filter((each) => each.group !== group && each.pid !== process.pid);
  if (left.length === 0) return null;
  const named = left.slice(0, NAMED).map(({ pid }) => `${pid} (${JSON.stringify(path.basename(wordsOf(pid)[0] ?? ""))})`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : "";
  return `its program left running: ${named.join(", ")}${more}`;
}

/** Reads the state of a launch. @param folder its absolute path */
export function lifeOfLaunch(folder: string): LaunchLife {
  const said = textOf(folder, "pid");
  if (said === null) return { state: "starting" };
  if (said === VOID) return { state: "void" };
  const group = Number(said);
  if (!Number.isInteger(group) || group <= 1)
    return isNew(path.join(folder, "pid")) ? { state: "starting" } : { state: "gone", group: null };
  const runs = isShellOf(group, folder);
  // Asked after the shell: it writes the exit first.
  const exit = textOf(folder, "exit");
  if (exit !== null && exit !== "") return { state: "ended", group, exit: exitName(exit) };
  return runs ? { state: "running", group } : { state: "gone", group };
}

/** Makes a launch void that has not begun: its shell will end at once. @returns whether it had not */
export const makeVoid = (folder: string): boolean => createWhole(path.join(folder, "pid"), VOID);

/** Whether the process of an id is the shell of this launch: a number alone is used again. */
const isShellOf = (pid: number, folder: string): boolean => wordsOf(pid).includes(folder);

/** What the shell says of a signal is 128 and its number. */
function exitName(code: string): string {
  const number = Number(code) - 128;
  return Object.entries(os.constants.signals).find(([, each]) => each === number)?.[0] ?? code;
}

/** Ends what is left of a group whose leader is gone; a group that another process leads by now is another's. */
export function killRest(group: number | null, folder: string): void {
  if (group === null || !isOurs(group, folder)) return;
  signalGroup(group, "SIGKILL");
}

/**
 * Tells whether a group is still that of a launch. An id is not given to another process while a group has it: where one runs that is
 * not the shell, the group is over. A process that is about to end has no words any more, and it is the shell.
 */
const isOurs = (group: number, folder: string): boolean =>
  processOf(group) === null || wordsOf(group).join("") === "" || isShellOf(group, folder);

/**
 * Ends a launch: void where it had not begun, else SIGTERM to its group, and SIGKILL to what is left of it after a while.
 * @param gentleMs that while
 * @returns how it ended
 */
export async function stopLaunch(folder: string, gentleMs = GENTLE_MS): Promise<LaunchLife> {
  let life = lifeOfLaunch(folder);
  if (life.state === "starting" && makeVoid(folder)) return { state: "void" };
  const end = performance.now() + gentleMs;
  let asked = false;
  let killed = false;
  while (life.state === "starting" || life.state === "running") {
    if (life.state === "running") {
      if (!asked) signalGroup(life.group, "SIGTERM");
      asked = true;
      if (performance.now() >= end && !killed) {
        signalGroup(life.group, "SIGKILL");
        killed = true;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    life = lifeOfLaunch(folder);
  }
  if (life.state !== "void") killRest(life.group, folder);
  return life;
}

/** Sends a signal to a group; never to this process's own. */
function signalGroup(group: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Gone already.
  }
}

function textOf(folder: string, name: string): string | null {
  try {
    return readPlainText(path.join(folder, name)).trim();
  } catch {
    return null;
  }
}

/** Whether a file was written just now, by the disk's clock and the machine's. */
const isNew = (file: string): boolean => Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < WRITTEN_MS;
