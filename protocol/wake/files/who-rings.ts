/**
 * Who can ring a part: how it is rung on this machine, and the processes that can do so now, pagers and those that wait for one
 * part. How it is rung is kept in the user's state folder: no push can send it, and what a file of the home says of it is never
 * believed. spec/waking.md, "The ladder" and "Who rings".
 */
import path from "node:path";
import { FileError, orElse, quietly } from "../../core/format/file-error.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { boundNamesOf } from "../../mail/files/members.ts";
import { livePids } from "../../mail/files/presence.ts";
import { isNotedHere, noteProcess } from "../../mail/files/processes-here.ts";
import { childOf, lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs, exists, facts } from "../../store/read/facts.ts";
import { entries, names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { findMachineStore } from "../../trust/files/machine.ts";
import { RUNGS, type RungName } from "../nouns/wake-state.ts";

/** What a person can choose for a part. */
export const WAKE_CHOICES = ["auto", ...RUNGS, "none"] as const;
/** How a part may be rung: by every rung that is there, by one, or by none. */
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

/** Bytes that the file of a wake method has at the most. */
export const METHOD_BYTES = 65_536;

/** Where it is kept, in this machine's folder for the project. */
export const wakeMethodPath = (part: string): string => `deliver/${part}.json`;

/** How a part is rung here. `human` is rung only where somebody chose how. @throws FileError when the file cannot be read */
export function wakeMethodOf(world: World, part: string): WakeMethod {
  const store = findMachineStore(world);
  // Who was renamed is rung as before, until somebody chooses anew.
  const names = boundNamesOf(world, part);
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

const RECORD_BYTES = 8_192;
/** A registration is renewed this often; one that was not for so long rings nobody, whether its process is there or not. */
const RENEW_MS = 5_000;
const STALE_MS = 15_000;
let counter = 0;

/** A process that can ring one part: a hook's, or a server with a channel. */
export interface Waiter {
  part: string;
  rung: RungName;
  process: string;
  /** ISO 8601. */
  since: string;
}

/** A process that rings for several. */
export interface Pager {
  /** Those it serves; null for all. */
  parts: string[] | null;
  /** What it can ring by. */
  rungs: RungName[];
  process: string;
  since: string;
}

const waiterFolder = (part: string): string => `run/waiters/${part}`;
const PAGERS = "run/pagers";

/**
 * Says that this process itself can ring a part, until released or gone. It goes before the pager: it watches the inbox,
 * leases the wake, commits, rings and reports.
 * @returns releases it
 */
export const registerWaiter = (world: World, part: string, rung: RungName): (() => void) =>
  register(world, waiterFolder(part), { part, rung, process: thisProcess(), since: new Date(world.now()).toISOString() });

/** Says that this process is a pager, until released or gone. @returns releases it */
export function registerPager(world: World, parts: string[] | null, rungs: RungName[]): () => void {
  const takeBack = noteProcess(world, "pagers");
  const release = register(world, PAGERS, { parts, rungs, process: thisProcess(), since: new Date(world.now()).toISOString() });
  return () => {
    release();
    takeBack();
  };
}

/** Tells whether a process began here as a pager of this home, so that it may be ended: a file in the home may name any process. */
export const isPagerHere = (world: World, { process }: Pager): boolean => isNotedHere(world, "pagers", process);

/** The waiters of a part that live. */
export const liveWaiters = (world: World, part: string): Waiter[] =>
  registered<Waiter>(world, waiterFolder(part)).flatMap(({ record, live }) => (live && RUNGS.includes(record.rung) ? [record] : []));

/** The pagers that live and serve a part; any part for null. */
export function livePagers(world: World, part: string | null): Pager[] {
  return registered<Pager>(world, PAGERS).flatMap(({ record, live }) =>
    live && isPager(record) && (part === null || record.parts === null || record.parts.includes(part)) ? [record] : [],
  );
}

/** The pagers whose process is there and does nothing: it was stopped, or hangs. */
export const stillPagers = (world: World): Pager[] =>
  registered<Pager>(world, PAGERS).flatMap(({ record, live, gone }) => (live || gone || !isPager(record) ? [] : [record]));

const isPager = ({ parts, rungs }: Pager): boolean => (parts === null || Array.isArray(parts)) && Array.isArray(rungs);

/** How a part is rung, and its waiters that live. */
export interface Ringers {
  method: WakeMethod;
  waiters: Waiter[];
}

/** Looks for both, once for all that is asked of them. @throws FileError as `wakeMethodOf` */
export const ringersOf = (world: World, part: string): Ringers => ({
  method: wakeMethodOf(world, part),
  waiters: liveWaiters(world, part),
});

/** Whether somebody who lives could ring a part: a waiter of its own, or a pager that has a rung of its ladder. */
export function isServed(world: World, part: string, { method, waiters }: Ringers = ringersOf(world, part)): boolean {
  const ladder = ladderOf(method);
  const fits = (rung: RungName): boolean => ladder.includes(rung);
  return waiters.some(({ rung }) => fits(rung)) || livePagers(world, part).some(({ rungs }) => rungs.some(fits));
}

/**
 * Whether a part can be rung at all, whoever would do it: by a process that waits for its mail, a terminal that is known, a
 * connected agent in tmux, or a command.
 */
export function hasRung(world: World, part: string, { method, waiters }: Ringers = ringersOf(world, part)): boolean {
  const ladder = ladderOf(method);
  if (waiters.some(({ rung }) => ladder.includes(rung)) || (ladder.includes("exec") && method.exec !== undefined)) return true;
  return ladder.includes("tmux") && (method.tmux !== undefined || panePids(world, part).length > 0);
}

/** The first processes of the tmux panes in which connected agents of a part run. Known only where there is /proc. */
export const panePids = (world: World, part: string): number[] =>
  process.platform === "linux" ? livePids(world, part).flatMap((pid) => childOf(pid, /^tmux/) ?? []) : [];

/** How a pager can reach an idle session of a part now: a process that waits for its mail, or the terminal it was started in. */
export function reachableBy({ method, waiters }: Ringers): RungName[] {
  const ladder = ladderOf(method);
  const first = method.tmux?.["process"];
  const rungs = waiters.map(({ rung }) => rung);
  if (typeof first === "string" && lifeOf(first) === "alive") rungs.push("tmux");
  return ladder.filter((rung) => rungs.includes(rung));
}

/** Registrations of processes that are gone, by path. */
export function deadRegistrations(world: World): string[] {
  const { store } = world.home();
  const walk = (folder: string, depth: number): string[] =>
    entries(store, folder).flatMap(({ name, kind }) =>
      kind === "folder" && depth < 4 ? [`${folder}/${name}`, ...walk(`${folder}/${name}`, depth + 1)] : [],
    );
  return [PAGERS, ...walk("run/waiters", 0)].flatMap((folder) =>
    registered(world, folder).flatMap(({ path, gone }) => (gone ? [path] : [])),
  );
}

function register(world: World, folder: string, record: Waiter | Pager): () => void {
  const { store } = world.home();
  counter += 1;
  const target = `${folder}/${thisProcess()}-${counter}.json`;
  const text = `${JSON.stringify(record)}\n`;
  const keep = (): void => {
    try {
      // A home that was removed or moved away must not come to be again.
      if (facts(store, ".") !== null && !touch(store, target, Date.now())) place(store, target, text);
    } catch {
      // Read-only or full: nobody can be told.
    }
  };
  keep();
  const timer = setInterval(keep, RENEW_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    // This process ends, so nobody believes the file that it leaves.
    quietly(() => removeFile(store, target));
  };
}

/** `gone`: its process is, or cannot be seen and was not renewed. */
function registered<T extends { process: string }>(
  world: World,
  folder: string,
): { path: string; record: T; live: boolean; gone: boolean }[] {
  const { store } = world.home();
  return names(store, folder).flatMap((name) => {
    if (!name.endsWith(".json")) return [];
    const path = `${folder}/${name}`;
    return orElse([], () => {
      const record = JSON.parse(readText(store, path, RECORD_BYTES) ?? "null") as T | null;
      if (typeof record?.process !== "string") return [];
      const life = lifeOf(record.process);
      const fresh = life !== "gone" && isRenewed(world, path);
      return [{ path, record, live: fresh, gone: !fresh && life !== "alive" }];
    });
  });
}

/** Whether a registration was renewed lately. Where the clock says no, the disk's own is asked: the clock may have been set. */
const isRenewed = (world: World, path: string): boolean =>
  (ageMs(world.home().store, path) ?? STALE_MS) < STALE_MS || (world.unchangedMs([path]) ?? STALE_MS) < STALE_MS;
