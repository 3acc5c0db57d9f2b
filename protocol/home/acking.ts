/** Marking mail as dealt with, and telling whoever has to know. SPEC.md, "Inbox". */
import { type MessageKey, parseMessageId } from "../objects/id.ts";
import { inboxNew, readPath } from "../objects/part.ts";
import { flushFolder, settle } from "../store/files.ts";
import type { World } from "../world.ts";
import { tell } from "./feed.ts";
import { ackOne, ofThread, unreadIds } from "./inbox.ts";
import { isMailOf } from "./mail.ts";
import { noteHere } from "./origin.ts";
import { dropMarks, isFetched, isItself } from "./receipts.ts";
import { heardBy, settleWakes } from "./wakes.ts";

/** What an ack did; `unread` is how many are left. */
export interface Acked {
  acked: string[];
  alreadyRead: string[];
  unread: number;
}

/** Acks messages that a part may ack. @param unread what was unread before */
export function ackMail(world: World, part: string, ids: readonly string[], unread: readonly string[]): Acked {
  const { store } = world.home();
  const acked: string[] = [];
  const alreadyRead: string[] = [];
  for (const id of ids) {
    (ackOne(store, part, id) === "acked" ? acked : alreadyRead).push(id);
    dropMarks(world, part, id);
  }
  if (acked.length > 0) {
    noteHere(
      world,
      acked.map((id) => readPath(part, id, (parseMessageId(id) as MessageKey).day)),
    );
    settle(() => flushFolder(store, inboxNew(part)));
    tell(world, { type: "message:acked", part, messageIds: acked });
  }
  const gone = new Set(ids);
  const left = unread.filter((id) => !gone.has(id)).length;
  if (left === 0) settleWakes(world, [part]);
  else if (acked.length > 0) heardBy(world, part);
  return { acked, alreadyRead, unread: left };
}

/**
 * Acks what a part was given to read by a view that has a place of its own: it can ask from there again. What cannot be
 * written now stays unread.
 */
export function ackGiven(world: World, part: string, ids: readonly string[]): void {
  if (!isItself(world, part)) return;
  try {
    const unread = unreadIds(world.home().store, part);
    const given = new Set(ids);
    const mine = unread.filter((id) => given.has(id) && isMailOf(world, part, id));
    if (mine.length > 0) ackMail(world, part, mine, unread);
  } catch {
    // A disk that is full or read-only keeps nobody from reading.
  }
}

/**
 * Acks what a part has seen of a thread, so that mail which came meanwhile stays unread. A person on a terminal leaves no marks of
 * what was seen, and means all of it.
 */
export function ackSeen(world: World, part: string, thread: string): Pick<Acked, "acked" | "unread"> {
  const unread = unreadIds(world.home().store, part);
  const seen = ofThread(unread, thread).filter((id) => isMailOf(world, part, id) && (world.person === true || isFetched(world, part, id)));
  const { acked, unread: left } = ackMail(world, part, seen, unread);
  return { acked, unread: left };
}
