/** A part's inbox as it lies on disk. SPEC.md, "Inbox". */
import { orElse, quietly } from "../../core/format/file-error.ts";
import { type MessageLocation, parseMessageId, threadId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { keptNames, names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { flushFolders, type Store } from "../../store/root.ts";
import { growFolder, makeFolder } from "../../store/write/make-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { afterCommit, linkFile, place, publish } from "../../store/write/publish.ts";
import { inboxNew, inboxRead, keptOpen, readPath, unreadPath } from "../nouns/part.ts";

/**
 * Makes a part's inbox. Done when a part is added, never by a sender's first message: watchers lose files in a folder made together with them.
 * @param inTree whether the home is files of the code, so that git merges it
 */
export function makeInbox(store: Store, part: string, inTree: boolean): void {
  makeFolder(store, inboxNew(part));
  makeFolder(store, inboxRead(part));
  if (inTree && !exists(store, keptOpen(part))) publish(store, keptOpen(part), "");
}

/**
 * For very many names, such as all former ones: whether something may lie under `inbox/` for one of them. False is sure. The
 * names there are listed once, when first asked.
 */
export function inboxesOf(store: Store): (part: string) => boolean {
  let folders: ReadonlySet<string> | null = null;
  // Folded, because a disk may fold names.
  return (part) => {
    folders ??= new Set(names(store, "inbox").map((name) => name.toLowerCase()));
    return folders.has((part.split("/", 1)[0] as string).toLowerCase());
  };
}

/** The message id in a file name of an inbox; null for other files, dotted ones and signatures among them. */
export function idInInbox(name: string): string | null {
  const id = name.endsWith(".md") ? name.slice(0, -3) : "";
  return parseMessageId(id) === null ? null : id;
}

/** Whether a part has acked a message. */
export function isAcked(store: Store, part: string, id: string): boolean {
  const location = parseMessageId(id);
  return location !== null && (exists(store, readPath(part, id, location.day)) || exists(store, ackedByHand(part, id)));
}

/** Where `mv new/M read/` leaves a message: not in its day. */
const ackedByHand = (part: string, id: string): string => `${inboxRead(part)}/${id}.md`;

/** Puts messages that a hand moved to `read/` into their days. What a disk refuses stays, and counts as acked all the same. */
export function sortRead(store: Store, part: string): void {
  // Of a folder that cannot be listed its own readers say so.
  const found = orElse([], () => keptNames({ ...store, skipped: new Map() }, inboxRead(part)));
  const ids = found.flatMap((name) => idInInbox(name) ?? []);
  if (ids.length === 0 || store.readOnly) return;
  quietly(() => {
    for (const id of ids) moveAcked(store, ackedByHand(part, id), part, id);
  });
}

function moveAcked(store: Store, source: string, part: string, id: string): void {
  const { day } = parseMessageId(id) as MessageLocation;
  const folder = `${inboxRead(part)}/${day}`;
  const grown = growFolder(store, folder);
  linkFile(store, source, readPath(part, id, day));
  flushFolders(store, [folder, ...grown]);
  removeFile(store, source);
}

/**
 * The ids in `new/`, in no order. A message that lies in `read/` too is acked: its unread name is what a killed ack left,
 * and is removed here.
 */
export function unreadIds(store: Store, part: string): string[] {
  sortRead(store, part);
  // In a home that cannot be written both names stay, which still means acked.
  return unread(store, part, (id) => quietly(() => removeFile(store, unreadPath(part, id))));
}

/** As `unreadIds`, for who only looks: a name that a killed ack left stays. */
export const unreadIdsSeen = (store: Store, part: string): string[] => unread(store, part, () => {});

function unread(store: Store, part: string, onAcked: (id: string) => void): string[] {
  const found = names(store, inboxNew(part)).flatMap((name) => idInInbox(name) ?? []);
  const acked = found.length < MANY ? (id: string) => isAcked(store, part, id) : ackedByDay(store, part);
  return found.filter((id) => {
    if (!acked(id)) return true;
    onAcked(id);
    return false;
  });
}

/** From so many names on the days of `read/` are listed once, instead of asking for each name. */
const MANY = 200;

/** Tells whether a part has acked a message, by one listing a day. */
function ackedByDay(store: Store, part: string): (id: string) => boolean {
  const days = new Map<string, Set<string>>();
  return (id) => {
    // The day in an id: `m-yyyymmdd-…`.
    const day = `${id.slice(2, 6)}-${id.slice(6, 8)}-${id.slice(8, 10)}`;
    const there = days.get(day) ?? new Set(names(store, `${inboxRead(part)}/${day}`));
    days.set(day, there);
    return there.has(`${id}.md`);
  };
}

/** Days that have acked messages, newest first. */
export function readDays(store: Store, part: string): string[] {
  return names(store, inboxRead(part))
    .filter((name) => /^\d{4}-\d\d-\d\d$/.test(name))
    .sort()
    .reverse();
}

/** The ids a part acked, of threads begun on a day. */
export const readIds = (store: Store, part: string, day: string): string[] =>
  names(store, `${inboxRead(part)}/${day}`).flatMap((name) => idInInbox(name) ?? []);

/** What an ack of one message came to: whether it was unread, had been acked, or was never in this inbox. */
export type AckOutcome = "acked" | "already" | "absent";

/** Marks a message as dealt with. */
export const ackOne = (store: Store, part: string, id: string): AckOutcome => ackAll(store, part, [id]).get(id) as AckOutcome;

/**
 * Marks messages as dealt with: link into `read/`, flush, then unlink from `new/`. Never `rename`, which leaves both names when
 * they are one file already. The names under `read/` are flushed before any other goes, so that no loss of power takes both; of one
 * that brings the unread name back the other says that it is acked, and so that flush is the only one.
 */
export function ackAll(store: Store, part: string, ids: readonly string[]): Map<string, AckOutcome> {
  const outcomes = new Map<string, AckOutcome>();
  const folders: string[] = [];
  for (const id of ids) {
    const { day } = parseMessageId(id) as MessageLocation;
    const [folder, read] = [`${inboxRead(part)}/${day}`, readPath(part, id, day)];
    const grown = growFolder(store, folder);
    const linked = linkFile(store, unreadPath(part, id), read);
    // Of two acks at one instant the one that made the name under `read/` moved it; a killed one that made it had acked.
    outcomes.set(id, linked === "created" ? "acked" : linked === "exists" || exists(store, read) ? "already" : "absent");
    if (linked !== "missing") folders.push(folder, ...grown);
  }
  // Linked is acked: an unread name that stays is removed by the next read of the inbox.
  afterCommit(() => flushFolders(store, folders));
  afterCommit(() => {
    for (const [id, outcome] of outcomes) if (outcome !== "absent") removeFile(store, unreadPath(part, id));
  });
  return outcomes;
}

/**
 * Puts a message into an inbox: a second name of the thread's file. Never one that was acked.
 * @param isNew whether it was committed just now, so that nobody can have acked it before
 */
export function putInInbox(store: Store, part: string, id: string, source: string, isNew = false): void {
  if (!isNew && isAcked(store, part, id)) return;
  const target = unreadPath(part, id);
  // Without hard links a name is reserved first; a writer that died then left it empty.
  if (linkFile(store, source, target) === "exists" && facts(store, target)?.size === 0) {
    const content = readText(store, source, LIMITS.messageBytes);
    if (content !== null) place(store, target, content);
  }
  // An ack may have come between the check and the link; then both names are there, which means acked.
  if (isAcked(store, part, id)) removeFile(store, target);
}

/** The unread ids of one thread. */
export const ofThread = (ids: readonly string[], thread: string): string[] =>
  ids.filter((id) => threadId(parseMessageId(id) as MessageLocation) === thread);
