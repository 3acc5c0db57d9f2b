/**
 * Which threads changed, by the times of their folders. The folder of a day says that a thread came, not which. So the threads of a day
 * are looked at one by one: of a day of very many once by a process, then those that came and some others in turn.
 */

import type { ThreadLocation } from "../../core/format/id.ts";
import { changedMs } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { threadFolder } from "../nouns/message.ts";
import { threadsOfDay } from "./threads.ts";

/** A day of more threads is one of very many: of it only some are looked at. */
const MANY = 500;
/** Of a home, or a day, of very many so many threads are looked at, others each time; of a home on average. */
export const IN_TURN = 100;
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
  if (threads.length <= MANY) return threads.filter((thread) => timeOf(thread) >= sinceMs);
  const before = kept.get(keyOf(store, day));
  const seen: Times = before ?? new Map();
  const due = before === undefined ? threads : [...inTurn(threads, IN_TURN), ...threads.filter(({ random }) => !seen.has(random))];
  for (const thread of due) seen.set(thread.random, timeOf(thread));
  const timeSeen = ({ random }: ThreadLocation): number => seen.get(random) as number;
  // Those that are gone are forgotten.
  const times: Times = seen.size === threads.length ? seen : new Map(threads.map((thread) => [thread.random, timeSeen(thread)]));
  keep(keyOf(store, day), times);
  return threads.filter((thread) => timeSeen(thread) >= sinceMs);
}

function keep(key: string, times: Times): void {
  kept.delete(key);
  kept.set(key, times);
  for (const oldest of [...kept.keys()].slice(0, -DAYS_KEPT)) kept.delete(oldest);
}

/**
 * Looks at the threads of some days, others each time, one by one. A day that has more threads than may still be looked at is looked at
 * whole all the same, or the look ends before it: by chance, so often that one look costs on average what it may. Of a day of very many
 * some are looked at.
 * @param since the days, and of each when that was done last, in milliseconds since the epoch
 * @param most how many threads are looked at on average
 * @param note takes each that changed since
 * @returns when it was begun, by day; without days of very many of which only some were looked at
 */
export function lookInTurn(
  store: Store,
  since: { days: readonly string[]; sinceMs: (day: string) => number },
  most: number,
  note: (thread: ThreadLocation) => void,
): Record<string, number> {
  const days: Record<string, number> = {};
  const first = Math.floor(Math.random() * since.days.length);
  let looked = 0;
  for (let step = 0; step < since.days.length && looked < most; step += 1) {
    const day = since.days[(first + step) % since.days.length] as string;
    const seenMs = Date.now();
    const all = threadsOfDay(store, day);
    const left = most - looked;
    // Else a day of which each change is seen again with every look would never count as looked at.
    if (all.length > left && all.length <= MANY && Math.random() * all.length >= left) break;
    const threads = all.length <= MANY ? all : inTurn(all, left);
    const isWhole = threads.length === all.length;
    // What is kept of a day of very many is looked at with it.
    if (isWhole || !kept.has(keyOf(store, day)))
      for (const thread of threads) if (changedMs(store, threadFolder(thread)) >= since.sinceMs(day)) note(thread);
    if (isWhole) days[day] = seenMs;
    looked += Math.max(1, threads.length);
  }
  return days;
}

/** At most so many of a list, in its order, from a place that is another one each time. */
export function inTurn<T>(list: readonly T[], most: number): T[] {
  const first = Math.floor(Math.random() * list.length);
  const some = list.slice(first, first + most);
  return [...some, ...list.slice(0, Math.max(0, Math.min(first, most - some.length)))];
}
