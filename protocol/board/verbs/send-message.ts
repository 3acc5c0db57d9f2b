import * as z from "zod/mini";
import { atMost, LIMITS, line, maybe, noNul, text, wellFormed } from "../../core/format/schema.ts";
import { FORBIDDEN_KEYS } from "../../core/format/yaml.ts";
import type { Caller } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { AgentId, SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { seqOf } from "../../mail/files/arrivals.ts";
import { enter, makeGuest } from "../../mail/files/guests.ts";
import { isExchanged, noteSaid } from "../../mail/files/loop-breaker.ts";
import { everyoneBut, isMember, requireDistinct, requireMembers } from "../../mail/files/members.ts";
import { postToSession } from "../files/session-messages.ts";
import { currentSession } from "../files/sessions.ts";
import { SessionMessageAnswer, sessionMessageAnswer } from "./session-message-answer.ts";

const notForbidden = z.refine<string>((key) => !FORBIDDEN_KEYS.has(key), `other names than ${[...FORBIDDEN_KEYS].join(", ")}`);

/** Sends a message to one agent of the session, or to all. */
export const send_message = defineOperation({
  name: "send_message",
  tool: "plugin",
  command: "message send",
  summary: "Send a message to one agent of the session, or to all of them",
  when: "Message one agent of your session, or all of them (leave out to).",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["content"],
  input: () => ({
    to: maybe(AgentId("default: all")),
    content: text(LIMITS.body, "Markdown"),
    thread_id: maybe(line(LIMITS.label, "thread, or a name for one")),
    metadata: maybe(
      z
        .record(
          z.string().check(...atMost(LIMITS.metadataKey), wellFormed(), noNul(), notForbidden),
          z.string().check(...atMost(LIMITS.metadataValue), wellFormed(), noNul()),
        )
        .check(z.refine((value) => Object.keys(value).length <= LIMITS.metadataKeys, `at most ${LIMITS.metadataKeys} keys`)),
    ),
    session_id: SessionId,
  }),
  output: () => ({ message_id: z.string(), message: SessionMessageAnswer }),
  example: { to: "web", content: "The API answers." },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const to = recipients(world, session, input.to, caller);
    const { content, thread_id: label, metadata } = input;
    const saying = { to, words: [label ?? "", content] };
    const expectsReply = isExchanged(world, caller.part, saying) ? false : undefined;
    const broadcast = input.to === undefined;
    const message = postToSession(world, session, { from: caller.part, to, broadcast, content, label, metadata, expectsReply });
    noteSaid(world, caller.part, saying, message);
    return { message_id: message.id, message: sessionMessageAnswer(message, session, seqOf(world, message.id), { from: "here" }) };
  },
});

/** Lets the caller join, and those it writes to: ids of the team file are known before they write. A message to oneself is allowed here. */
function recipients(world: World, session: string, to: string | undefined, { part }: Caller): string[] {
  const joining = packageWith("teamIds")
    .teamIds(world, session)
    .filter((id) => (to === undefined || id === to) && !isMember(world, id));
  for (const id of joining) requireDistinct(world, id);
  if (to !== undefined && to !== part && !joining.includes(to)) requireMembers(world, [to]);
  enter(world, session, part);
  for (const id of joining) makeGuest(world, id, session);
  return to === undefined ? everyoneBut(world, part) : [to];
}
