/** Threads and messages as they lie on disk, read with care, and which one a piece of an id means. SPEC.md, "Thread", "Message" and "Ids". */

import {
  compareInThread,
  compareNewest,
  type MessageLocation,
  messageId,
  newestKey,
  parseMessageId,
  parseShortName,
  parseThreadId,
  type ThreadLocation,
  threadId,
} from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { type Faults, faultOf } from "../../core/home/broken-files.ts";
import type { Home } from "../../core/home/home.ts";
import { nearestIds, nearestOf } from "../../core/names.ts";
import { ambiguousId, Refusal, refuse } from "../../core/refusal.ts";
import { entries, names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { FolderNames } from "../../store/read/recorded.ts";
import type { Store } from "../../store/root.ts";
import { finishReplacing } from "../../store/write/replace.ts";
import { removals } from "../asks.ts";
import { keyInThread, messagePath, threadFolder } from "../nouns/message.ts";
import { parseThread, type Thread, threadFromFirst, threadPath, unreadableThread } from "../nouns/thread.ts";
import { type Parties, readMessage, readParties } from "./read-message.ts";

/** So many of a thread's messages say who takes part in it: its first ones, and its newest ones. */
const SPOKEN = { first: 100, newest: 900 };

/** A message as a thread's status and participants need it. */
interface SpokenAt extends Parties {
  /** Its place among the thread's messages. */
  index: number;
  n: number;
}

/**
 * Who wrote the messages of a thread, and to whom, in its order. Of a thread of more than 1,000 messages only the first 100 and
 * the newest 900 are read, so that a flood holds up nobody who lists it.
 */
export function spokenIn(store: Store, keys: readonly MessageLocation[], faults: Faults): SpokenAt[] {
  const from = keys.length - SPOKEN.newest;
  return keys.flatMap((location, index) => {
    if (index >= SPOKEN.first && index < from) return [];
    const read = readParties(store, location, faults);
    return read === null ? [] : [{ index, n: location.n, ...read }];
  });
}

/** The keys of a thread's messages, in the thread's order; from the names alone. */
export const messageKeys = (store: Store, thread: ThreadLocation): MessageLocation[] => keysIn(store, thread).sort(compareInThread);

const keysIn = (store: Store, thread: ThreadLocation): MessageLocation[] =>
  names(store, threadFolder(thread)).flatMap((name) => keyInThread(thread, name) ?? []);

/**
 * Reads `thread.md`; where it is missing or broken, what the first message says about the thread stands in.
 * @returns null when the thread has no message: it does not exist
 */
export function readThread(store: Store, thread: ThreadLocation, keys: readonly MessageLocation[], faults: Faults): Thread | null {
  if (keys.length === 0) return null;
  try {
    const source = readText(store, threadPath(thread), LIMITS.threadBytes);
    if (source !== null) return parseThread(source, thread);
  } catch (error) {
    faults.push(faultOf(error, threadPath(thread)));
  }
  for (const location of keys) {
    const first = readMessage(store, location, messagePath(location), faults);
    if (first !== null) return threadFromFirst(first);
  }
  return unreadableThread(threadId(thread));
}

/** What the folder of a day begins with. */
const DAYS = "threads/";

/** The days that have threads, newest first. */
export function threadDays(store: Store): string[] {
  return names(store, "threads")
    .filter((name) => /^\d{4}-\d\d-\d\d$/.test(name))
    .sort()
    .reverse();
}

/** The threads begun on a day, in no order. */
export function threadsOfDay(store: Store, day: string): ThreadLocation[] {
  return entries(store, `threads/${day}`).flatMap(({ name }) => {
    const location = parseThreadId(name);
    return location !== null && location.day === day ? [location] : [];
  });
}

/** The message written last by the clocks of the writers, which need not be the last one of the thread; null of none. */
export const newestOf = (keys: readonly MessageLocation[]): MessageLocation | null =>
  keys.reduce<MessageLocation | null>((newest, each) => (newest === null || newestKey(each) > newestKey(newest) ? each : newest), null);

/** The message written last in each thread of some days, the newest of a day first. Costs one listing a thread; no file is read. */
export function newestOfDays(store: Store, days: readonly string[]): (readonly string[])[] {
  if (store.recorded === undefined) return days.map((day) => newestOfDay(day, threadsOnDisk(store, day)));
  const find = (folder: string, threads: readonly FolderNames[]): string[] => newestOfDay(folder.slice(DAYS.length), threads);
  return store.recorded.found(
    days.map((day) => `${DAYS}${day}`),
    "newest",
    find,
  );
}

/** The folders of the threads of a day, each with the names in it. */
const threadsOnDisk = (store: Store, day: string): FolderNames[] =>
  threadsOfDay(store, day).map((thread) => [threadId(thread), names(store, threadFolder(thread))]);

const newestOfDay = (day: string, threads: readonly FolderNames[]): string[] =>
  threads
    .flatMap(([folder, files]) => {
      const thread = parseThreadId(folder);
      const newest = thread?.day === day ? newestOf(files.flatMap((name) => keyInThread(thread, name) ?? [])) : null;
      return newest === null ? [] : [messageId(newest)];
    })
    .sort(compareNewest);

/** The shortest piece of an id that people may give. */
const PIECE_LENGTH = 3;

/**
 * Finds a thread by its id, by a message's id, by a short name, or by a unique piece of its random characters. Before anybody reads its
 * `thread.md`, a change that a killed writer had committed is put in place.
 * @throws Refusal `unknown_thread`, `archived_thread`, `ambiguous_id`
 */
export const resolveThread = (home: Home, given: string): ThreadLocation => resolveThreadKeys(home, given).key;

/** The same, with the keys of its messages, in the thread's order. */
export function resolveThreadKeys(home: Home, given: string): FoundThread {
  const found = findThread(home, given);
  finishReplacing(home.store, threadPath(found.key));
  return found;
}

/** A thread that was found, and its messages. */
interface FoundThread {
  key: ThreadLocation;
  keys: MessageLocation[];
}

const withKeys = (store: Store, key: ThreadLocation): FoundThread => ({ key, keys: messageKeys(store, key) });

function findThread({ store }: Home, given: string): FoundThread {
  const whole = parseThreadId(given) ?? parseMessageId(given);
  if (whole !== null) {
    const key = { day: whole.day, random: whole.random };
    const found = withKeys(store, key);
    if (found.keys.length > 0) return found;
    throw removals().hasArchive(store, key) ? refuse("archived_thread", { threadId: threadId(key) }) : unknownThread(store, given, key);
  }
  const piece = given.toLowerCase();
  if (piece.length < PIECE_LENGTH || !/^[0-9a-z-]+$/.test(piece)) throw unknownThread(store, given);
  const short = parseShortName(piece);
  // One question a day, where a piece of any length asks for all threads.
  const named = short === null ? [] : threadDays(store).map((day) => ({ day, random: short.random }));
  const meant = named.map((key) => withKeys(store, key)).filter(({ keys }) => keys.length > 0);
  if (meant[0] === undefined || short === null) return withKeys(store, theOneMeant(store, given, piece));
  const archived = removals()
    .archivedThreads(store)
    .filter(({ random }) => random === short.random);
  const candidates = [...new Set([...meant.map(({ key }) => key), ...archived].map(threadId))];
  if (candidates.length > 1) throw ambiguousId(given, candidates);
  return meant[0];
}

/** So many threads, the newest, are compared with what is no thread; of so many the subject too. */
const THREADS_COMPARED = 1_000;
const SUBJECTS_READ = 50;

/** The refusal of a thread that is not there: it names the nearest by id or subject. @param meant of a whole id: only its day is looked at */
function unknownThread(store: Store, given: string, meant?: ThreadLocation): Refusal {
  const days = meant === undefined ? threadDays(store) : [meant.day];
  const all = days.flatMap((day) => threadsOfDay(store, day)).slice(0, THREADS_COMPARED);
  const subject = (thread: ThreadLocation): string => readThread(store, thread, keysIn(store, thread), [])?.subject ?? "";
  const ids = all.map(threadId);
  const near = nearestIds(meant?.random ?? given.toLowerCase().replace(/^t-(\d{8}-)?/, ""), ids, "t-20260131-".length);
  const read = meant === undefined ? all.slice(0, SUBJECTS_READ).map((thread) => ({ id: threadId(thread), subject: subject(thread) })) : [];
  const named = new Set([...near, ...nearestOf(given, read, (thread) => thread.subject).map(({ id }) => id)]);
  const words = [...named].slice(0, 2).map((id) => `${id} ${JSON.stringify(subject(parseThreadId(id) as ThreadLocation))}`);
  return refuse("unknown_thread", { given, nearest: words });
}

/**
 * The one thread that a piece fits by its own id or by those of its messages. Threads, messages and archives are searched together:
 * where one kind went first, whoever makes a name of that kind would take over what the piece meant before.
 */
function theOneMeant(store: Store, given: string, piece: string): ThreadLocation {
  const threads = threadDays(store).flatMap((day) => threadsOfDay(store, day));
  const live = threads.flatMap((thread) => {
    const keys = keysIn(store, thread);
    const isMeant =
      matches(threadId(thread), thread.random, piece) || keys.some((location) => matches(messageId(location), location.token, piece));
    return keys.length > 0 && isMeant ? [threadId(thread)] : [];
  });
  const archived = removals()
    .archivedThreads(store)
    .filter((location) => matches(threadId(location), location.random, piece))
    .map(threadId);
  const candidates = [...new Set([...live, ...archived])];
  const [only] = candidates;
  if (only === undefined) throw unknownThread(store, given);
  if (candidates.length > 1) throw ambiguousId(given, candidates);
  if (live.length === 0) throw refuse("archived_thread", { threadId: only });
  return parseThreadId(only) as ThreadLocation;
}

/**
 * As `resolveThread`, also of a thread that is archived.
 * @throws Refusal `unknown_thread`, `ambiguous_id`
 */
export function resolveWithArchives(home: Home, given: string): { key: ThreadLocation; isArchived: boolean } {
  try {
    return { key: resolveThread(home, given), isArchived: false };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "archived_thread") throw error;
    return { key: parseThreadId(String(error.data["threadId"])) as ThreadLocation, isArchived: true };
  }
}

