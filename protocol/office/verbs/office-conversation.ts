import * as z from "zod/mini";
import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { line } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { isConversationClosed, requireConversation } from "../files/conversations.ts";

/** Says which thread a conversation is. */
export const office_conversation = defineOperation({
  name: "office_conversation",
  summary: "Say which thread a conversation is (om, pm:PROJECT, session:ID, task:ID and others), and whether it is open",
  effect: "read",
  identity: "none",
  positionals: ["conversation"],
  input: () => ({
    conversation: line(512, "om; pm, team, config, proxy, lead, session, task, job, liaison or agent, a colon and what it is about"),
  }),
  output: () => ({
    conversation: z.string(),
    kind: z.string(),
    threadId: z.string(),
    state: z.enum(["active", "closed"]),
    messages: z.number(),
  }),
  example: { conversation: "pm:shop" },
  async run(world, { conversation: given }) {
    const conversation = requireConversation(world, given);
    const { name, kind, thread } = conversation;
    const messages = messageKeys(world.home().store, parseThreadId(thread) as ThreadLocation).length;
    return {
      conversation: name,
      kind,
      threadId: thread,
      state: isConversationClosed(world, conversation) ? ("closed" as const) : ("active" as const),
      messages,
    };
  },
});
