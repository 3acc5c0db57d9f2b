/**
 * The threads that were written to last, without listing all: what came since is read from the end of `local/arrivals`. The folders
 * stay the truth: each thread is listed before it is shown; days and inboxes whose folders changed are listed, whatever the arrivals
 * say; and of all other threads some are looked at in turn. A home of few threads is listed whole. spec/messages.md, "Arrival order".
 */
import {
  compareNewest,
  encodeTime,
  type MessageLocation,
  messageId,
  parseMessageId,
  type ThreadLocation,
  threadId,
  timeTextOf,
} from "../../core/format/id.ts";
import { ARRIVALS } from "../../core/home/feed.ts";
import { changedMs, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readLines } from "../../store/read/read-lines.ts";
import type { Store } from "../../store/root.ts";
import { threadFolder } from "../nouns/message.ts";
import { inboxNew } from "../nouns/part.ts";
import { readUpTo } from "./arrival-blocks.ts";
import { changedOfDay, IN_TURN, lookInTurn } from "./changed-threads.ts";
import { lateOf } from "./late-days.ts";
import { type Listing, listInTurns } from "./list-in-turns.ts";
import { dayNames, keepState, keptState, type RecentState, STATE_VERSION, thisRun } from "./recent-state.ts";
import { messageKeys, newestOf, threadDays } from "./threads.ts";

/** So many threads are in the list. */
const LISTED = 1_000;
/** A home of fewer threads is listed whole each time. */
const FEW = 400;
/** In a home of no more threads than this each is looked at each time. */
const ALL = 500;
/** So many days before today are looked at each time. */
const RECENT_DAYS = 40;
/** Two changes within this time may have one time of change on some disks. */
const GRAIN_MS = 2_000;
/** The list is kept again when so many threads changed since. */
const WORTH_KEEPING = 64;
/** And no sooner after it was kept than this: what changed just before that still counts as changed since, for the grain of clocks. */
const KEPT_MS = 2 * GRAIN_MS;
/** From the kept list so many threads are looked at together before the first of them is given. */
const AHEAD = 40;

/** Of a commit so many threads are read together: a page of the dashboard, and one to know that there are more. */
const TOGETHER = 31;

/** A thread with its messages' keys, in its order. */
export interface Listed {
  newest: string;
  thread: ThreadLocation;
  keys: MessageLocation[];
}

/**
 * The threads that have messages, the one written to last first, each as it is when it is its turn; null where others may have theirs.
 * @param after only those that come after this message's thread
 * @param listing a list of all that the caller began before, for a search that goes on; a new one is made where there is none
 * @param state what is known of the threads written to last, where the caller asked already
 */
export function* newestThreads(
  store: Store,
  after: string | undefined,
  listing?: Listing,
  state = recentState(store),
): Generator<Listed | null> {
  let last = after;
  if (state !== null) {
    for (const listed of fromList(store, state, last)) {
      yield listed;
      last = listed.newest;
    }
    if (state.floor === null) return;
  }
  const all = yield* state === null && listing === undefined ? listAndKeep(store) : listInTurns(store, listing);
  const isLater = (id: string): boolean => last === undefined || compareNewest(id, last) > 0;
  const rest = all.filter(isLater);
  for (const [at, newest] of rest.entries()) {
    if (at % TOGETHER === 0) store.recorded?.warm(rest.slice(at, at + TOGETHER).map((each) => threadFolder(threadOf(each))));
    const listed = look(store, threadOf(newest));
    // One that was written to since it was listed came before, or is new; the others stand where they were listed.
    if (listed !== null && isLater(listed.newest)) yield { ...listed, newest };
  }
}

/** The threads of some messages alone, in the same order; null where others may have theirs. @param after as above */
export function* threadsOfMessages(store: Store, messages: readonly string[], after: string | undefined): Generator<Listed | null> {
  const threads = new Map(messages.map((id) => [threadId(threadOf(id)), threadOf(id)]));
  const found: Listed[] = [];
  for (const thread of threads.values()) {
    const listed = look(store, thread);
    if (listed !== null && (after === undefined || compareNewest(listed.newest, after) > 0)) found.push(listed);
    yield null;
  }
  yield* found.sort((one, other) => compareNewest(one.newest, other.newest));
}

/** Whether the threads written to last are known without listing all. */
export const knowsRecent = (store: Store): boolean => keptState(store) !== null;

/** Those of the kept list, as far down as it is complete. */
function* fromList(store: Store, state: RecentState, after: string | undefined): Generator<Listed> {
  const isAfter = (id: string): boolean => after === undefined || compareNewest(id, after) > 0;
  const ready: Listed[] = [];
  let at = 0;
  for (;;) {
    const had = ready.length;
    while (ready.length < AHEAD && at < state.newest.length) {
      const id = state.newest[at] as string;
      at += 1;
      const listed = isAfter(id) ? look(store, threadOf(id)) : null;
      if (listed !== null && isAfter(listed.newest)) ready.push(listed);
    }
    if (ready.length > had) ready.sort((a, b) => compareNewest(a.newest, b.newest));
    const next = ready.shift();
    if (next === undefined || isBelow(next.newest, state.floor)) return;
    yield next;
  }
}

const isBelow = (id: string, floor: string | null): boolean => floor !== null && compareNewest(id, floor) > 0;

/** A thread as it is now; null where it has no message. */
function look(store: Store, thread: ThreadLocation): Listed | null {
  const keys = messageKeys(store, thread);
  const newest = newestOf(keys);
  return newest === null ? null : { newest: messageId(newest), thread, keys };
}

function threadOf(id: string): ThreadLocation {
  const { day, random } = parseMessageId(id) as MessageLocation;
  return { day, random };
}

