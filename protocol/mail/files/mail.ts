/**
 * Mail of a part: an inbox counts only as far as the thread has the same message, addressed to that part; and the marks of a message on
 * this machine: fetched, seen, rung. SPEC.md, "Inbox"; spec/messages.md, "Delivery states".
 */

import { append } from "../../core/format/append.ts";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { isSealed, type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { type Store, storeOfCall } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { type Message, messagePath } from "../nouns/message.ts";
import { mayHold, unreadPath } from "../nouns/part.ts";
import { isMember } from "./members.ts";
import { readMessage, readParties } from "./read-message.ts";

/** `told`: it was unread when a doorbell rang. `cut`: only its beginning was shown. `shown`: a person at a terminal read it. Kept for this machine alone; no states of a message. */
type Mark = "told" | "noticed" | "fetched" | "shown" | "cut";
/** Where the marks of a part's messages lie. */
export const marksFolder = (part: string): string => `run/marks/${part}`;
/** Where this machine notes that a part saw a message, or was rung for it. */
export const markPath = (state: Mark, part: string, id: string): string => `${marksFolder(part)}/${id}.${state}`;
/** Marks this process knows to be on disk, so that looking again at one's mail writes nothing. */
const markedPlaces = new Set<string>();
const MARKED_ENTRIES = 10_000;
/** Marks that this process makes at the end of this turn of the event loop. */
const dueMarks = new Set<string>();

const placeOf = ({ root }: Store, path: string): string => `${root} ${path}`;

/** Whether a part saw a message, as far as this machine knows. */
export function isFetched(world: World, part: string, id: string): boolean {
  const { store } = world.home();
  const path = markPath("fetched", part, id);
  return dueMarks.has(placeOf(store, path)) || exists(store, path);
}

/** Whether whoever calls saw a message: a person what `show` printed for them, a part what it fetched. */
export const isSeen = (world: World, part: string, id: string): boolean =>
  world.person === true ? exists(world.home().store, markPath("shown", part, id)) : isFetched(world, part, id);

/** Notes, best effort and only on this machine, that a person at a terminal was shown messages of a part. */
export function markShown(world: World, part: string, ids: readonly string[]): void {
  if (world.person !== true || world.me.how === "viewer" || world.past !== undefined) return;
  mark(world, part, ids, "shown");
}

/** Whether whoever calls was shown no more of a message than its beginning. */
export const isCut = (world: World, part: string, id: string): boolean => exists(world.home().store, markPath("cut", part, id));

/** Whether whoever calls was shown all of a message. */
export const isShownWhole = (world: World, part: string, id: string): boolean => isSeen(world, part, id) && !isCut(world, part, id);

/** Notes, best effort, that no more than the beginning of some messages is shown, where none was before. */
export function noteCut(world: World, part: string, ids: readonly string[]): void {
  if (world.me.how === "viewer" || world.past !== undefined) return;
  mark(
    world,
    part,
    ids.filter((id) => !isSeen(world, part, id)),
    "cut",
  );
}

/** Notes, best effort, that messages were shown whole. */
export function noteWhole(world: World, part: string, ids: readonly string[]): void {
  markShown(world, part, ids);
  if (world.me.how === "viewer" || world.past !== undefined) return;
  const { store } = world.home();
  quietly(() => {
    for (const id of ids) if (isCut(world, part, id)) removeFile(store, markPath("cut", part, id));
  });
}

/** Whether a doorbell rang while a message was unread, or the part saw it, as far as this machine knows. */
export const wasRung = (world: World, part: string, id: string): boolean =>
  (["fetched", "noticed", "told"] as const).some((state) => exists(world.home().store, markPath(state, part, id)));

/** Notes, best effort, that messages were unread when a doorbell rang, or, with `noticed`, that the part is known to have heard it. */
export function markRung(world: World, part: string, ids: readonly string[], state: "told" | "noticed"): void {
  mark(world, part, ids, state);
}

function mark(world: World, part: string, ids: readonly string[], state: Mark): void {
  const { store } = world.home();
  for (const id of ids) {
    try {
      publish(store, markPath(state, part, id), "");
    } catch {
      return;
    }
  }
}

/** Whether the part itself reads. A host, a person on a terminal, and whoever reads an earlier record do not read for it. */
export const isItself = (world: World, part: string): boolean =>
  world.me.how !== "viewer" && world.past === undefined && (world.person !== true || part === HUMAN);

/** Of messages that a part saw, those that this process has not marked as seen. */
export const notMarkedFetched = (store: Store, part: string, ids: readonly string[]): string[] =>
  ids.filter((id) => !markedPlaces.has(placeOf(store, markPath("fetched", part, id))));

/** Notes, best effort and only on this machine, that a part saw messages. @returns whether it saw some for the first time */
export function markFetched(store: Store, part: string, ids: readonly string[]): boolean {
  let first = false;
  for (const id of ids) {
    const path = markPath("fetched", part, id);
    try {
      first = publish(store, path, "") !== "exists" || first;
    } catch {
      return first;
    }
    noteMarked(placeOf(store, path));
  }
  return first;
}

function noteMarked(place: string): void {
  if (markedPlaces.size >= MARKED_ENTRIES) markedPlaces.clear();
  markedPlaces.add(place);
}

/**
 * As `markFetched`, once the call is answered, at the end of this turn of the event loop. The messages count as seen at once; one that was
 * acked by then, here or by another process, gets no mark: nobody would remove it.
 * @param then runs where some were seen for the first time
 */
export function markFetchedLater(store: Store, part: string, ids: readonly string[], then: () => void): void {
  const places = ids.map((id) => placeOf(store, markPath("fetched", part, id)));
  for (const place of places) dueMarks.add(place);
  setImmediate(() => {
    const own = storeOfCall(store);
    const due = ids.filter((_, at) => dueMarks.delete(places[at] as string));
    const unread = orElse([], () => due.filter((id) => exists(own, unreadPath(part, id))));
    if (markFetched(own, part, unread)) then();
  });
}

/** Removes the marks of acked messages, which say nothing any more. A server answers first: no answer promises it. */
export function dropMarks(world: World, part: string, ids: readonly string[]): void {
  const { store } = world.home();
  if (world.connection.lasting) setImmediate(() => removeMarks(storeOfCall(store), part, ids));
  else removeMarks(store, part, ids);
}

function removeMarks(store: Store, part: string, ids: readonly string[]): void {
  // Disposable, all of them.
  quietly(() => {
    for (const id of ids) {
      for (const state of ["told", "noticed", "fetched", "shown", "cut"] as const) {
        const path = markPath(state, part, id);
        const place = placeOf(store, path);
        markedPlaces.delete(place);
        dueMarks.delete(place);
        // Most have one mark of the four, and an error costs more than a look.
        if (exists(store, path)) removeFile(store, path);
      }
    }
  });
}

/** Whether a message to some names may lie in a part's inbox. */
export function isAddressed(world: World, part: string, to: readonly string[]): boolean {
  const { parts } = world.home().config();
  return mayHold(part, to, parts, (name) => isMember(world, name));
}

/** Whether a part may say of a message that it has dealt with it. One that cannot be read stands in nobody's way. */
export function isMailOf(world: World, part: string, id: string): boolean {
  const parties = readParties(world.home().store, parseMessageId(id) as MessageLocation, []);
  return parties === null || isAddressed(world, part, parties.to);
}

/** Whether a message wakes nobody: its sender expects no reply. */
export const isSilent = (world: World, id: string): boolean =>
  readParties(world.home().store, parseMessageId(id) as MessageLocation, [])?.expectsReply === false;

/**
 * Reads a message of a part's inbox: the thread's file counts, whatever the name in the inbox holds.
 * @param at the name in the inbox. It stands in for a thread's file that is gone, where its text matches its name
 * @returns null when it is no message, or none to this part: then `faults` says why
 */
export function readMail(world: World, part: string, id: string, at: string, faults: Faults): Message | null {
  const { store } = world.home();
  const location = parseMessageId(id) as MessageLocation;
  const found: Faults = [];
  let message = readMessage(store, location, messagePath(location), found);
  if (message === null && found.length === 0) {
    if (isSealed(location.token)) message = readMessage(store, location, at, found);
    else found.push({ path: at, problem: "its thread does not have this message; `relay doctor --fix` restores it" });
  }
  append(faults, found);
  if (message === null || isAddressed(world, part, message.to)) return message;
  faults.push({ path: at, problem: `${notAddressed(part)}; \`relay doctor --fix\` removes it from this inbox` });
  return null;
}

/** What is wrong with mail that somebody put into another's inbox. */
export const notAddressed = (part: string): string => `the message is not addressed to ${JSON.stringify(part)}`;
