/** Hurting processes: at random instants, and knowing how they are. */
import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import type { Entry, Invoked } from "../history/history.ts";
import type { Worker } from "./processes.ts";

/** A whole number from 0 to less than `below`. */
export const randomInt = (below: number): number => Math.floor(Math.random() * below);

/**
 * Lets a moment of chance come, at which a process is hurt or other work goes on; never waits for something to be so: `until`
 * does that, and `DrivenClock.pass` shows that something is not.
 */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The system's letter for a process's state (`R`, `S`, `T`, `Z`); null when it is gone. */
function stateOf(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  } catch {
    return null;
  }
}

/** Whether a process is there, and is neither suspended nor at its end. */
export const goesOn = (pid: number): boolean => !["T", "Z", null].includes(stateOf(pid));

/** Whether a process has come to its end, though its parent may not have heard of it yet. */
export const hasEnded = (pid: number): boolean => ["Z", null].includes(stateOf(pid));

/** The same as a condition of a shell: one that was killed keeps its number until somebody asks for it. @param pid as the shell reads it */
export const isAlive = (pid: string): string => `ps -o stat= -p "${pid}" 2>/dev/null | grep -qv Z`;

/** Whether a process is suspended by SIGSTOP. */
export const isStopped = (child: ChildProcess): boolean => child.pid !== undefined && stateOf(child.pid) === "T";

/** What an acting process logged. */
export const entriesOf = (worker: Worker): Entry[] => worker.lines.filter((line) => "phase" in line);

/** The calls that began and were neither answered nor refused: of these nobody knows. */
export function unansweredOf(log: readonly Entry[]): Invoked[] {
  const told = new Set(log.flatMap((entry) => (entry.phase === "invoked" ? [] : [entry.call])));
  return log.filter((entry) => entry.phase === "invoked").filter(({ call }) => !told.has(call));
}
