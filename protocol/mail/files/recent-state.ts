/**
 * What `run/threads` says: the threads that were written to last, and how far the order of arrival was read for it. Disposable. It is
 * not believed where it is torn, of another `local/arrivals`, or from the future.
 */
import fs from "node:fs";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { thisProcess } from "../../store/process.ts";
import { facts } from "../../store/read/facts.ts";
import { absolute, type Store } from "../../store/root.ts";
import { readNote, writeNote } from "../../store/sealed-note.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { type ReadUpTo, readUpTo } from "./arrival-blocks.ts";

const STATE = "run/threads";
const STATE_BYTES = 16 * 1_048_576;
/** The disk's clock and this process's may be so far apart; else no time of a file is compared with one of ours. */
const CLOCKS_APART_MS = 1_000;

/** What another version kept is not read. */
export const STATE_VERSION = 4;

/** Instants in milliseconds since the epoch, by the system's clock. */
export interface RecentState {
  version: typeof STATE_VERSION;
  /** The machine's run and the name space of processes: after a loss of power lines may be missing that were never flushed. */
  run: string;
  /** Every change that shows by its arrival, its day or an inbox was seen up to then. */
  seenMs: number;
  arrivals: ReadUpTo;
  /** Threads that were written to before this message are not in the list; null where all are. */
  floor: string | null;
  /** Of each thread the message written last, newest first. */
  newest: string[];
  /** Of each day when its threads were looked at one by one. */
  days: Record<string, number>;
  /** Of a day whose threads were written to after its end the time of the message written last. */
  late: Record<string, number>;
  /** Of a day when a change of one of its threads was seen last. */
  changed: Record<string, number>;
  /** Of a day from when on its pack spoke for each of its threads, and what the pack's file was. */
  packed: Record<string, [ms: number, sign: string]>;
}

/** The days of states, which thousands are in a home of years. */
const dayLists = new WeakMap<RecentState["days"], readonly string[]>();

/** The days of a state, newest first. */
export function dayNames({ days }: RecentState): readonly string[] {
  const known = dayLists.get(days) ?? Object.keys(days);
  dayLists.set(days, known);
  return known;
}

/** This run of the machine, as processes describe it. */
export const thisRun = (): string => thisProcess().split("-").slice(2).join("-");

/** States read in this process, by the root of the home; each is read again when its file is another. */
const kept = new Map<string, { sign: string; state: RecentState }>();

/** The state as it was kept; null where there is none that can be believed now. */
export function keptState(store: Store): RecentState | null {
  const state = orElse(null, () => readState(store));
  if (state === null || state.seenMs > Date.now()) return null;
  const now = orElse(null, () => readUpTo(store, state.arrivals.next));
  return now !== null && now.inode === state.arrivals.inode && now.tail === state.arrivals.tail ? state : null;
}

function readState(store: Store): RecentState | null {
  const fact = facts(store, STATE);
  if (fact === null) return null;
  const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const known = kept.get(store.root);
  if (known?.sign === sign) return known.state;
  const state = readNote(store, STATE, STATE_BYTES) as RecentState | null;
  if (state?.version !== STATE_VERSION) return null;
  kept.set(store.root, { sign, state });
  return state;
}

/** Keeps the state; where it cannot be kept, or where the disk has another time, nothing is lost but time. */
export function keepState(store: Store, state: RecentState): void {
  kept.delete(store.root);
  writeNote(store, STATE, state);
  quietly(() => {
    const stat = fs.lstatSync(absolute(store, STATE));
    if (Math.abs(stat.ctimeMs - Date.now()) > CLOCKS_APART_MS) removeFile(store, STATE);
  });
}
