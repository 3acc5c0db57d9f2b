/**
 * The order in which messages arrived on this machine: one line each in `local/arrivals`, appended when the message is
 * stored. A line's number is its message's `seq`: a line is there only when all before it are, so who has read up to a
 * number misses nothing, also when a sender was suspended between storing and appending. spec/messages.md, "Arrival order".
 */
import { appendLine } from "../store/files.ts";
import { readLines } from "../store/read.ts";
import type { World } from "../world.ts";

const ARRIVALS = "local/arrivals";

/** What this process has read of a home's arrivals. */
interface Known {
  /** Message ids by line; an id that came a second time is empty there. */
  ids: string[];
  numbers: Map<string, number>;
  next: number;
}

const known = new Map<string, Known>();

/** Every message id by its line, as the file is now. */
function arrivals(world: World): Known {
  const { store } = world.home();
  const have: Known = known.get(store.root) ?? { ids: [], numbers: new Map(), next: 0 };
  known.set(store.root, have);
  const { lines, next } = readLines(store, ARRIVALS, have.next);
  for (const id of lines) {
    const again = have.numbers.has(id);
    have.ids.push(again ? "" : id);
    if (!again) have.numbers.set(id, have.ids.length);
  }
  have.next = next;
  return have;
}

/** Notes a message that was stored just now. What fails here fails no send: a later look notes it. */
export function noteArrival(world: World, id: string): void {
  try {
    appendLine(world.home().store, ARRIVALS, id, false);
  } catch {
    // The message is stored; it gets its number when somebody finds it without one.
  }
}

/** Notes a message that somebody else stored, where they did not. */
export function noteMissedArrival(world: World, id: string): void {
  if (!arrivals(world).numbers.has(id)) noteArrival(world, id);
}

/** The number of a message in this machine's order; 0 when it has none. */
export const seqOf = (world: World, id: string): number => arrivals(world).numbers.get(id) ?? 0;

/** The ids that arrived after a number, in order, each with its own. */
export function arrivedAfter(world: World, seq: number): { seq: number; id: string }[] {
  const { ids } = arrivals(world);
  const later: { seq: number; id: string }[] = [];
  for (let at = Math.max(0, seq); at < ids.length; at += 1) {
    const id = ids[at] as string;
    if (id !== "") later.push({ seq: at + 1, id });
  }
  return later;
}
