/**
 * The wakes of a home on disk: for each part a chain of numbered steps, each created exclusively, of which the last says
 * where the part's wake stands. Who was suspended finds its number taken. spec/waking.md, "The wake machine".
 */

import { IDLE, reduce, type WakeEvent } from "../../objects/wake/wake.ts";
import { formatStep, parseStep, renewalPath, stepOf, type WakeRecord, wakeFolder, wakePath } from "../../objects/wake/wake-record.ts";
import { publish, removeFile } from "../../store/files.ts";
import { names, readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";

const STEP_BYTES = 16_384;
/** So many steps of a part are kept: what `wakes` can tell of. */
const KEPT = 256;
const ROUNDS = 200;

/** The last step of a part's chain. */
export function lastStep(world: World, part: string): WakeRecord {
  const n = highest(world.home().store, part);
  return (n === 0 ? null : stepAt(world, part, n)) ?? { n, atMs: 0, state: IDLE };
}

function highest(store: Store, part: string): number {
  return names(store, wakeFolder(part)).reduce((top, name) => Math.max(top, stepOf(name) ?? 0), 0);
}

function stepAt(world: World, part: string, n: number): WakeRecord | null {
  try {
    const step = parseStep(readText(world.home().store, wakePath(part, n), STEP_BYTES) ?? "");
    // The name is what was decided by its exclusive create.
    return step === null ? null : { ...step, n };
  } catch {
    return null;
  }
}

/** The steps of a part that are kept, oldest first. */
export function steps(world: World, part: string): WakeRecord[] {
  return names(world.home().store, wakeFolder(part))
    .flatMap((name) => stepOf(name) ?? [])
    .sort((a, b) => a - b)
    .flatMap((n) => stepAt(world, part, n) ?? []);
}

/**
 * Moves a part's wake by one event; the exclusive create of the next step decides between two who move it at once.
 * @param event made anew for the state that it meets
 * @returns where it stands after that, and whether this call moved it; null when the event is refused
 */
export function moveWake(world: World, part: string, event: (last: WakeRecord) => WakeEvent): { last: WakeRecord; moved: boolean } | null {
  const store = { ...world.home().store, durable: false };
  const policy = world.home().config().wake;
  for (let round = 0; round < ROUNDS; round += 1) {
    const last = lastStep(world, part);
    const next = reduce(last.state, event(last), policy);
    if (next === null) return null;
    if (next === last.state) return { last, moved: false };
    const record: WakeRecord = { n: last.n + 1, atMs: world.now(), state: next };
    if (publish(store, wakePath(part, record.n), formatStep(record)) === "exists") continue;
    if (highest(store, part) < record.n + KEPT / 2) {
      clearOld(store, part, record.n);
      return { last: record, moved: true };
    }
    // This number had been used and cleared while this process slept.
    removeFile(store, wakePath(part, record.n));
  }
  return null;
}

function clearOld(store: Store, part: string, n: number): void {
  removeFile(store, renewalPath(part, n - 1));
  // Mostly one is to go; after a fault there may be more.
  if (!removeFile(store, wakePath(part, n - KEPT))) return;
  for (let old = n - KEPT - 1; old > 0 && removeFile(store, wakePath(part, old)); old -= 1);
}
