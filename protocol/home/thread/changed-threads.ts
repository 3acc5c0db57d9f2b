/**
 * Which threads changed, by the times of their folders. The folder of a day says that a thread came, not which. So the threads of a day
 * are looked at one by one: of a day of very many once by a process, then those that came and some others in turn.
 */

import type { ThreadLocation } from "../../objects/format/id.ts";
import { threadFolder } from "../../objects/message/message.ts";
import { changedMs } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { threadsOfDay } from "./threads.ts";

/** So many threads are looked at in turn, a few more than a home has that is listed whole. A day of more is one of very many. */
export const IN_TURN = 500;
/** Of so many days of very many threads the times are kept, those that were asked for last. */
const DAYS_KEPT = 4;

/** When the folder of each thread of a day changed, as it was seen last, by the random part of the thread's id. */
type Times = Map<string, number>;

/** By the root of the home and the day. */
const kept = new Map<string, Times>();

const keyOf = ({ root }: Store, day: string): string => `${day} ${root}`;

/** The threads of a day whose folders changed since. @param sinceMs milliseconds since the epoch */
export function changedOfDay(store: Store, day: string, sinceMs: number): ThreadLocation[] {
  const threads = threadsOfDay(store, day);
  const timeOf = (thread: ThreadLocation): number => changedMs(store, threadFolder(thread));
  if (threads.length <= IN_TURN) return threads.filter((thread) => timeOf(thread) >= sinceMs);
  const before = kept.get(keyOf(store, day));
  const some = before === undefined ? new Set<ThreadLocation>() : new Set(inTurn(threads, IN_TURN));
  const seen = (thread: ThreadLocation): number => (some.has(thread) ? undefined : before?.get(thread.random)) ?? timeOf(thread);
  const times: Times = new Map(threads.map((thread) => [thread.random, seen(thread)]));
  keep(keyOf(store, day), times);
  return threads.filter(({ random }) => (times.get(random) as number) >= sinceMs);
}

function keep(key: string, times: Times): void {
  kept.delete(key);
  kept.set(key, times);
  for (const oldest of [...kept.keys()].slice(0, -DAYS_KEPT)) kept.delete(oldest);
}

/**
 * Looks at the threads of some days, others each time, one by one.
 * @param since of each day when that was done last, in milliseconds since the epoch
 * @param most how many threads are looked at, and those of the last day
 * @param note takes each that changed since
 * @returns when it was begun, by day; without days of very many, of which only some were looked at
 */
export function lookInTurn(
  store: Store,
  since: Readonly<Record<string, number>>,
  most: number,
  note: (thread: ThreadLocation) => void,
): Record<string, number> {
  const days: Record<string, number> = {};
  let looked = 0;
  for (const day of inTurn(Object.keys(since), Number.POSITIVE_INFINITY)) {
    if (looked >= most) break;
    const seenMs = Date.now();
    const all = threadsOfDay(store, day);
    const threads = inTurn(all, Math.max(most, IN_TURN));
    const isWhole = threads.length === all.length;
    // What is kept of such a day is looked at with it.
    if (isWhole || !kept.has(keyOf(store, day)))
      for (const thread of threads) if (changedMs(store, threadFolder(thread)) >= (since[day] as number)) note(thread);
    if (isWhole) days[day] = seenMs;
    looked += Math.max(1, threads.length);
  }
  return days;
}

/** At most so many of a list, in its order, from a place that is another one each time. */
function inTurn<T>(list: readonly T[], most: number): T[] {
  const first = Math.floor(Math.random() * list.length);
  return [...list.slice(first), ...list.slice(0, first)].slice(0, most);
}
