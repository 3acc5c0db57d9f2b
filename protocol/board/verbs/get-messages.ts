import * as z from "zod/mini";
import { type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import { many } from "../../core/format/many.ts";
import { count, LIMITS, maybe } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { fitting, roomIn, sizeOf } from "../../core/paginate.ts";
import { Faults, SessionId } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { ackGiven } from "../../mail/files/ack-mail.ts";
import { seqOf } from "../../mail/files/arrivals.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { namesOf } from "../../mail/files/members.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { type Arrived, sessionMessages } from "../files/session-messages.ts";
import { findSession, readSession } from "../files/sessions.ts";
import { SessionMessageAnswer, sessionMessageAnswer } from "./session-message-answer.ts";

/** Lists what arrived for an agent in a session. */
export const get_messages = defineOperation({
  name: "get_messages",
  tool: "plugin",
  command: "message list",
  summary: "List the messages for you in the session, and mark them read",
  when: "Read the messages for you in your session, and mark them read; pass the last seq you saw as after_seq.",
  effect: "read",
  // What it lists has numbers of this machine, and is marked read.
  onlyNow: true,
  marksRead: true,
  identity: "reader",
  input: () => ({
    after_seq: maybe(z.int().check(z.describe("only later ones"))),
    limit: count(1, LIMITS.messagesPage, LIMITS.messagesPage, "at most"),
    session_id: SessionId,
  }),
  output: () => ({ messages: z.array(SessionMessageAnswer), warning: z.optional(z.string()), problems: Faults }),
  example: { after_seq: 0 },
  async run(world, input, { part }) {
    const id = findSession(world, input.session_id);
    const session = id === null ? null : readSession(world.home().store, id);
    if (session === null) return { messages: [] };
    const problems: FaultList = [];
    const own = namesOf(world, part);
    const arrived = sessionMessages(world, session, part, input.after_seq ?? 0, input.limit, problems);
    const found = roomFor(world, part, arrived, input.after_seq);
    const originOf = originsOf(world);
    const messages = found.map(({ seq, message }) => {
      const origin = originOf(messagePath(parseMessageId(message.id) as MessageLocation));
      return sessionMessageAnswer(forAgent(message, part, own), session.id, seq, origin);
    });
    const long = messages.length === 1 ? messages.find((message) => sizeOf(message) > roomIn(world)) : undefined;
    const kept = ackGiven(world, part, long === undefined ? found.map(({ message }) => message.id) : []);
    const rest = [
      ...(long === undefined
        ? []
        : [`it stays unread: \`relay message list --after-seq ${long.seq - 1} --limit 1 --json\` prints it whole`]),
      ...(found.at(-1) === arrived.at(-1) ? [] : [`there are more, also unread: call again with after_seq ${found.at(-1)?.seq}`]),
    ];
    return withFaults({ messages, ...unwritten(world, part, kept, rest) }, problems);
  },
});

/** Those of the messages that an answer has room for: of all since the beginning, where not all have, the unread ones go before. */
function roomFor(world: World, part: string, arrived: readonly Arrived[], after: number | undefined): Arrived[] {
  const pieceOf = (list: readonly Arrived[]): Arrived[] => fitting(world, list, ({ message }) => sizeOf(message));
  const found = pieceOf(arrived);
  if (after !== undefined || found.length === arrived.length) return found;
  const unread = new Set(unreadIds(world.home().store, part));
  const fresh = pieceOf(arrived.filter(({ message }) => unread.has(message.id)));
  return fresh.length === 0 ? found : fresh;
}

/** What to say where the disk takes nothing: what was given stays unread, and what has no number yet is not among it. */
function unwritten(world: World, part: string, kept: string | null, rest: readonly string[]): { warning?: string } {
  const numberless = unreadIds(world.home().store, part).filter((id) => seqOf(world, id) === 0).length;
  const words = [
    ...rest,
    ...(kept === null ? [] : [`these messages could not be marked read, so they stay unread: ${kept}`]),
    ...(numberless === 0
      ? []
      : [`Relay could not number ${many(numberless, "unread message")} here, so this list lacks them; inbox shows them`]),
  ];
  return words.length === 0 ? {} : { warning: words.join("; ") };
}

/** Of several recipients the one who asks is shown: this view knows one or all. */
const forAgent = (message: Message, agent: string, own: readonly string[]): Message =>
  message.to.some((name) => own.includes(name)) ? { ...message, to: [agent] } : message;
