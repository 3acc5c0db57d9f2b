/** What became of a message for each recipient, and what a sender is told. spec/messages.md, "Delivery states". */
import { renamedParts } from "../../objects/config/config.ts";
import { limitedPath } from "../../objects/event/event.ts";
import type { Message } from "../../objects/message/message.ts";
import type { Thread } from "../../objects/message/thread.ts";
import { HUMAN, unreadPath } from "../../objects/part/part.ts";
import { publish, removeFile } from "../../store/files.ts";
import { exists, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { isAcked } from "../part/inbox.ts";
import { membership } from "../part/members.ts";
import { namesOf } from "../part/same-part.ts";

/** How far a message came for one recipient, in this order; `closed-unread` was cleared by a close. */
export type DeliveryState = "stored" | "noticed" | "fetched" | "acked" | "replied" | "closed-unread";

/** A message for one recipient. `missing` is set when it is in neither half of the inbox: `doctor --fix` restores it. */
export interface Receipt {
  part: string;
  state: DeliveryState;
  missing?: true;
}

/** `told`: it was unread when a doorbell rang. `shown`: a person at a terminal read it. Kept for this machine alone; no states of a message. */
type Mark = "told" | "noticed" | "fetched" | "shown";
/** Where the marks of a part's messages lie. */
export const marksFolder = (part: string): string => `run/marks/${part}`;
const markPath = (state: Mark, part: string, id: string): string => `${marksFolder(part)}/${id}.${state}`;
/** Marks this process knows to be on disk, so that looking again at one's mail writes nothing. */
const marked = new Set<string>();
const MARKED_ENTRIES = 10_000;

/** Whether a part saw a message, as far as this machine knows. */
export function isFetched(world: World, part: string, id: string): boolean {
  return exists(world.home().store, markPath("fetched", part, id));
}

/** Whether whoever calls saw a message: a person what `show` printed for them, a part what it fetched. */
export function isSeen(world: World, part: string, id: string): boolean {
  return world.person === true ? exists(world.home().store, markPath("shown", part, id)) : isFetched(world, part, id);
}

/** Notes, best effort and only on this machine, that a person at a terminal was shown messages of a part. */
export function markShown(world: World, part: string, ids: readonly string[]): void {
  if (world.person !== true || world.me.how === "viewer" || world.past !== undefined) return;
  mark(world, part, ids, "shown");
}

/** Whether a doorbell rang while a message was unread, or the part saw it, as far as this machine knows. */
export function wasRung(world: World, part: string, id: string): boolean {
  return (["fetched", "noticed", "told"] as const).some((state) => exists(world.home().store, markPath(state, part, id)));
}

/** Notes, best effort, that messages were unread when a doorbell rang, or, with `noticed`, that the part is known to have heard it. */
export function markRung(world: World, part: string, ids: readonly string[], state: "told" | "noticed"): void {
  mark(world, part, ids, state);
}

function mark(world: World, part: string, ids: readonly string[], state: Mark): void {
  const { store } = world.home();
  for (const id of ids) {
    try {
      publish({ ...store, durable: false }, markPath(state, part, id), "");
    } catch {
      return;
    }
  }
}

/** Whether the part itself reads. A host, a person on a terminal, and a look at an earlier record do not read for it. */
export function isItself(world: World, part: string): boolean {
  return world.me.how !== "viewer" && world.past === undefined && (world.person !== true || part === HUMAN);
}

/** Notes, best effort and only on this machine, that a part saw messages. @returns whether it saw some for the first time */
export function markFetched(world: World, part: string, ids: readonly string[]): boolean {
  // Who looks back, or on, has not fetched anything.
  if (!isItself(world, part)) return false;
  const { store } = world.home();
  let first = false;
  for (const id of ids) {
    const path = markPath("fetched", part, id);
    const place = `${store.root} ${path}`;
    if (marked.has(place)) continue;
    try {
      if (!exists(store, path)) first = publish({ ...store, durable: false }, path, "") !== "exists" || first;
    } catch {
      return first;
    }
    if (marked.size >= MARKED_ENTRIES) marked.clear();
    marked.add(place);
  }
  return first;
}

/** Marks of acked messages say nothing any more. */
export function dropMarks(world: World, part: string, id: string): void {
  const { store } = world.home();
  try {
    for (const state of ["told", "noticed", "fetched", "shown"] as const) {
      const path = markPath(state, part, id);
      removeFile(store, path);
      marked.delete(`${store.root} ${path}`);
    }
  } catch {
    // Disposable.
  }
}

/**
 * The receipts of a message.
 * @param later the messages of its thread that came after it
 */
export function receiptsOf(world: World, thread: Thread, message: Message, later: readonly Pick<Message, "from">[]): Receipt[] {
  const { store } = world.home();
  const renamed = currentNames(world);
  return message.to.map((recipient) => {
    const part = renamed.get(recipient) ?? recipient;
    const names = [part, ...[...renamed].flatMap(([name, now]) => (now === part ? [name] : []))];
    if (names.some((name) => thread.closedUnread?.includes(`${name} ${message.id}`))) return { part: recipient, state: "closed-unread" };
    if (later.some(({ from }) => names.includes(from))) return { part: recipient, state: "replied" };
    if (isAcked(store, part, message.id)) return { part: recipient, state: "acked" };
    const state = exists(store, markPath("fetched", part, message.id))
      ? "fetched"
      : exists(store, markPath("noticed", part, message.id))
        ? "noticed"
        : "stored";
    return exists(store, unreadPath(part, message.id)) ? { part: recipient, state } : { part: recipient, state, missing: true };
  });
}

/** Former name → name now, of every part that was renamed. */
export function currentNames(world: World): Map<string, string> {
  return renamedParts(world.home().config().parts, membership(world));
}

/** Until when a part asked, under whatever name, not to be woken, in milliseconds since the epoch; null when it may be. */
export function limitedUntil(world: World, part: string): number | null {
  const untils = namesOf(world, part).map((name) => {
    try {
      return Date.parse(readText(world.home().store, limitedPath(name), 64)?.trim() ?? "");
    } catch {
      return Number.NaN;
    }
  });
  const until = Math.max(...untils.filter((each) => each > world.now()));
  return Number.isFinite(until) ? until : null;
}
