/** Archived threads, as lists show them and as a whole. spec/removal.md, "Archive". */
import type * as z from "zod/mini";
import { type MessageLocation, parseMessageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { cursorAfter, paginate } from "../../core/paginate.ts";
import { refuse } from "../../core/refusal.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import type { RemovalsOfMail } from "../../mail/asks.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { onePage, type ThreadBrief } from "../../mail/files/thread-brief.ts";
import { newestOf } from "../../mail/files/threads.ts";
import { type Message, timeInId } from "../../mail/nouns/message.ts";
import { participantsOf, statusOf } from "../../mail/nouns/thread.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { originField, senderShown } from "../../trust/nouns/origin.ts";
import { archivePath } from "../nouns/archive.ts";
import { archivedThreads } from "./archive-names.ts";
import { type ArchivedThread, readArchivedThread } from "./archived-thread.ts";

/** What a list shows of an archived thread. */
function archivedBrief(world: World, { thread, messages }: ArchivedThread): z.infer<typeof ThreadBrief> {
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

/** A page of the archived threads, those that began last first. Archives are read only until it is full. */
export const archivedPage: RemovalsOfMail["archivedPage"] = (world, input, isWanted, problems) => {
  const keys = new Map(archivedThreads(world.home().store).map((location) => [threadId(location), location]));
  const found: z.infer<typeof ThreadBrief>[] = [];
  const left = paginate([...keys.keys()], keys.size, input.cursor, (a, b) => (a < b ? 1 : a > b ? -1 : 0)).items;
  for (const [looked, id] of left.entries()) {
    if (found.length === input.limit || looked === input.most) return { threads: found, cursor: cursorAfter(left[looked - 1] as string) };
    const read = readArchivedThread(world, keys.get(id) as ThreadLocation, problems);
    if (input.names !== null && read?.messages.some(({ from }) => input.names?.has(from)) !== true) continue;
    const brief = read === null ? null : archivedBrief(world, read);
    if (brief !== null && isWanted(brief)) found.push(brief);
  }
  return { threads: found, cursor: null };
};

/** A thread out of its archive, which says who acked what. */
export const showArchived: RemovalsOfMail["showArchived"] = (world, location, input) => {
  const problems: Faults = [];
  const read = readArchivedThread(world, location, problems);
  if (read === null) throw refuse("malformed_file", problems[0] ?? { path: archivePath(location), problem: "it holds no thread" });
  const place = new Map(read.messages.map(({ id }, index) => [id, index]));
  const shown = paginate([...place.keys()].reverse(), input.limit, input.cursor, (a, b) => (place.get(b) ?? -1) - (place.get(a) ?? -1));
  const origin = originsOf(world)(archivePath(location));
  const page = onePage(world, shown, (id) => {
    const { from, to, at, body, urgent = false, needsHuman = false, metadata } = read.messages[place.get(id) as number] as Message;
    const receipts = read.receiptsOf(id);
    return [
      { messageId: id, from: senderShown(from, origin, metadata), ...originField(origin), to, at, body, urgent, needsHuman, receipts },
    ];
  });
  return withFaults({ thread: archivedBrief(world, read), ...page }, problems);
};
