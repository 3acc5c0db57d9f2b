/** What the tools of the office answer with. */
import * as z from "zod/mini";
import type { World } from "../../core/world.ts";
import { type Came, nameInOffice } from "../files/await-reply.ts";
import { questionsToPeople } from "../files/dispatch-mail.ts";
import { type DispatchState, readDispatchFiles, subjectAt } from "../files/read-dispatch.ts";
import { outcomeOf, wholeText } from "../files/reply-text.ts";
import { pageOf, pagesOf } from "../nouns/pages.ts";

/** How a Send ended. `queued`: the reply comes later, as a message or with the next turn. */
export const SEND_STATUSES = ["ok", "empty", "failed", "timeout", "closed", "question", "queued"] as const;

/** The answer of a Send. */
export const SendAnswer = {
  status: z.enum(SEND_STATUSES),
  context_id: z.string(),
  agent: z.string(),
  result: z.optional(z.string()),
  question: z.optional(z.string()),
  pages: z.optional(z.number()),
  code: z.optional(z.literal("recipient_failed")),
};

type Sent = z.infer<z.ZodMiniObject<typeof SendAnswer>>;

/** What came, as the answer of the call that waited for it. */
export function answerOf(world: World, { message, kind }: Came): Sent {
  const { store } = world.home();
  const context_id = readDispatchFiles(store, message.thread)?.dispatch.context ?? message.thread;
  const agent = nameInOffice(world, message.from);
  if (kind === "question") return { status: "question", context_id, agent, question: message.body };
  const text = wholeText(store, message);
  const outcome = outcomeOf(message);
  const status = outcome === "waiting" || outcome === "interrupted" ? "ok" : outcome;
  const pages = pagesOf(text);
  return {
    status,
    context_id,
    agent,
    result: pages > 1 ? `${pageOf(text, 1)}\n\n[Page 1 of ${pages}: ReadReply reads the others.]` : text,
    ...(pages > 1 ? { pages } : {}),
    ...(status === "failed" || status === "timeout" ? { code: "recipient_failed" as const } : {}),
  };
}

/** A conversation, as it is listed. */
export const ConversationShape = z.object({
  context_id: z.string(),
  thread: z.string(),
  position: z.string(),
  initiator: z.string(),
  parent: z.nullable(z.string()),
  state: z.string(),
  since: z.string(),
  at: z.string(),
  turns: z.number(),
  outcome: z.nullable(z.string()),
  cost_usd: z.nullable(z.number()),
  subject: z.string(),
  awaiting_input: z.array(z.string()),
});

/** A conversation, as it is listed; `awaiting_input` are its questions that no person answered. */
export function conversationOf(world: World, conversation: DispatchState): z.infer<typeof ConversationShape> {
  const { dispatch, state, since, turns, ends, closed, isOwn } = conversation;
  const costs = ends.flatMap(({ usage }) => usage?.costUsd ?? []);
  return {
    context_id: dispatch.context,
    thread: dispatch.id,
    position: dispatch.recipient,
    initiator: dispatch.initiator,
    parent: dispatch.parent ?? null,
    state,
    since,
    at: dispatch.at,
    turns: turns.length,
    outcome: ends.at(-1)?.outcome ?? null,
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    subject: subjectAt(world, conversation),
    awaiting_input: isOwn && closed === null ? questionsToPeople(world, dispatch.id) : [],
  };
}
