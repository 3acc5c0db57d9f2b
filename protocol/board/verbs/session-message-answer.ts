import * as z from "zod/mini";
import type { Message } from "../../mail/nouns/message.ts";
import { type Origin, originField, senderShown } from "../../trust/nouns/origin.ts";

/** A message as the tools of a session show it. `created_at` is in Unix seconds. */
export const SessionMessageAnswer = z.object({
  id: z.string(),
  session_id: z.string(),
  from_agent: z.string(),
  origin: z.optional(z.string()),
  to_agent: z.nullable(z.string()),
  content: z.string(),
  thread_id: z.nullable(z.string()),
  metadata: z.nullable(z.record(z.string(), z.string())),
  created_at: z.number(),
  seq: z.number(),
});

/** Shows a message. @param seq its number in the session */
export function sessionMessageAnswer(message: Message, session: string, seq: number, origin: Origin): z.infer<typeof SessionMessageAnswer> {
  return {
    id: message.id,
    session_id: message.session ?? session,
    from_agent: senderShown(message.from, origin, message.metadata),
    ...originField(origin),
    to_agent: message.broadcast === true ? null : (message.to[0] ?? null),
    content: message.body,
    thread_id: message.session === undefined ? message.thread : (message.label ?? null),
    metadata: message.metadata ?? null,
    created_at: Math.floor(Date.parse(message.at) / 1_000),
    seq,
  };
}
