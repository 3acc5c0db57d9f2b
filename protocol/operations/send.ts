import * as z from "zod/mini";
import { newThread, newToken, post } from "../home/deliver.ts";
import { reserve, reservedBy } from "../home/keys.ts";
import { type Caller, everyoneBut, join, requireMembers } from "../home/parts.ts";
import { recipientReplies } from "../home/replies.ts";
import { readMessage } from "../home/threads.ts";
import type { MessageKey } from "../objects/id.ts";
import { type Message, messagePath } from "../objects/message.ts";
import { flag, LIMITS, line, maybe, prose } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { refuse } from "../refusal.ts";
import type { World } from "../world.ts";
import { Recipients, Sent } from "./shapes.ts";

/** Starts a thread with one message. */
export const send = defineOperation({
  name: "send",
  tool: { name: "send", group: "room" },
  command: "send",
  summary: "Send a message to one part, several, or all (*): it begins a thread",
  when: "Tell or ask other parts something new. To answer, use reply.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  home: true,
  positionals: ["to", "subject", "body"],
  input: () =>
    z.object({
      to: Recipients,
      subject: line(LIMITS.subject, "one line"),
      body: prose(LIMITS.body, "Markdown"),
      tags: maybe(z.array(line(LIMITS.tag, "tag")).check(z.maxLength(LIMITS.tags))),
      urgent: flag("worth interrupting for"),
      needsHuman: flag("a person must decide"),
      idempotency_key: maybe(line(LIMITS.idempotencyKey, "retry with the same key: sent once")),
    }),
  output: () => Sent,
  example: { to: ["web"], subject: "API is ready", body: "GET /users answers now. Please try it." },
  async run(world, input, caller) {
    const scope = { part: caller.part, operation: "send" };
    const key = input.idempotency_key;
    const reserved = key === undefined ? null : reservedBy(world, scope, key);
    const earlier = reserved === null ? null : postedEarlier(world, reserved);
    if (earlier !== null) return sentReply(world, earlier);
    const to = recipientsOf(world, input.to, caller);
    join(world, caller);
    const offered = { ...newThread(world), n: 1, token: newToken(world) };
    const id = key === undefined ? offered : reserve(world, scope, key, reserved ?? offered);
    const { subject, body, tags, urgent, needsHuman } = input;
    return sentReply(world, post(world, id, { from: caller.part, to, subject, body, tags, urgent, needsHuman }, id));
  },
});

/** The message that an idempotency key made earlier; null when that send never came to its commit. */
export function postedEarlier(world: World, reserved: MessageKey): Message | null {
  return readMessage(world.home().store, reserved, messagePath(reserved), []);
}

/** What a sender is told. */
export function sentReply(world: World, message: Message): z.infer<typeof Sent> {
  return { threadId: message.thread, messageId: message.id, recipients: recipientReplies(world, message) };
}

/**
 * The recipients by name: `*` is everyone but the sender and `human`; each once.
 * @throws Refusal `unknown_part`, `bad_part`, `to_self`, `to_nobody`
 */
export function recipientsOf(world: World, given: readonly string[], caller: Caller): string[] {
  const named = given.filter((part) => part !== "*");
  requireMembers(world, named);
  if (named.includes(caller.part)) throw refuse("to_self", { part: caller.part });
  const everyone = given.includes("*") ? everyoneBut(world, caller.part) : [];
  const to = [...new Set([...named, ...everyone])];
  if (to.length === 0) throw refuse("to_nobody", { reason: given.length === 0 ? '"to" is empty' : "there is no other part yet" });
  if (named.length > LIMITS.recipients) {
    throw refuse("invalid_argument", {
      argument: "to",
      expected: `at most ${LIMITS.recipients} parts, or "*"`,
      given: `${named.length} parts`,
      example: ["*"],
    });
  }
  return to;
}
