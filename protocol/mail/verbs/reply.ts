import * as z from "zod/mini";
import { type MessageLocation, threadId } from "../../core/format/id.ts";
import { atMost, flag, LIMITS, line, maybe, prose } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import type { Home } from "../../core/home/home.ts";
import type { Caller } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { AlsoAcked, Recipients, Sent } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { office } from "../asks.ts";
import { ackAnswered } from "../files/ack-mail.ts";
import { currentNames } from "../files/delivery-state.ts";
import { join } from "../files/guests.ts";
import { type Reserved, reservedBy } from "../files/idempotency.ts";
import { breakLoop, noteSaid } from "../files/loop-breaker.ts";
import { isMember, positionsAmong } from "../files/members.ts";
import { finishReserved, post } from "../files/post.ts";
import { readMessage } from "../files/read-message.ts";
import { readThread, resolveThread, resolveThreadKeys, spokenIn } from "../files/threads.ts";
import { messagePath } from "../nouns/message.ts";
import { isEnded, participantsOf, type Thread, threadPath } from "../nouns/thread.ts";
import { postedEarlier, recipientsOf, ringing, sendAnswer, unfinished, withPeople } from "./send.ts";

/** Answers in a thread. */
export const reply = defineOperation({
  name: "reply",
  tool: "room",
  summary: "Answer in a thread; without --to, everybody else in it gets the message",
  when: "Answer or continue a thread; acks what you saw of it.",
  effect: "write",
  endsWithNews: true,
  idempotent: false,
  identity: "writer",
  positionals: ["threadId", "body"],
  naming: ["threadId"],
  input: () => ({
    threadId: z.string().check(z.minLength(1), ...atMost(128)),
    body: prose(LIMITS.body, "Markdown"),
    to: maybe(Recipients),
    urgent: flag("worth interrupting for"),
    needsHuman: flag("a person must decide"),
    expectsReply: maybe(z.boolean().check(z.describe("false: wakes nobody"))),
    keep: flag("leave what it answers unread"),
    ack: flag("answer what was acked"),
    idempotency_key: maybe(line(LIMITS.idempotencyKey, "retry with the same key: sent once")),
  }),
  unlisted: ["keep", "ack", "idempotency_key"],
  output: () => ({ ...Sent.shape, ...AlsoAcked, warning: z.optional(z.string()) }),
  example: { threadId: "t-20260131-k3f9x2ab", body: "Done: it answers 200 now." },
  async run(world, input, caller) {
    const sent = await answer(world, input, caller);
    if (input.keep === true) return sent;
    // After the answer was sent: dying in between leaves mail unread.
    const { acked, unread, ...odd } = ackAnswered(world, caller.part, sent.threadId);
    return { ...sent, ...odd, ...(input.ack === true ? { acked, unread } : {}) };
  },
});

interface Given {
  threadId: string;
  body: string;
  to?: string[] | undefined;
  urgent?: boolean | undefined;
  needsHuman?: boolean | undefined;
  expectsReply?: boolean | undefined;
  idempotency_key?: string | undefined;
}

/** Sends the answer, or finds the one that its key sent before. */
async function answer(world: World, input: Given, caller: Caller): Promise<z.infer<typeof Sent>> {
  const home = world.home();
  const scope = { owner: caller.part, operation: "reply" };
  const key = input.idempotency_key;
  const reserved = key === undefined ? null : reservedBy(world, scope, key);
  if (reserved !== null && !sameThread(home, input.threadId, reserved)) {
    throw refuse("invalid_argument", {
      argument: "idempotency_key",
      expected: `a key that was not used for ${threadId(reserved.key)}`,
      given: key,
      example: "price-answer-2",
    });
  }
  const earlier = reserved === null ? null : postedEarlier(world, reserved);
  if (earlier !== null) return sendAnswer(world, office().startWork(world, earlier));
  const { key: threadKey, keys } = resolveThreadKeys(home, input.threadId);
  const faults: FaultList = [];
  const thread = readThread(home.store, threadKey, keys, faults) as Thread;
  const broken = faults.find(({ path }) => path === threadPath(threadKey));
  // Whether it is closed stands in a file that cannot be read, so nothing is assumed.
  if (broken !== undefined) throw refuse("malformed_file", broken);
  const { status } = thread;
  const isAside = status === "closed" && isOfReview(home, keys[0]);
  if (status !== undefined && isEnded(status) && !isAside) throw refuse("thread_closed", { threadId: thread.id, status });
  await office().requireOpenConversation(world, thread.id);
  const begun = unfinished(reserved);
  if (begun !== null) return sendAnswer(world, office().startWork(world, finishReserved(world, begun)));
  const everyone = (): string[] => {
    const parties = spokenIn(home.store, keys, []);
    const others = participantsOf(thread, parties, currentNames(world)).filter((part) => part !== caller.part);
    // Who was removed since is written to by nobody, and keeps nobody from being answered.
    const there = others.filter((part) => isMember(world, part));
    const gone = others.length === 0 ? "" : ` (${others.join(", ")} is not a part now)`;
    if (there.length === 0) throw refuse("to_nobody", { reason: `this thread has no other participant${gone}` });
    return there;
  };
  const named = input.to === undefined ? everyone() : recipientsOf(world, input.to, caller);
  const isWork = positionsAmong(world, named).length > 0;
  const to = isWork ? named : withPeople(named, input, caller);
  if (isWork) office().requireOpen(world, thread.id, caller.part);
  const { body, urgent, needsHuman } = input;
  const saying = { to, words: [thread.id, body] };
  const isQuiet = breakLoop(world, caller.part, saying);
  if (caller.isNew === true) join(world, caller);
  const draft = { from: caller.part, to, subject: thread.subject, body, urgent, needsHuman, expectsReply: ringing(input, isQuiet) };
  const posted = () => post(world, threadKey, draft, key === undefined ? undefined : { scope, key }, keys.at(-1)?.n);
  const message = isWork ? office().sendWork(world, threadKey, posted) : posted();
  noteSaid(world, caller.part, saying, message);
  return sendAnswer(world, message);
}

/** True for the thread of a review, which a later reply leaves closed. @param first its first message */
const isOfReview = ({ store }: Home, first: MessageLocation | undefined): boolean =>
  first !== undefined && readMessage(store, first, messagePath(first), [])?.metadata?.["review_id"] !== undefined;

/** Whether the thread that a call names is the one that its key was used for. */
const sameThread = (home: Home, given: string, { key }: Reserved): boolean => threadId(resolveThread(home, given)) === threadId(key);
