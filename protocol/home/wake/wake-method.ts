/**
 * How a part is rung on this machine, and the program that `relay up` starts it with. Kept in the user's state folder: no push can send
 * it, and what a file of the home says of it is never believed. spec/waking.md, "The ladder".
 */

import path from "node:path";
import { FileError } from "../../objects/format/file-error.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { RUNGS, type RungName } from "../../objects/wake/wake-state.ts";
import { sha256 } from "../../store/digest.ts";
import { place } from "../../store/files.ts";
import { exists, readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { requireVisible } from "../agent/grants.ts";
import { noteOnMachine } from "../agent/machine-notes.ts";
import { findMachineStore, machineStore } from "../machine.ts";
import { formerNamesOf } from "../part/members.ts";

/** What a person can choose for a part. */
export const WAKE_CHOICES = ["auto", ...RUNGS, "none"] as const;
export type WakeChoice = (typeof WAKE_CHOICES)[number];

/** What is known on this machine of how to ring a part. */
export interface WakeMethod {
  /** `auto`: every rung that is there, in the order of the ladder. `none`: nobody rings it. */
  deliver: WakeChoice;
  /** Where its terminal is; what stands in it is the tmux rung's own. */
  tmux?: Record<string, unknown> | undefined;
  /** The user's own command: a program and its arguments, and how long it may take, in seconds. */
  exec?: { argv: string[]; timeout_s?: number | undefined } | undefined;
}

const METHOD_BYTES = 65_536;

/** Where it is kept, in this machine's folder for the project. */
export const wakeMethodPath = (part: string): string => `deliver/${part}.json`;

/** How a part is rung here. `human` is rung only where somebody chose how. @throws FileError when the file cannot be read */
export function wakeMethodOf(world: World, part: string): WakeMethod {
  const store = findMachineStore(world);
  // Who was renamed is rung as before, until somebody chooses anew.
  const names = [part, ...formerNamesOf(world, part).reverse()];
  const found = store === null ? undefined : names.find((name) => exists(store, wakeMethodPath(name)));
  const source = store === null || found === undefined ? null : readText(store, wakeMethodPath(found), METHOD_BYTES);
  if (store === null || source === null) return { deliver: part === HUMAN ? "none" : "auto" };
  try {
    const found = JSON.parse(source) as WakeMethod;
    if (!WAKE_CHOICES.includes(found.deliver)) throw new Error("deliver");
    if (found.exec !== undefined && !isCommand(found.exec)) throw new Error("exec");
    if (found.tmux !== undefined && !isTerminal(found.tmux)) throw new Error("tmux");
    return found;
  } catch {
    throw new FileError("expected what `relay part deliver` writes", undefined, path.join(store.root, wakeMethodPath(found as string)));
  }
}

const areWords = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");

const isCommand = ({ argv, timeout_s: limit }: { argv: unknown; timeout_s?: unknown }): boolean =>
  areWords(argv) && (limit === undefined || (typeof limit === "number" && limit > 0));

/** Whether what is kept of a terminal is words, but for the command, which is a list of them. */
const isTerminal = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, each]) => (name === "argv" ? areWords(each) : typeof each === "string"));

/**
 * Keeps how a part is rung here. Whoever calls it was asked to by a person at this machine.
 * @throws Refusal `no_state_folder`; `invalid_argument` for a command that a person cannot see whole
 */
export function setWakeMethod(world: World, part: string, delivery: WakeMethod): void {
  const commands = [delivery.exec?.argv, delivery.tmux?.["argv"] as string[] | undefined];
  for (const argv of commands) requireVisible(argv ?? []);
  const store = machineStore(world);
  const text = `${JSON.stringify(delivery, null, 2)}\n`;
  const before = allowedBy(store, part);
  place(store, wakeMethodPath(part), text);
  const now = allowedBy(store, part);
  if (now !== before && now !== null) {
    const argv = commands.flatMap((words) => words ?? []);
    noteOnMachine(world, store, { parts: [part], digest: sha256(now), subject: `granted: how ${part} is rung and started`, argv });
  }
}

/** What a part's file lets run or type, as one text; null where there is nothing of it. */
function allowedBy(store: Store, part: string): string | null {
  try {
    const { exec, tmux } = JSON.parse(readText(store, wakeMethodPath(part), METHOD_BYTES) ?? "{}") as WakeMethod;
    const allowed = [exec?.argv, tmux?.["argv"], tmux?.["cwd"], tmux?.["target"]];
    return allowed.every((each) => each === undefined) ? null : JSON.stringify(allowed);
  } catch {
    return null;
  }
}

/** What a file of the home says of a part that is rung otherwise here: how an earlier version kept it, or what somebody put there. */
export interface UnbelievedMethod {
  /** Path in the home. */
  path: string;
  /** The commands that want to run. */
  commands: string[][];
}

/** A file of the home that says how a part is to be rung; null where there is none. It is shown, and never followed. */
export function unbelievedWakeMethod(world: World, part: string): UnbelievedMethod | null {
  const { store } = world.home();
  const at = `local/deliver/${part}.json`;
  if (!exists(store, at)) return null;
  try {
    const { exec, tmux } = JSON.parse(readText(store, at, METHOD_BYTES) ?? "{}") as WakeMethod;
    return { path: at, commands: [exec?.argv, tmux?.["argv"]].filter(areWords) as string[][] };
  } catch {
    return { path: at, commands: [] };
  }
}

/** The rungs that may be tried for a part, in the order of the ladder. */
export function ladderOf({ deliver, exec }: WakeMethod): RungName[] {
  if (deliver === "none") return [];
  // A command runs only where somebody wrote one down on this machine.
  return deliver === "auto" ? RUNGS.filter((rung) => rung !== "exec" || exec !== undefined) : [deliver];
}
