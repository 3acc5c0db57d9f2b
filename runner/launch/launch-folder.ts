/**
 * The folder of one start of a program: what it reads, what it writes, and how it ended. All that a runner knows of a program that
 * it started lies here, so that another runner goes on after the first was killed. Stores are those of the office's folder of this machine.
 */
import path from "node:path";
import { LAUNCHES, OFFICE } from "../../protocol/office/files/office-folder.ts";
import type { ProgramName } from "../../protocol/office/nouns/agent-file.ts";
import { removeFolder } from "../../protocol/store/beside/beside.ts";
import { makeOwn, writeOwn } from "../../protocol/store/beside/own-folder.ts";
import { names } from "../../protocol/store/read/list-folder.ts";
import { readPlainText } from "../../protocol/store/read/plain-file.ts";
import { readLines } from "../../protocol/store/read/read-lines.ts";
import { absolute, type Store } from "../../protocol/store/root.ts";

/** What one start of a program is for. */
export interface LaunchOf {
  /** The dispatch's id. */
  dispatch: string;
  turn: number;
  /** Counted from 1: a turn is launched again where a model was over its limit, or the tools were not there. */
  attempt: number;
}

/** What a launch is known by; written before its program starts. */
export interface LaunchRecord extends LaunchOf {
  position: string;
  program: ProgramName;
  /** The session that the program goes on with, or begins where it takes an id of ours. */
  session?: string | undefined;
  /** The session that it was told to go on with; null for a new one. */
  resumes: string | null;
  /** The digest of its token, by which the server's own record of it is found. */
  token: string;
  /** When it was started, in milliseconds since the epoch. */
  startedMs: number;
}

const nameOf = ({ dispatch, turn, attempt }: LaunchOf): string => `${dispatch}.${turn}.${attempt}`;

/** A file of a launch, as a path in its store. */
export const launchPath = (launch: LaunchOf, name: string): string => `${LAUNCHES}/${nameOf(launch)}/${name}`;

/** Bytes of the longest line that a program prints: the answer of a tool with an image in it is one line. */
const LINE_BYTES = 32 * 1_048_576;

/** The whole lines that the program of a launch printed from a byte on, and the byte at which to go on. */
export const printedLines = (store: Store, launch: LaunchOf, from: number): { lines: string[]; next: number } =>
  readLines(store, launchPath(launch, "stdout"), from, LINE_BYTES);

/** The folder of a launch, as an absolute path. */
export const launchFolder = (store: Store, launch: LaunchOf): string => absolute(store, `${LAUNCHES}/${nameOf(launch)}`);

/**
 * Makes the folder of a launch with all that its program reads.
 * @param files name and text: `stdin`, and the program's settings
 */
export function makeLaunch(store: Store, record: LaunchRecord, files: Readonly<Record<string, string>>): string {
  const folder = launchFolder(store, record);
  makeOwn([absolute(store, OFFICE), absolute(store, LAUNCHES), folder]);
  // No file of it outlives the machine's next start in any use, so nothing waits for the disk.
  for (const [name, text] of Object.entries({ ...files, stdout: "", stderr: "", "launch.json": JSON.stringify(record) }))
    writeOwn(path.join(folder, name), text);
  return folder;
}

/** The launches of a turn, in the order of their attempts. */
export const launchesOf = (store: Store, dispatch: string, turn: number): LaunchRecord[] =>
  names(store, LAUNCHES)
    .filter((name) => name.startsWith(`${dispatch}.${turn}.`))
    .flatMap((name) => readRecord(store, name) ?? [])
    .sort((a, b) => a.attempt - b.attempt);

/** Every launch whose folder is still there. One that was being made when its runner was killed began nothing, and is left out. */
export const allLaunches = (store: Store): LaunchRecord[] => names(store, LAUNCHES).flatMap((name) => readRecord(store, name) ?? []);

function readRecord(store: Store, name: string): LaunchRecord | null {
  try {
    const record = JSON.parse(readPlainText(absolute(store, `${LAUNCHES}/${name}/launch.json`))) as LaunchRecord;
    return nameOf(record) === name ? record : null;
  } catch {
    return null;
  }
}

/**
 * Removes what runners that were killed left of launches: those of turns that are over, and those that they had not made whole.
 * @param isOver whether a turn of a dispatch has ended, or is none
 */
export function sweepLaunches(store: Store, isOver: (of: { dispatch: string; turn: number }) => boolean): void {
  for (const name of names(store, LAUNCHES)) {
    const [dispatch = "", turn = ""] = name.split(".");
    const isWhole = readRecord(store, name) !== null;
    if (!isWhole || isOver({ dispatch, turn: Number(turn) })) removeFolder(absolute(store, `${LAUNCHES}/${name}`));
  }
}

/** Removes the folder of a launch that is over and read. */
export const removeLaunch = (store: Store, launch: LaunchOf): void => removeFolder(launchFolder(store, launch));