/**
 * Finds a message by its id, which need not be there, or by a unique piece of one that is.
 * @throws Refusal `unknown_message`, `ambiguous_id`
 */
export function findMessage({ store }: Home, given: string): MessageLocation {
  const whole = parseMessageId(given);
  if (whole !== null) return whole;
  const all = threadDays(store).flatMap((day) => threadsOfDay(store, day).flatMap((thread) => keysIn(store, thread)));
  const found = resolveMessage(all.map(messageId), given);
  if (found === null) throw refuse("unknown_message", { given: [given] });
  return parseMessageId(found) as MessageLocation;
}

/**
 * Finds one of several message ids by its short name, a unique piece of its token, or its beginning.
 * @throws Refusal `ambiguous_id`
 */
export function resolveMessage(candidates: readonly string[], given: string): string | null {
  const piece = given.toLowerCase();
  if (piece.length < PIECE_LENGTH) return null;
  const short = parseShortName(piece);
  const isMeant =
    short === null || short.n === null
      ? (id: string) => matches(id, (parseMessageId(id) as MessageLocation).token, piece)
      : (id: string) => id.includes(`-${piece}-`);
  const found = candidates.filter(isMeant);
  if (found.length > 1) throw ambiguousId(given, found);
  return found[0] ?? null;
}

const matches = (id: string, random: string, piece: string): boolean =>
  piece.includes("-") ? id.startsWith(piece) : random.includes(piece);
