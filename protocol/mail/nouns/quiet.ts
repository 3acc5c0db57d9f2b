/** Parts that hold a claim and show no sign of life. Kept under `run/`: never shared, always disposable. spec/waking.md, "Stuck agents". */
import { markName } from "./part.ts";

/** Where it is kept that somebody was told of a quiet period. */
export const STUCK = "run/stuck";
/** Where the quiet periods of a part lie that were told. */
export const stuckFolder = (part: string): string => `${STUCK}/${markName(part)}`;
/** The name of a quiet period: when it began, in milliseconds since the epoch. Who creates it is who tells. */
export const stuckPath = (part: string, sinceMs: number): string => `${stuckFolder(part)}/${sinceMs}`;

/** A task that a part holds a claim of, and since when, in milliseconds since the epoch. */
export interface HeldTask {
  session: string;
  task: string;
  title: string;
  fence: number;
  /** Where the title came from, in words, where not from here. */
  origin?: string;
  sinceMs: number;
}

/** A part that holds a claim and showed no sign of life for longer than the home's policy lets it. */
export interface Quiet {
  part: string;
  /** Its last sign of life, or when it got something to do, whichever is later; milliseconds since the epoch. */
  sinceMs: number;
  /** What it holds, the longest held first; at least one. */
  tasks: readonly HeldTask[];
}

/** A part as `Quiet`, where it is quiet for `limitMs`; null where it is not, or holds nothing. */
export function quietOf(part: string, lifeMs: number, held: readonly HeldTask[], nowMs: number, limitMs: number): Quiet | null {
  const tasks = [...held].sort((a, b) => a.sinceMs - b.sinceMs || (a.task < b.task ? -1 : 1));
  const [first] = tasks;
  if (first === undefined) return null;
  const sinceMs = Math.max(lifeMs, first.sinceMs);
  return nowMs - sinceMs >= limitMs ? { part, sinceMs, tasks } : null;
}
