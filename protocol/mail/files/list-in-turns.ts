/**
 * Every thread of a home, listed a day at a time: a home of years takes seconds, and other calls of the process get their turn between two
 * days. A search that is given up for its time has its list kept for a minute, and the next page goes on with it. spec/messages.md, "Search".
 */
import { compareNewest } from "../../core/format/id.ts";
import type { Store } from "../../store/root.ts";
import { newestOfDays, threadDays } from "./threads.ts";

const KEPT_MS = 60_000;
/** Of a commit so many days are listed together, by one process of git. */
const TOGETHER = 20;

/** Of each day the message written last in each thread, newest first. */
export type Listing = Map<string, readonly string[]>;

/** What was listed of homes, by root, and what forgets it. */
const kept = new Map<string, { days: Listing; timer: NodeJS.Timeout }>();

/**
 * Lists every thread that has messages, as the id of the message written last in it.
 * @param days where what is listed is noted, and what it has already is not listed again
 * @returns the ids, newest first; before that null for each day, or some days of a commit, that were listed now, so that the caller can let others go on, or give up
 */
export function* listInTurns(store: Store, days: Listing = new Map()): Generator<null, string[]> {
  const all = threadDays(store);
  const rest = all.filter((day) => !days.has(day));
  const many = store.recorded === undefined ? 1 : TOGETHER;
  for (let from = 0; from < rest.length; from += many) {
    const some = rest.slice(from, from + many);
    for (const [at, newest] of newestOfDays(store, some).entries()) days.set(some[at] as string, newest);
    yield null;
  }
  // Most of it is in order by then, which sorts at once.
  return all.flatMap((day) => days.get(day) ?? []).sort(compareNewest);
}

/** The list of a search that goes on, as far as it was made; it is forgotten when nobody asks for a minute. @param isNew for a search that begins */
export function listingOf({ root }: Store, isNew: boolean): Listing {
  clearTimeout(kept.get(root)?.timer);
  const days: Listing = (isNew ? undefined : kept.get(root)?.days) ?? new Map();
  const timer = setTimeout(() => kept.delete(root), KEPT_MS);
  timer.unref();
  kept.set(root, { days, timer });
  return days;
}