/** Every thread, and keeps the newest of a home that has many. */
function* listAndKeep(store: Store): Generator<null, string[]> {
  const seenMs = Date.now();
  const arrivals = readUpTo(store, facts(store, ARRIVALS)?.size ?? 0);
  const all = yield* listInTurns(store);
  if (arrivals === null || all.length < FEW) return all;
  const days = Object.fromEntries(threadDays(store).map((day) => [day, seenMs]));
  const none = { changed: {}, packed: {} };
  keepState(store, { version: STATE_VERSION, run: thisRun(), seenMs, arrivals, ...cut(all, null), days, late: lateOf(all, {}), ...none });
  return all;
}

/** The head of a sorted list, and how far down it goes. @param floor how far down the list went before */
function cut(newest: readonly string[], floor: string | null): Pick<RecentState, "newest" | "floor"> {
  const listed = newest.filter((id) => !isBelow(id, floor)).slice(0, LISTED);
  return { newest: listed, floor: newest.length > LISTED ? (listed.at(-1) as string) : floor };
}

/** What is known of the threads written to last, up to now; null where nothing is that can be believed. */
export function recentState(store: Store): RecentState | null {
  const known = keptState(store);
  // A list that shrank much is made anew, so that pages further down find it.
  if (known === null || (known.floor !== null && known.newest.length < LISTED / 2)) return null;
  const nowMs = Date.now();
  const { lines, next } = readLines(store, ARRIVALS, known.arrivals.next);
  const arrivals = readUpTo(store, next);
  // It was cut while it was read, or grew by more than is read at once.
  if (arrivals === null || facts(store, ARRIVALS)?.size !== next) return null;
  const changed = new Map<string, ThreadLocation>();
  const note = (thread: ThreadLocation): void => void changed.set(threadId(thread), thread);
  for (const line of lines) if (parseMessageId(line) !== null) note(threadOf(line));
  const most = known.floor === null && known.newest.length <= ALL ? ALL : IN_TURN;
  for (const thread of freshInInboxes(store, known, most)) note(thread);
  for (const day of changedDays(store, known)) for (const thread of changedOfDay(store, day, known.seenMs - GRAIN_MS)) note(thread);
  // After a loss of power lines may be missing.
  const since = { days: dayNames(known), sinceMs: (day: string) => (known.days[day] as number) - GRAIN_MS };
  const turn = lookInTurn(store, since, known.run === thisRun() ? most : Number.POSITIVE_INFINITY, note);
  const listed = merged(store, known, [...changed.values()]);
  const fresh = Object.fromEntries([...changed.values()].map(({ day }) => [day, nowMs]));
  const state: RecentState = { ...known, ...listed, arrivals, seenMs: nowMs, changed: { ...known.changed, ...fresh } };
  const isWorth = changed.size >= WORTH_KEEPING && nowMs - known.seenMs > KEPT_MS;
  if (!isWorth && known.run === thisRun()) return state;
  // The newest day first, as they are listed; a day that is not there any more needs no look.
  const days = Object.fromEntries(threadDays(store).map((day) => [day, turn[day] ?? known.days[day] ?? nowMs]));
  keepState(store, { ...state, run: thisRun(), days });
  return state;
}

/** The list with some threads as they are now. */
function merged(store: Store, known: RecentState, changed: readonly ThreadLocation[]): Pick<RecentState, "newest" | "floor" | "late"> {
  if (changed.length === 0) return known;
  const ids = new Set(changed.map(threadId));
  const others = known.newest.filter((id) => !ids.has(threadId(threadOf(id))));
  const now = changed.flatMap((thread) => look(store, thread)?.newest ?? []);
  return { ...cut([...others, ...now].sort(compareNewest), known.floor), late: lateOf(now, known.late) };
}

/**
 * Threads of unread messages in inboxes that changed since: of those that were sent since, and of some others, others each time, where
 * the thread changed. An inbox may hold mail for long, and changes with each message.
 */
function freshInInboxes(store: Store, { seenMs }: RecentState, most: number): ThreadLocation[] {
  const [since, now] = [encodeTime(seenMs - GRAIN_MS), encodeTime(Date.now())];
  const changed = names(store, "inbox")
    .map(inboxNew)
    .filter((folder) => changedMs(store, folder) >= seenMs - GRAIN_MS);
  const all = changed.flatMap((folder) => names(store, folder)).filter((name) => timeTextOf(name) !== null);
  const isFresh = (time: string): boolean => time >= since && time <= now;
  const fresh = new Set(all.filter((name) => isFresh(timeTextOf(name) as string)));
  const first = Math.floor(Math.random() * all.length);
  for (let step = 0; step < Math.min(all.length, most); step += 1) {
    const name = all[(first + step) % all.length] as string;
    const thread = threadIn(name);
    if (thread !== null && changedMs(store, threadFolder(thread)) >= seenMs - GRAIN_MS) fresh.add(name);
  }
  return [...fresh].flatMap((name) => threadIn(name) ?? []);
}

/** The thread of a message by its name in an inbox; null of any other name. */
const threadIn = (name: string): ThreadLocation | null => (parseMessageId(name.slice(0, -3)) === null ? null : threadOf(name.slice(0, -3)));

/** The days of late whose folders changed: a thread came, or went. And those that came since. */
function changedDays(store: Store, state: RecentState): string[] {
  const { days, seenMs } = state;
  const sinceMs = seenMs - GRAIN_MS;
  const known = dayNames(state);
  const fresh = changedMs(store, "threads") < sinceMs ? [] : threadDays(store).filter((day) => days[day] === undefined);
  return [...fresh, ...known.slice(0, RECENT_DAYS).filter((day) => changedMs(store, `threads/${day}`) >= sinceMs)];
}
