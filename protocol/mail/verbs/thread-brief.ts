/** A thread, as lists show it. */

import * as z from "zod/mini";
import { type MessageLocation, parseMessageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { senderShown } from "../../trust/nouns/origin.ts";
import type { ArchivedThread } from "../asks.ts";
import { currentNames } from "../files/delivery-state.ts";
import { ofThread } from "../files/inbox-files.ts";
import { readMessage } from "../files/read-message.ts";
import { newestOf, readThread, spokenIn } from "../files/threads.ts";
import { messagePath, preview, timeInId } from "../nouns/message.ts";
import { participantsOf, statusOf, THREAD_STATUSES, type Thread } from "../nouns/thread.ts";

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

/** What a list shows of an archived thread. */
export function archivedBrief(world: World, { thread, messages }: ArchivedThread): z.infer<typeof ThreadBrief> {
  const newest = newestOf(messages.map(({ id }) => parseMessageId(id) as MessageLocation));
  const renamed = currentNames(world);
  return {
    id: thread.id,
    subject: thread.subject,
    ...(thread.tags === undefined ? {} : { tags: thread.tags }),
    status: statusOf(thread, messages, renamed),
    createdAt: thread.createdAt,
    lastAt: newest === null ? thread.createdAt : timeInId(newest),
    participants: participantsOf(thread, messages, renamed),
    messages: messages.length,
    unread: 0,
    archived: true,
  };
}

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
