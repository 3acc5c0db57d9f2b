/** Acks mail, and tells every process that must know. SPEC.md, "Inbox". */
import { acted } from "../../core/act.ts";
import { type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import { listedPackages } from "../../core/package.ts";
import type { World } from "../../core/world.ts";
import { diskRefusal } from "../../store/disk-refusal.ts";
import { type Message, messagePath } from "../nouns/message.ts";
import { readPath } from "../nouns/part.ts";
import { ackAll, ofThread, unreadIds } from "./inbox-files.ts";
import { dropMarks, isItself, isMailOf, isSeen } from "./mail.ts";
import { readMessage } from "./read-message.ts";

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
  for (const [id, outcome] of ackAll(store, part, ids)) {
    (outcome === "acked" ? acked : alreadyRead).push(id);
  }
  dropMarks(world, part, ids);
  if (acked.length > 0) {
    const paths = acked.map((id) => readPath(part, id, (parseMessageId(id) as MessageLocation).day));
    acted(world, { paths, event: { type: "message:acked", part, messageIds: acked } });
  }
  const gone = new Set(ids);
  const left = unread.filter((id) => !gone.has(id)).length;
  for (const each of listedPackages()) each.followAck?.(world, part, left, acked.length);
  return { acked, alreadyRead, unread: left };
}

/**
 * Acks what a part was given to read by a view that has a place of its own: it can ask from there again. What cannot be
 * written now stays unread.
 * @returns why some of it stays unread; null where none does
 */
export function ackGiven(world: World, part: string, ids: readonly string[]): string | null {
  if (!isItself(world, part)) return null;
  try {
    const unread = unreadIds(world.home().store, part);
    const given = new Set(ids);
    const mine = unread.filter((id) => given.has(id) && isMailOf(world, part, id));
    if (mine.length > 0) ackMail(world, part, mine, unread);
    return null;
  } catch (error) {
    // A disk that is full or read-only keeps nobody from reading.
    return whyNot(world, error);
  }
}

function whyNot(world: World, error: unknown): string {
  const refusal = diskRefusal(error, world.home().store.root);
  return refusal instanceof Error ? refusal.message : String(refusal);
}

/** What an ack beside an answer did. `unseen` is how many of the thread stayed unread, because they were not seen. */
export interface AckedBeside {
  acked: string[];
  unread: number;
  unseen?: number;
}

/** As `ackSeen`, beside an answer that was sent: `warning` says why nothing could be acked. */
export function ackAnswered(world: World, part: string, thread: string): Partial<AckedBeside> & { warning?: string } {
  try {
    return ackSeen(world, part, thread);
  } catch (error) {
    return { warning: `sent; what it answers stays unread: ${whyNot(world, error)}` };
  }
}

/** Acks mail in which Relay told a part to do what it has done now, and that says no more. @param among ids of unread messages */
export function ackTold(world: World, part: string, among: readonly string[], isTold: (message: Message) => boolean): void {
  const told = among.filter((id) => {
    const location = parseMessageId(id) as MessageLocation;
    const message = readMessage(world.home().store, location, messagePath(location), []);
    return message !== null && isTold(message);
  });
  ackGiven(world, part, told);
}

/** Acks what was seen of a thread, so that mail which came meanwhile stays unread: of a part what it fetched, of a person what `show` printed. */
export function ackSeen(world: World, part: string, thread: string): AckedBeside {
  const unread = unreadIds(world.home().store, part);
  const mine = ofThread(unread, thread).filter((id) => isMailOf(world, part, id));
  const seen = mine.filter((id) => isSeen(world, part, id));
  const { acked, unread: left } = ackMail(world, part, seen, unread);
  return { acked, unread: left, ...(seen.length < mine.length ? { unseen: mine.length - seen.length } : {}) };
}
