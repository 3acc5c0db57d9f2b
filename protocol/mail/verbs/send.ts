import * as z from "zod/mini";
import { parseMessageId, parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { flag, LIMITS, line, maybe, prose } from "../../core/format/schema.ts";
import { type Caller, HUMAN, nearest } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { EXIT, refuse } from "../../core/refusal.ts";
import { Faults, Recipients, Sent } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { office } from "../asks.ts";
import { join } from "../files/guests.ts";
import { type Reserved, reservedBy } from "../files/idempotency.ts";
import { isAcked } from "../files/inbox-files.ts";
import { breakLoop, noteSaid, saidBefore } from "../files/loop-breaker.ts";
import { currentName, everyoneBut, positionsAmong, requireMembers } from "../files/members.ts";
import { finishReserved, type Letter, newThread, post } from "../files/post.ts";
import { readMessage } from "../files/read-message.ts";
import { type Message, messagePath } from "../nouns/message.ts";
import { unreadPath } from "../nouns/part.ts";

const waiting = () => packageWith("waiting").waiting();

/** Starts a thread with one message. */
export const send = defineOperation({
  name: "send",
  tool: "room",
  summary: "Send a message to one part, to several, or to all (*); it begins a thread",
  when: "Tell or ask other parts something new.",
  effect: "write",
  endsWithNews: true,
  idempotent: false,
  identity: "writer",
  positionals: ["to", "subject", "body"],
  input: () => ({
    to: Recipients,
    subject: line(LIMITS.subject, "one line"),
    body: prose(LIMITS.body, "Markdown"),
    tags: maybe(z.array(line(LIMITS.tag, "tag")).check(z.maxLength(LIMITS.tags))),
    urgent: flag("worth interrupting for"),
    needsHuman: flag("a person must decide"),
    expectsReply: maybe(z.boolean().check(z.describe("false: wakes nobody"))),
    again: flag("send what an unread message of yours says already"),
    conversation: maybe(line(512, "goes on in this conversation: om, pm:PROJECT, task:ID; `relay office conversation` lists the kinds")),
    idempotency_key: maybe(line(LIMITS.idempotencyKey, "retry with the same key: sent once")),
    wait: maybe(z.int().check(z.gte(1), z.lte(LIMITS.waitSeconds), z.describe("seconds to wait for an answer"))),
  }),
  unlisted: ["tags", "expectsReply", "again", "conversation", "idempotency_key", "wait"],
  output: () => ({
    ...Sent.shape,
    duplicateOf: z.optional(z.string()),
    warning: z.optional(z.string()),
    ...z.partial(z.object(waiting().came)).shape,
    problems: Faults,
  }),
  example: { to: ["web"], subject: "API is ready", body: "GET /users answers now. Please try it." },
  exit: ({ timedOut }) => (timedOut === true ? EXIT.timeout : EXIT.ok),
  async run(world, input, caller) {
    const sent = await sendOrFind(world, input, caller);
    if (input.wait === undefined) return sent;
    return { ...sent, ...(await waiting().waitFor(world, caller, { threads: [sent.threadId], all: false, timeoutSeconds: input.wait })) };
  },
});

interface Given {
  to: readonly string[];
  subject: string;
  body: string;
  tags?: string[] | undefined;
  urgent?: boolean | undefined;
  needsHuman?: boolean | undefined;
  expectsReply?: boolean | undefined;
  again?: boolean | undefined;
  conversation?: string | undefined;
  idempotency_key?: string | undefined;
}

/** Sends the message, or finds the one that its key sent before. */
async function sendOrFind(
  world: World,
  input: Given,
  caller: Caller,
): Promise<z.infer<typeof Sent> & { duplicateOf?: string; warning?: string }> {
  const scope = { owner: caller.part, operation: "send" };
  const key = input.idempotency_key;
  const reserved = key === undefined ? null : reservedBy(world, scope, key);
  const earlier = reserved === null ? null : postedEarlier(world, reserved);
  if (earlier !== null) return sendAnswer(world, office().startWork(world, earlier));
  const begun = unfinished(reserved);
  if (begun !== null) return sendAnswer(world, office().startWork(world, finishReserved(world, begun)));
  const conversation = input.conversation === undefined ? null : await office().openConversation(world, input.conversation);
  const named = recipientsOf(world, input.to, caller);
  const positions = positionsAmong(world, named);
  const to = positions.length > 0 ? named : withPeople(named, input, caller);
  if (positions.length > 0) office().requireWork(world, caller.part, to, positions);
  if (positions.length > 0 && conversation !== null) office().requireOpen(world, conversation.thread, caller.part);
  const { subject, body, tags, urgent, needsHuman } = input;
  const saying = { to, words: [subject, body] };
  const same = input.again === true || key !== undefined ? null : unreadSame(world, caller.part, saying);
  if (same !== null) return { ...sendAnswer(world, same), duplicateOf: same.id, warning: NOT_AGAIN };
  const isQuiet = breakLoop(world, caller.part, saying);
  if (caller.isNew === true) join(world, caller);
  const metadata = conversation === null ? undefined : { conversation: conversation.name };
  const expectsReply = ringing(input, isQuiet);
  const draft = { from: caller.part, to, subject, body, tags, urgent, needsHuman, expectsReply, metadata };
  const thread = conversation === null ? newThread(world) : (parseThreadId(conversation.thread) as ThreadLocation);
  const highest = conversation === null ? 0 : undefined;
  const posted = (): Message => post(world, thread, draft, key === undefined ? undefined : { scope, key }, highest);
  const message = positions.length > 0 ? office().sendWork(world, thread, posted) : posted();
  noteSaid(world, caller.part, saying, message);
  return sendAnswer(world, message);
}

const NOT_AGAIN = "not sent again: the same message is still unread. To send it all the same: again";

/** The message of a short while ago that says the same to the same parts, where one of them has not acked it; null where there is none. */
function unreadSame(world: World, part: string, saying: { to: readonly string[]; words: string[] }): Message | null {
  const location = parseMessageId(saidBefore(world, part, saying) ?? "");
  if (location === null) return null;
  const { store } = world.home();
  const message = readMessage(store, location, messagePath(location), []);
  return message?.to.some((to) => exists(store, unreadPath(to, message.id)) && !isAcked(store, to, message.id)) === true ? message : null;
}

/** What a message says of being answered: nothing where it rings. @param isQuiet whether two parts only answer each other */
export const ringing = ({ expectsReply }: { expectsReply?: boolean | undefined }, isQuiet: boolean): false | undefined =>
  isQuiet || expectsReply === false ? false : undefined;

/** The message that an idempotency key made earlier; null when that send never came to its commit. */
export const postedEarlier = (world: World, { key }: Reserved): Message | null =>
  readMessage(world.home().store, key, messagePath(key), []);

/** The message that a key reserved with its text; null where it reserved nothing, or only an id. */
export const unfinished = (reserved: Reserved | null): (Reserved & { letter: Letter }) | null =>
  reserved?.letter == null ? null : { key: reserved.key, letter: reserved.letter };

/** What a sender is told. */
export const sendAnswer = (world: World, message: Message): z.infer<typeof Sent> => ({
  threadId: message.thread,
  messageId: message.id,
  recipients: packageWith("recipientStatuses").recipientStatuses(world, message),
});

/**
 * The recipients by name: `*` is everyone but the sender and `human`, `@name` who is in a group but for the sender; each once.
 * @throws Refusal `unknown_part`, `bad_part`, `to_self`, `to_nobody`
 */
export function recipientsOf(world: World, given: readonly string[], caller: Caller): string[] {
  const named = given.filter((part) => part !== "*" && !part.startsWith("@"));
  requireMembers(world, named);
  if (named.includes(caller.part)) throw refuse("to_self", { part: caller.part });
  const everyone = given.includes("*") ? everyoneBut(world, caller.part) : [];
  const grouped = given.filter((name) => name.startsWith("@")).flatMap((group) => membersOf(world, group, caller));
  const to = [...new Set([...named, ...grouped, ...everyone])];
  if (to.length === 0) throw refuse("to_nobody", { reason: given.length === 0 ? "no recipient was given" : "there is no other part yet" });
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

/** What a person must decide reaches a person too, whoever else is asked. */
export const withPeople = (to: string[], { needsHuman }: { needsHuman?: boolean | undefined }, { part }: Caller): string[] =>
  needsHuman === true && part !== HUMAN && !to.includes(HUMAN) ? [...to, HUMAN] : to;

/** Who is in a group just now, by their names of now; who is nobody any more is passed over. @throws Refusal `unknown_part` */
function membersOf(world: World, group: string, { part }: Caller): string[] {
  const { groups } = world.home().config();
  const found = groups.get(group.slice(1));
  if (found === undefined) {
    const known = [...groups.keys()].map((name) => `@${name}`);
    throw refuse("unknown_part", { given: [group], nearest: nearest(group, known) });
  }
  return found.flatMap((name) => currentName(world, name) ?? []).filter((name) => name !== part);
}
