/**
 * The order in which messages arrived on this machine: one line each in `local/arrivals`, appended when the message is stored. A line's
 * number is its message's `seq`. spec/messages.md, "Arrival order".
 *
 * A file of a million lines is not read whole: of each 1,024 lines, of older ones more, it is kept where they begin, and between which
 * times the tokens in them lie. So an id is looked for only where it can be, and lines that are all too old are passed over; what is
 * found is read from the file itself.
 */
import { acted } from "../../core/act.ts";
import { encodeTime, timeTextOf } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import type { Store } from "../../store/root.ts";
import { type Block, hasLine, linesOf, orderOf, placeIn } from "./arrival-blocks.ts";

/** Notes a message that somebody else stored, where they did not. */
export function noteMissedArrival(world: World, id: string): void {
  const time = timeTextOf(id);
  const { store } = world.home();
  const isKnown = time !== null && orderOf(store).some((block) => mayHold(block, time) && hasLine(store, block, id));
  if (!isKnown) acted(world, { message: id });
}

/** The number of a message in this machine's order; 0 when it has none. Where it came twice, its first one. */
export function seqOf(world: World, id: string): number {
  const { store } = world.home();
  const time = timeTextOf(id);
  if (time === null) return 0;
  for (const block of orderOf(store)) {
    if (!mayHold(block, time)) continue;
    const at = placeIn(store, block, id);
    if (at !== null) return block.first + at;
  }
  return 0;
}

/**
 * The ids that arrived after a number, in order, each with its own.
 * @param sinceMs only those whose tokens are not older
 */
export function* arrivedAfter(world: World, seq: number, sinceMs = 0): Generator<{ seq: number; id: string }> {
  const { store } = world.home();
  const since = encodeTime(sinceMs);
  const blocks = orderOf(store);
  for (const [nth, block] of blocks.entries()) {
    if (block.first + block.count - 1 <= seq || block.latest < since) continue;
    const fresh: Fresh = new Map();
    for (const [at, id] of linesOf(store, block).entries()) {
      const time = timeTextOf(id);
      if (time !== null && time >= since && !fresh.has(id)) fresh.set(id, { seq: block.first + at, time });
    }
    for (const [id, first] of fresh) if (first.seq <= seq) fresh.delete(id);
    for (const earlier of blocks.slice(0, nth)) dropKnown(store, fresh, block, earlier);
    for (const [id, first] of fresh) yield { seq: first.seq, id };
  }
}

/** Ids whose first line in a block may be their first one of all. */
type Fresh = Map<string, { seq: number; time: string }>;

/** Drops those of a block that have a line in an earlier one, which is read once for all of them, and only where it may hold any. */
function dropKnown(store: Store, fresh: Fresh, block: Block, earlier: Block): void {
  if (earlier.latest < block.earliest || block.latest < earlier.earliest) return;
  if (![...fresh.values()].some(({ time }) => mayHold(earlier, time))) return;
  for (const id of linesOf(store, earlier)) fresh.delete(id);
}

const mayHold = (block: Block, time: string): boolean => block.earliest <= time && time <= block.latest;
