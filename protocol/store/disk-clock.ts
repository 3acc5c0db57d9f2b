/**
 * How old files are. Three clocks, and which is asked for what:
 *
 * - how long a file has been as it is: `unchangedMs` goes by the disk's own clock, the time that it gives a changed file,
 *   whatever time a process has: two processes whose clocks differ agree by it (SPEC.md, "Claim"). `ageMs`, of `read.ts`, goes by the
 *   system's clock, and is enough where a wrong answer only tidies later or does once more what may be done twice;
 * - an instant that is written down, or compared with one: `world.now()`, which a test gives;
 * - how long something takes: `performance.now()`, which nobody sets.
 */
import fs from "node:fs";
import { orElse } from "../core/format/file-error.ts";
import { ASIDE, absolute, type Store, unlinkQuietly } from "./root.ts";
import { writeAside } from "./write/write-aside.ts";

/** For so long what was read of the disk's clock is counted on from there. */
const KEPT_MS = 1_000;
const clocksRead = new Map<string, { diskMs: number; atMs: number }>();

/**
 * For how long none of some files has changed, in milliseconds; a file that is not there says nothing.
 * @returns null where none is there, or the disk cannot be written and so tells no time
 */
export function unchangedMs(store: Store, targets: readonly string[]): number | null {
  const changes = targets.flatMap((target) => fs.lstatSync(absolute(store, target), { throwIfNoEntry: false })?.ctimeMs ?? []);
  const nowMs = changes.length === 0 ? null : diskNow(store);
  return nowMs === null ? null : Math.max(0, nowMs - Math.max(...changes));
}

/** The time that the disk gives to what changes now, in milliseconds since the epoch; null where it cannot be written. */
export function diskNow(store: Store): number | null {
  // This clock only counts on: nobody sets it.
  const atMs = performance.now();
  const before = clocksRead.get(store.root);
  if (before !== undefined && atMs - before.atMs < KEPT_MS) return before.diskMs + atMs - before.atMs;
  return orElse(null, () => {
    const aside = writeAside(store, ASIDE, "");
    const diskMs = fs.statSync(aside).ctimeMs;
    unlinkQuietly(store, aside);
    clocksRead.set(store.root, { diskMs, atMs });
    return diskMs;
  });
}
