import * as z from "zod/mini";
import { compareNewest, type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import { cursor, limit } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { listedPackages } from "../../core/package.ts";
import { paginate } from "../../core/paginate.ts";
import { Brief, Faults, Notices } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { type Origin, originField, senderShown } from "../../trust/nouns/origin.ts";
import { isOfEnded } from "../asks.ts";
import { readDays, readIds, unreadIds } from "../files/inbox-files.ts";
import { noteCut, readMail } from "../files/mail.ts";
import { type Notice, noticesOf } from "../files/notices.ts";
import { type Message, messagePath, preview } from "../nouns/message.ts";
import { readPath, unreadPath } from "../nouns/part.ts";

/** Lists a part's messages, newest first. */
export const inbox = defineOperation({
  name: "inbox",
  tool: "room",
  summary: "List your unread messages, newest first; marks nothing as read",
  when: "List your unread mail, newest first.",
  effect: "read",
  identity: "reader",
  input: () => ({
    unreadOnly: z._default(z.boolean(), true).check(z.describe("false: acked too")),
    limit: limit(),
    cursor: cursor(),
  }),
  unlisted: ["unreadOnly", "limit"],
  output: () => ({ messages: z.array(Brief), unread: z.number(), notices: Notices, cursor: z.nullable(z.string()), problems: Faults }),
  example: { unreadOnly: true, limit: 30 },
  async run(world, input, { part }) {
    const { store } = world.home();
    const unread = new Set(unreadIds(store, part));
    const acked = input.unreadOnly ? [] : readDays(store, part).flatMap((day) => readIds(store, part, day));
    const ids = [...new Set([...unread, ...acked])].sort(compareNewest);
    const shown = paginate(ids, input.limit, input.cursor, (a, b) => compareNewest(a, b));
    const problems: FaultList = [];
    const messages = await mailShown(world, part, shown.items, (id) => unread.has(id), problems);
    const notices = input.cursor === undefined ? noticesOf(world, part) : [];
    return withFaults({ messages, unread: unread.size, ...noticesIn(notices), cursor: shown.cursor }, problems);
  },
});

/** Shows a part messages of its inbox, which it has seen then. */
async function mailShown(
  world: World,
  part: string,
  ids: readonly string[],
  isUnread: (id: string) => boolean,
  problems: FaultList,
): Promise<z.infer<typeof Brief>[]> {
  const originOf = originsOf(world);
  const messages = withBodies(
    ofSessions(
      world,
      ids.flatMap((id) => briefOf(world, part, id, isUnread(id), originOf, problems) ?? []),
    ),
  );
  const seen = messages.filter((message) => message.unread);
  noteCut(
    world,
    part,
    seen.filter(({ body }) => body === undefined).map(({ messageId }) => messageId),
  );
  const shown = seen.map(({ messageId }) => messageId);
  for (const each of listedPackages()) each.followSeen?.(world, part, shown);
  return messages;
}

/** Says of messages whether their session has ended. */
function ofSessions(world: World, found: Shown[]): Shown[] {
  const { store } = world.home();
  return found.map((each) => (isOfEnded(store, each) ? { ...each, brief: { ...each.brief, sessionEnded: true } } : each));
}

/** A body of so many characters is shown whole, as long as the bodies of an answer are no longer than the other together. */
const SHORT_BODY = 600;
const BODIES = 6_000;

/** Puts in the short bodies, those of the newest first. */
function withBodies(briefs: readonly Shown[]): z.infer<typeof Brief>[] {
  let left = BODIES;
  return briefs.map(({ brief, body }) => {
    if (body.length > SHORT_BODY || body.length > left) return brief;
    left -= body.length;
    return { ...brief, body };
  });
}

const noticesIn = (notices: Notice[]): { notices?: Notice[] } => (notices.length === 0 ? {} : { notices });

/** A message of an inbox as lists show it, its body and its session. */
interface Shown {
  brief: z.infer<typeof Brief>;
  body: string;
  session?: string | undefined;
}

/** A message of an inbox as it is shown; null, and a fault, where it cannot be read. */
export function briefOf(
  world: World,
  part: string,
  id: string,
  unread: boolean,
  originOf: (path: string) => Origin,
  problems: FaultList,
): Shown | null {
  const location = parseMessageId(id) as MessageLocation;
  const message = readMail(world, part, id, unread ? unreadPath(part, id) : readPath(part, id, location.day), problems);
  if (message === null) return null;
  const { subject, from, at, urgent = false, needsHuman = false, metadata } = message;
  const origin = originOf(messagePath(location));
  const sender = { from: senderShown(from, origin, metadata), ...originField(origin) };
  const { thread: threadId, body, session } = message;
  const brief = { messageId: id, threadId, subject, ...sender, unread, urgent, needsHuman, at, preview: previewOf(message) };
  return { brief, body, session };
}

/** Previews that were made, by message: one is listed at every look until it is acked. */
const previews = new WeakMap<Message, string>();

function previewOf(message: Message): string {
  const made = previews.get(message) ?? preview(message.body);
  previews.set(message, made);
  return made;
}
