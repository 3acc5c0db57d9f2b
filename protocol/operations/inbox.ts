import * as z from "zod/mini";
import { readDays, readIds, unreadIds } from "../home/inbox.ts";
import { type Faults as FaultList, readMessage } from "../home/threads.ts";
import { notedBy } from "../home/wakes.ts";
import { compareNewest, type MessageKey, parseMessageId } from "../objects/id.ts";
import { preview } from "../objects/message.ts";
import { readPath, unreadPath } from "../objects/part.ts";
import { cursor, limit } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import type { World } from "../world.ts";
import { page } from "./page.ts";
import { Brief, Faults, withFaults } from "./shapes.ts";

/** Lists a part's messages, newest first. */
export const inbox = defineOperation({
  name: "inbox",
  tool: { name: "inbox", group: "room" },
  command: "inbox",
  summary: "List your unread messages, newest first; marks nothing read",
  when: "See your mail; do it at the start of each turn. Then show the thread, act, ack.",
  effect: "read",
  idempotent: true,
  identity: "reader",
  home: true,
  positionals: [],
  input: () =>
    z.object({
      unreadOnly: z._default(z.boolean(), true).check(z.describe("false: acked ones too")),
      limit: limit(),
      cursor,
    }),
  output: () => z.object({ messages: z.array(Brief), unread: z.number(), cursor: z.nullable(z.string()), problems: Faults }),
  example: { unreadOnly: true, limit: 30 },
  async run(world, input, { part }) {
    const { store } = world.home();
    const unread = new Set(unreadIds(store, part));
    const acked = input.unreadOnly ? [] : readDays(store, part).flatMap((day) => readIds(store, part, day));
    const ids = [...new Set([...unread, ...acked])].sort(compareNewest);
    const shown = page(ids, input.limit, input.cursor, (a, b) => compareNewest(a, b));
    const problems: FaultList = [];
    const messages = shown.items.flatMap((id) => brief(world, part, id, unread.has(id), problems) ?? []);
    notedBy(
      world,
      part,
      messages.filter((message) => message.unread).map(({ messageId }) => messageId),
    );
    return withFaults({ messages, unread: unread.size, cursor: shown.cursor }, problems);
  },
});

function brief(world: World, part: string, id: string, unread: boolean, problems: FaultList): z.infer<typeof Brief> | null {
  const { store } = world.home();
  const key = parseMessageId(id) as MessageKey;
  const message = readMessage(store, key, unread ? unreadPath(part, id) : readPath(part, id, key.day), problems);
  if (message === null) return null;
  const { subject, from, at, urgent = false, needsHuman = false } = message;
  return { messageId: id, threadId: message.thread, subject, from, unread, urgent, needsHuman, at, preview: preview(message.body) };
}
