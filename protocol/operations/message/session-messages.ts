import * as z from "zod/mini";
import { teamIds } from "../../home/agent/agents.ts";
import { seqOf } from "../../home/arrivals.ts";
import { tell } from "../../home/feed.ts";
import { breakLoop, noteSaid } from "../../home/message/loop-breaker.ts";
import { postToSession, sessionMessages } from "../../home/message/session-messages.ts";
import { originsOf } from "../../home/origin.ts";
import { unreadIds } from "../../home/part/inbox.ts";
import { type Caller, enter, everyoneBut, isMember, makeGuest, requireDistinct, requireMembers } from "../../home/part/parts.ts";
import { namesOf } from "../../home/part/same-part.ts";
import { currentSession, findSession, readSession } from "../../home/session/sessions.ts";
import type { Faults as FaultList } from "../../home/thread/threads.ts";
import { ackGiven } from "../../home/wake/ack-mail.ts";
import { FORBIDDEN_KEYS } from "../../objects/format/frontmatter.ts";
import { type MessageKey, parseMessageId } from "../../objects/format/id.ts";
import { atMost, count, LIMITS, line, maybe, noNul, text, wellFormed } from "../../objects/format/schema.ts";
import { type Message, messagePath } from "../../objects/message/message.ts";
import { type Origin, originField, senderShown } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import type { World } from "../../world.ts";
import { AgentId, Faults, SessionId, withFaults } from "../shapes.ts";

