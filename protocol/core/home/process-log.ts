/** The logs of long-running processes, for people: JSON Lines under `run/logs`, of bounded size. spec/waking.md, "The pager". */

import { facts } from "../../store/read/facts.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { moveFile } from "../../store/write/move-file.ts";
import type { World } from "../world.ts";

/** A log of this size in bytes moves aside, and so many that moved are kept. */
const LOG_BYTES = 1_048_576;
const KEPT = 3;

/** Where a log lies; `age` 0 is the one that is written. */
export const logPath = (name: string, age: number): string => `run/logs/${name}${age === 0 ? "" : `.${age}`}.jsonl`;

/** Adds a line to a log. What fails here fails nothing else; a home that is not there is not made. */
export function log(world: World, name: string, line: Record<string, unknown>): void {
  const { store } = world.home();
  try {
    if (facts(store, ".") === null) return;
    if ((facts(store, logPath(name, 0))?.size ?? 0) >= LOG_BYTES)
      for (let age = KEPT; age > 0; age -= 1) moveFile(store, logPath(name, age - 1), logPath(name, age));
    appendLine(store, logPath(name, 0), JSON.stringify({ at: new Date(world.now()).toISOString(), pid: process.pid, ...line }), false);
  } catch {
    // The disk is full or read-only.
  }
}
