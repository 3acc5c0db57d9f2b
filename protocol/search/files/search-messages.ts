/**
 * Searching without an index that could go stale: a day's pack names the messages that fit where it still speaks for
 * their threads, and all others are read. spec/messages.md, "Search".
 */
import { type MessageLocation, messageId, parseMessageId, type ThreadLocation } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { pacer } from "../../core/pacer.ts";
import type { World } from "../../core/world.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import type { RecentState } from "../../mail/files/recent-state.ts";
import { messageKeys, threadDays, threadsOfDay } from "../../mail/files/threads.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { archivedThreads, hasArchive } from "../../removal/files/archive-names.ts";
import { readArchivedThread } from "../../removal/files/archived-thread.ts";
import type { Store } from "../../store/root.ts";
import { FullPage, type Page } from "./full-page.ts";
import { type MessageText, textOf } from "./message-text.ts";
import { createPacked, type Packed } from "./packed-days.ts";
import { isWorthCaching, NewCache, searchCache } from "./search-cache.ts";
import { isOfWords, longestWord, type Matcher, type Place, type Wording } from "./search-text.ts";

/** Which messages are searched for. */
export interface Query extends Wording {
  match: Matcher;
  /** One thread only. */
  within: ThreadLocation | null;
  wanted: (location: MessageLocation) => boolean;
  /** Whether a name is that of the part whose messages are wanted, now or formerly; null for those of all. */
  isPart: ((name: string) => boolean) | null;
}

/** A message that fits; it is read when it is asked for. Null when it cannot be read. */
type Hit = () => { message: Message; at: Place } | null;

/** Messages that fit, by id. */
export type Hits = Map<string, Hit>;

/** What was found, and whether it is all that fits, or the newest that fill a page: then all other hits are older. */
export interface Found {
  hits: Hits;
  ended: "whole" | "full";
}

/**
 * Every message that fits, by id. Where it is known when the threads of each day were written to last, the search stops when a page is
 * full: the days whose threads were written to last come first.
 * @param recent what is known of the threads written to last, where it was asked already
 * @throws Refusal `interrupted`
 */
export async function searchMessages(world: World, query: Query, page: Page, faults: Faults, recent?: RecentState): Promise<Found> {
  const { store } = world.home();
  const hits: Hits = new Map();
  const pace = pacer(world, "messages");
  const take = async (candidates: Iterable<MessageLocation | null>): Promise<MessageLocation[]> => {
    const found: MessageLocation[] = [];
    for (const location of candidates) {
      const turn = pace();
      if (turn !== null) await turn;
      if (location !== null && addHit(store, query, location, hits, faults)) found.push(location);
    }
    return found;
  };
  await searchArchives(world, query, hits, faults);
  if (query.within !== null) {
    await take(readThrough(store, query, [query.within], faults));
    return { hits, ended: "whole" };
  }
  const packed = query.regex ? null : createPacked(store, recent);
  const full = new FullPage(page);
  let ended: Found["ended"] | null = null;
  const days = threadDays(store);
  for (const [day, newestMs] of packed?.newestFirst(days) ?? days.map((each) => [each, Number.POSITIVE_INFINITY] as const)) {
    ended = full.endsBefore(newestMs);
    if (ended !== null) break;
    full.note(await take(ofDay(store, query, day, packed, faults)));
  }
  packed?.keep();
  return { hits, ended: ended ?? "whole" };
}

/** Takes in a message whose text fits, where it is one of those that are wanted. @returns whether it is */
export function addHit(store: Store, { match, wanted, isPart }: Query, location: MessageLocation, hits: Hits, faults: Faults): boolean {
  if (!wanted(location)) return false;
  const read = (): Message | null => readMessage(store, location, messagePath(location), faults);
  if (isPart !== null) {
    const message = read();
    if (message === null || ![message.from, ...message.to].some(isPart)) return false;
  }
  hits.set(messageId(location), () => {
    const message = read();
    return message === null ? null : { message, at: match(message.body) };
  });
  return true;
}

/** Takes in what fits of archived threads. */
export async function searchArchives(world: World, query: Query, hits: Hits, faults: Faults): Promise<void> {
  const { store } = world.home();
  const { match, isPart } = query;
  const pace = pacer(world, "messages");
  for (const thread of query.within === null ? archivedThreads(store) : [query.within]) {
    const turn = pace();
    if (turn !== null) await turn;
    if (messageKeys(store, thread).length > 0 || !hasArchive(store, thread)) continue;
    for (const message of readArchivedThread(world, thread, faults)?.messages ?? []) {
      const { id, from, to, subject, body } = message;
      if (hits.has(id) || !query.wanted(parseMessageId(id) as MessageLocation)) continue;
      if (isPart !== null && ![from, ...to].some(isPart)) continue;
      const at = match(body);
      if (at !== null || match(subject) !== null) hits.set(id, () => ({ message, at }));
    }
  }
}

/** The messages of a day whose text fits; null for each that was read and does not, so that others get their turn between. */
function* ofDay(store: Store, query: Query, day: string, packed: Packed | null, faults: Faults): Generator<MessageLocation | null> {
  // Others get their turn between two days, whatever was found.
  yield null;
  if (packed?.rulesOut(day, query.regex ? query.query : longestWord(query.query))) return;
  const sinceMs = Date.now();
  const threads = threadsOfDay(store, day);
  if (query.regex) return yield* readThrough(store, query, threads, faults);
  const { hits, known, unknown, unread } = searchCache(store, day, threads, longestWord(query.query));
  if (unknown.length === 0 && threads.length > 0) packed?.note(day, sinceMs);
  for (const hit of hits) yield !isOfWords(query.query) || fitsText(store, hit, query, faults) ? hit : null;
  for (const location of unread) yield fitsText(store, location, query, faults) ? location : null;
  const isWorth = store.recorded === undefined && isWorthCaching(unknown.length, threads.length);
  const pack = isWorth ? new NewCache(store) : null;
  yield* readThrough(store, query, unknown, faults, pack);
  if (pack === null) return;
  for (const _read of readThrough(store, query, known, faults, pack)) yield null;
  pack.write(day);
}

/** Reads every message of some threads; what is read goes into a pack, if there is one. */
function* readThrough(
  store: Store,
  query: Query,
  threads: readonly ThreadLocation[],
  faults: Faults,
  pack: NewCache | null = null,
): Generator<MessageLocation | null> {
  for (const thread of threads) {
    pack?.begin(thread);
    for (const location of messageKeys(store, thread)) {
      const text = textOf(store, location, pack === null && !query.regex, query.wanted(location) ? faults : []);
      pack?.add(location, text === null ? null : `${text.subject}\n${text.body}`);
      yield text !== null && fits(text, query.match) ? location : null;
    }
  }
}

/** Whether a message is wanted, and its text fits. */
export function fitsText(store: Store, location: MessageLocation, { match, regex, wanted }: Query, faults: Faults): boolean {
  if (!wanted(location)) return false;
  // An expression reads every message: nothing of them would still be kept when they are asked for again.
  const text = textOf(store, location, !regex, faults);
  return text !== null && fits(text, match);
}

const fits = ({ subject, body }: MessageText, match: Matcher): boolean => match(body) !== null || match(subject) !== null;
