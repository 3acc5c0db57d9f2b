/** Threads and messages as they lie on disk, read with care. SPEC.md, "Thread" and "Message". */

import {
  compareInThread,
  compareNewest,
  type MessageKey,
  messageId,
  parseThreadId,
  type ThreadKey,
  threadId,
} from "../../objects/format/id.ts";
import { LIMITS } from "../../objects/format/schema.ts";
import { keyInThread, messagePath, threadFolder } from "../../objects/message/message.ts";
import { parseThread, type Thread, threadFromFirst, threadPath } from "../../objects/message/thread.ts";
import { entries, names, readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import { type Faults, faultOf } from "../broken-files.ts";
import { type Parties, readMessage, readParties } from "./read-message.ts";

/** So many of a thread's messages say who takes part in it: its first ones, and its newest ones. */
const SPOKEN = { first: 100, newest: 900 };

/** A message as a thread's status and participants need it. */
export interface SpokenAt extends Parties {
  /** Its place among the thread's messages. */
  index: number;
  n: number;
}

/**
 * Who wrote the messages of a thread, and to whom, in its order. Of a thread of more than 1,000 messages only the first 100 and
 * the newest 900 are read, so that a flood holds up nobody who lists it.
 */
export function spokenIn(store: Store, keys: readonly MessageKey[], faults: Faults): SpokenAt[] {
  const from = keys.length - SPOKEN.newest;
  return keys.flatMap((key, index) => {
    if (index >= SPOKEN.first && index < from) return [];
    const read = readParties(store, key, faults);
    return read === null ? [] : [{ index, n: key.n, ...read }];
  });
}

/** The keys of a thread's messages, in the thread's order; from the names alone. */
export function messageKeys(store: Store, thread: ThreadKey): MessageKey[] {
  return keysIn(store, thread).sort(compareInThread);
}

export function keysIn(store: Store, thread: ThreadKey): MessageKey[] {
  return names(store, threadFolder(thread)).flatMap((name) => keyInThread(thread, name) ?? []);
}

/**
 * Reads `thread.md`; where it is missing or broken, what the first message says about the thread stands in.
 * @returns null when the thread has no message: it does not exist
 */
export function readThread(store: Store, thread: ThreadKey, keys: readonly MessageKey[], faults: Faults): Thread | null {
  if (keys.length === 0) return null;
  try {
    const source = readText(store, threadPath(thread), LIMITS.threadBytes);
    if (source !== null) return parseThread(source, thread);
  } catch (error) {
    faults.push(faultOf(error, threadPath(thread)));
  }
  for (const key of keys) {
    const first = readMessage(store, key, messagePath(key), faults);
    if (first !== null) return threadFromFirst(first);
  }
  return { id: threadId(thread), subject: "(unreadable)", createdBy: "human", createdAt: new Date(0).toISOString(), other: {}, body: "" };
}

/** The days that have threads, newest first. */
export function threadDays(store: Store): string[] {
  return names(store, "threads")
    .filter((name) => /^\d{4}-\d\d-\d\d$/.test(name))
    .sort()
    .reverse();
}

/** The threads begun on a day, in no order. */
export function threadsOfDay(store: Store, day: string): ThreadKey[] {
  return entries(store, `threads/${day}`).flatMap(({ name }) => {
    const key = parseThreadId(name);
    return key !== null && key.day === day ? [key] : [];
  });
}

/** The message written last by the clocks of the writers, which need not be the last one of the thread; null of none. */
export function newestOf(keys: readonly MessageKey[]): MessageKey | null {
  return keys.reduce<MessageKey | null>((newest, key) => (newest === null || key.token > newest.token ? key : newest), null);
}

/**
 * Every thread that has messages, as the id of the message written last in it, newest first. Costs one listing a thread;
 * no file is read, and nothing but the ids is held.
 */
export function listThreads(store: Store): string[] {
  const ids: string[] = [];
  for (const day of threadDays(store)) {
    for (const thread of threadsOfDay(store, day)) {
      const newest = newestOf(keysIn(store, thread));
      if (newest !== null) ids.push(messageId(newest));
    }
  }
  return ids.sort(compareNewest);
}
