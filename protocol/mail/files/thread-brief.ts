/** A thread, as lists and `show` show it. */

import * as z from "zod/mini";
import { type MessageLocation, type ThreadLocation, threadId } from "../../core/format/id.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { cursorAfter, roomIn, sizeOf } from "../../core/paginate.ts";
import type { World } from "../../core/world.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { senderShown } from "../../trust/nouns/origin.ts";
import { messagePath, preview, timeInId } from "../nouns/message.ts";
import { participantsOf, statusOf, THREAD_STATUSES, type Thread } from "../nouns/thread.ts";
import { currentNames } from "./delivery-state.ts";
import { ofThread } from "./inbox-files.ts";
import { readMessage } from "./read-message.ts";
import { newestOf, readThread, spokenIn } from "./threads.ts";

/** A thread in a list. */
export const ThreadBrief = z.object({
  id: z.string(),
  subject: z.string(),
  tags: z.optional(z.array(z.string())),
  status: z.enum(THREAD_STATUSES),
  createdAt: z.string(),
  lastAt: z.string(),
  participants: z.array(z.string()),
  messages: z.number(),
  unread: z.number(),
  archived: z.optional(z.boolean()),
  /** The newest message, where it is asked for: by whom, its beginning, and whether Relay wrote it to tell of a review or a task. */
  last: z.optional(z.object({ from: z.string(), preview: z.string(), notice: z.boolean() })),
});

/** A message of a thread that is shown. */
export const ShownMessage = z.object({
  messageId: z.string(),
  from: z.string(),
  origin: z.optional(z.string()),
  to: z.array(z.string()),
  at: z.string(),
  body: z.string(),
  urgent: z.boolean(),
  needsHuman: z.boolean(),
  receipts: z.array(z.object({ part: z.string(), state: z.string(), origin: z.optional(z.string()), missing: z.optional(z.boolean()) })),
});

/** What a list shows of the newest message of a thread; nothing where it cannot be read. */
export function lastField(world: World, keys: readonly MessageLocation[], problems: FaultList): Pick<z.infer<typeof ThreadBrief>, "last"> {
  const newest = newestOf(keys);
  const message = newest === null ? null : readMessage(world.home().store, newest, messagePath(newest), problems);
  if (newest === null || message === null) return {};
  const { metadata = {} } = message;
  const from = senderShown(message.from, originsOf(world)(messagePath(newest)));
  const notice = metadata["review_id"] !== undefined || metadata["task_id"] !== undefined;
  return { last: { from, preview: preview(message.body), notice } };
}

/** What a list shows of a thread; null when it vanished meanwhile. */
export function threadBrief(
  world: World,
  location: ThreadLocation,
  keys: readonly MessageLocation[],
  unread: readonly string[],
  problems: FaultList,
): z.infer<typeof ThreadBrief> | null {
  const { store } = world.home();
  const thread: Thread | null = readThread(store, location, keys, problems);
  if (thread === null) return null;
  const spoken = spokenIn(store, keys, problems);
  const newest = newestOf(keys);
  // A token is a little older than the message that it names.
  const lastAt = newest === null ? "" : timeInId(newest);
  const renamed = currentNames(world);
  return {
    id: threadId(location),
    subject: thread.subject,
    ...(thread.tags === undefined ? {} : { tags: thread.tags }),
    status: statusOf(thread, spoken, renamed),
    createdAt: thread.createdAt,
    lastAt: lastAt < thread.createdAt ? thread.createdAt : lastAt,
    participants: participantsOf(thread, spoken, renamed),
    messages: keys.length,
    unread: ofThread(unread, threadId(location)).length,
  };
}

/** The messages of a page from old to new: over a connection no more than fit, and the newest in any case. @param shown ids, the newest first */
export function onePage<T extends { body: string }>(
  world: World,
  shown: { items: readonly string[]; cursor: string | null },
  read: (id: string) => T[],
): { messages: T[]; cursor: string | null } {
  const messages: T[] = [];
  let left = roomIn(world);
  for (const [at, id] of shown.items.entries()) {
    const found = read(id);
    if (world.connection.lasting) left -= sizeOf(found);
    if (left < 0 && messages.length > 0) return { messages: messages.reverse(), cursor: cursorAfter(shown.items[at - 1] as string) };
    messages.push(...found);
  }
  return { messages: messages.reverse(), cursor: shown.cursor };
}