/** A message as the tools of a session show it. `created_at` is in Unix seconds. */
const Shown = z.object({
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

const notForbidden = z.refine<string>((key) => !FORBIDDEN_KEYS.has(key), `other names than ${[...FORBIDDEN_KEYS].join(", ")}`);

/** Sends a message to one agent of the session, or to all. */
export const sendMessage = defineOperation({
  name: "send_message",
  tool: { name: "send_message", group: "plugin" },
  command: "message send",
  summary: "Send a message to one agent of the session, or to all of them",
  when: "Message one agent of your session, or all of them (leave out to).",
  effect: "write",
  idempotent: false,
  identity: "writer",
  home: true,
  positionals: ["content"],
  input: () =>
    z.object({
      to: maybe(AgentId("left out: all")),
      content: text(LIMITS.body, "Markdown"),
      thread_id: maybe(line(LIMITS.label, "thread, or a name for one")),
      metadata: maybe(
        z
          .record(
            z.string().check(...atMost(LIMITS.metadataKey), wellFormed, noNul, notForbidden),
            z.string().check(...atMost(LIMITS.metadataValue), wellFormed, noNul),
          )
          .check(z.refine((value) => Object.keys(value).length <= LIMITS.metadataKeys, `at most ${LIMITS.metadataKeys} keys`)),
      ),
      session_id: SessionId,
    }),
  output: () => z.object({ message_id: z.string(), message: Shown }),
  example: { to: "web", content: "The API answers." },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const to = recipients(world, session, input.to, caller);
    const { content, thread_id: label, metadata } = input;
    const saying = { to, words: [label ?? "", content] };
    breakLoop(world, caller.part, saying);
    const message = postToSession(world, session, { from: caller.part, to, broadcast: input.to === undefined, content, label, metadata });
    noteSaid(world, caller.part, saying);
    return { message_id: message.id, message: shown(message, session, seqOf(world, message.id), { from: "here" }) };
  },
});

/** Lets the caller join, and those it writes to: ids of the team file are known before they write. A message to oneself is allowed here. */
function recipients(world: World, session: string, to: string | undefined, { part }: Caller): string[] {
  const joining = teamIds(world, session).filter((id) => (to === undefined || id === to) && !isMember(world, id));
  for (const id of joining) requireDistinct(world, id);
  if (to !== undefined && to !== part && !joining.includes(to)) requireMembers(world, [to]);
  enter(world, session, part);
  for (const id of joining) makeGuest(world, id, session);
  return to === undefined ? everyoneBut(world, part) : [to];
}

function shown(message: Message, session: string, seq: number, origin: Origin): z.infer<typeof Shown> {
  return {
    id: message.id,
    session_id: message.session ?? session,
    from_agent: senderShown(message.from, origin),
    ...originField(origin),
    to_agent: message.broadcast === true ? null : (message.to[0] ?? null),
    content: message.body,
    thread_id: message.session === undefined ? message.thread : (message.label ?? null),
    metadata: message.metadata ?? null,
    created_at: Math.floor(Date.parse(message.at) / 1_000),
    seq,
  };
}

/** Lists what arrived for an agent in a session. */
export const getMessages = defineOperation({
  name: "get_messages",
  tool: { name: "get_messages", group: "plugin" },
  command: "message list",
  summary: "List what arrived for you in the session, and mark it read: messages to you and to all",
  when: "Read what arrived for you in your session, and mark it read; pass the last seq you saw as after_seq.",
  effect: "read",
  idempotent: true,
  identity: "reader",
  home: true,
  positionals: [],
  input: () =>
    z.object({
      after_seq: maybe(z.int().check(z.describe("only later ones"))),
      limit: count(1, LIMITS.messagesPage, LIMITS.messagesPage, "at most"),
      session_id: SessionId,
    }),
  output: () => z.object({ messages: z.array(Shown), warning: z.optional(z.string()), problems: Faults }),
  example: { after_seq: 0 },
  async run(world, input, { part }) {
    const id = findSession(world, input.session_id);
    const session = id === null ? null : readSession(world.home().store, id);
    if (session === null) return { messages: [] };
    const problems: FaultList = [];
    const own = namesOf(world, part);
    const found = sessionMessages(world, session, part, input.after_seq ?? 0, input.limit, problems);
    const originOf = originsOf(world);
    const messages = found.map(({ seq, message }) => {
      const origin = originOf(messagePath(parseMessageId(message.id) as MessageKey));
      return shown(forAgent(message, part, own), session.id, seq, origin);
    });
    const kept = ackGiven(
      world,
      part,
      found.map(({ message }) => message.id),
    );
    return withFaults({ messages, ...unwritten(world, part, kept) }, problems);
  },
});

/** What to say where the disk takes nothing: what was given stays unread, and what has no number yet is not among it. */
function unwritten(world: World, part: string, kept: string | null): { warning?: string } {
  const numberless = unreadIds(world.home().store, part).filter((id) => seqOf(world, id) === 0).length;
  const words = [
    ...(kept === null ? [] : [`these messages could not be marked read, so they stay unread: ${kept}`]),
    ...(numberless === 0 ? [] : [`${numberless} unread message(s) could not be numbered here, so they are not listed; inbox shows them`]),
  ];
  return words.length === 0 ? {} : { warning: words.join("; ") };
}

/** Of several recipients the one who asks is shown: this view knows one or all. */
function forAgent(message: Message, agent: string, own: readonly string[]): Message {
  return message.to.some((name) => own.includes(name)) ? { ...message, to: [agent] } : message;
}

/** Shows viewers what an agent is thinking; kept nowhere. */
export const broadcastThinking = defineOperation({
  name: "broadcast_thinking",
  tool: { name: "broadcast_thinking", group: "board" },
  command: "think",
  summary: "Show viewers what you are thinking; it is kept in no file of git",
  when: "Show people who watch what you are about to do.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  home: true,
  positionals: ["content"],
  input: () => z.object({ content: text(LIMITS.thinking, "Markdown"), session_id: SessionId }),
  output: () => z.object({}),
  example: { content: "The parser comes first." },
  async run(world, input, { part }) {
    tell(world, { type: "agent:thinking", part, agentId: part, sessionId: findSession(world, input.session_id), chunk: input.content });
    return {};
  },
});
