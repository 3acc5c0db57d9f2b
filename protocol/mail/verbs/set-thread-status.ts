import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { dayOf } from "../../core/format/id.ts";
import { type Caller, HUMAN } from "../../core/names.ts";
import { listedPackages, packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import { AlsoAcked } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { ackSeen } from "../files/ack-mail.ts";
import { currentNames } from "../files/delivery-state.ts";
import { join } from "../files/guests.ts";
import { ackOne, ofThread, unreadIds } from "../files/inbox-files.ts";
import { dropMarks } from "../files/mail.ts";
import { readMessage } from "../files/read-message.ts";
import { messageKeys, readThread, resolveThread } from "../files/threads.ts";
import { writeStatus } from "../files/write-status.ts";
import { messagePath } from "../nouns/message.ts";
import { readPath } from "../nouns/part.ts";
import { isEnded, participantsOf, THREAD_STATUSES, type Thread, type ThreadStatus } from "../nouns/thread.ts";

/** The answer of `close` and `reopen`. */
export const ThreadStatusAnswer = z.object({
  threadId: z.string(),
  status: z.enum(THREAD_STATUSES),
  cleared: z.array(z.object({ part: z.string(), messageId: z.string() })),
  ...AlsoAcked,
  warning: z.optional(z.string()),
});

/**
 * Sets the status of a thread; an end of it clears the mail of the thread that is unread.
 * @param given the id of the thread, or a beginning of it
 * @throws Refusal `not_participant`, `malformed_file`
 */
export async function setThreadStatus(
  world: World,
  given: string,
  status: ThreadStatus,
  caller: Caller,
  { ack, lesson }: { ack?: boolean | undefined; lesson?: string | undefined } = {},
): Promise<z.infer<typeof ThreadStatusAnswer>> {
  const home = world.home();
  const { store } = home;
  const location = resolveThread(home, given);
  const keys = messageKeys(store, location);
  const messages = keys.flatMap((each) => readMessage(store, each, messagePath(each), []) ?? []);
  const thread = readThread(store, location, keys, []) as Thread;
  const participants = participantsOf(thread, messages, currentNames(world));
  if (![...participants, home.config().main, HUMAN].includes(caller.part)) {
    throw refuse("not_participant", { part: caller.part, threadId: thread.id, participants });
  }
  if (caller.isNew === true) join(world, caller);
  const own = ack === true ? ackSeen(world, caller.part, thread.id) : null;
  // What is cleared is written down first: a close that dies here leaves mail unread, never mail unseen.
  const clearing = isEnded(status)
    ? participants.flatMap((part) => ofThread(unreadIds(store, part), thread.id).map((messageId) => ({ part, messageId })))
    : [];
  await writeStatus(
    world,
    location,
    status,
    clearing.map(({ part, messageId }) => `${part} ${messageId}`),
  );
  const cleared = clearing.filter(({ part, messageId }) => ackOne(store, part, messageId) === "acked");
  for (const { part, messageId } of cleared) dropMarks(world, part, [messageId]);
  acted(world, {
    paths: cleared.map(({ part, messageId }) => readPath(part, messageId, location.day)),
    event: { type: `thread:${status}`, part: caller.part, threadId: thread.id, cleared: cleared.length },
  });
  const empty = cleared.map(({ part }) => part).filter((part) => unreadIds(store, part).length === 0);
  for (const each of listedPackages()) each.followCleared?.(world, empty);
  if (lesson !== undefined) await keepLesson(world, thread, lesson);
  const others = [...new Set(cleared.map(({ part }) => part))].filter((part) => part !== caller.part);
  const unseen = own?.unseen === undefined || isEnded(status) ? {} : { unseen: own.unseen };
  const also = own === null ? {} : { acked: own.acked, unread: unreadIds(store, caller.part).length, ...unseen };
  const answer = { threadId: thread.id, status, cleared, ...also };
  return others.length === 0
    ? answer
    : { ...answer, warning: `not read by ${others.join(", ")}: cleared from their inboxes, and listed in the thread` };
}

/** Appends a dated lesson to the project's memory; parallel appends all land. */
async function keepLesson(world: World, thread: Thread, lesson: string): Promise<void> {
  await packageWith("learn").learn(world, dayOf(world.now()), lesson, thread.id);
}
