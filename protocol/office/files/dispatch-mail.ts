/** The mail of a dispatch: what came and no turn took, and what it asked and nobody answered. spec/office.md, "Input". */

import {
  compareInThread,
  type MessageLocation,
  messageId,
  parseMessageId,
  parseThreadId,
  type ThreadLocation,
} from "../../core/format/id.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { reservedBy } from "../../mail/files/idempotency.ts";
import { unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import { readMail } from "../../mail/files/mail.ts";
import type { IdempotencyKey } from "../../mail/files/post.ts";
import { readMessage, readParties } from "../../mail/files/read-message.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { unreadPath } from "../../mail/nouns/part.ts";
import { lifeOf } from "../../store/process.ts";
import { exists } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { senderShown } from "../../trust/nouns/origin.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import type { Untaken } from "../nouns/dispatch-state.ts";
import type { Child } from "./children.ts";
import { dropAsked, isUnheard, makerOf, noteAsked, questionsAsked, questionsBegun, takerOf, threadOf } from "./local-files.ts";

/** The tag of a question to whoever gave the work, or to people. */
export const QUESTION = "question";
/** The tag of what says that a question was not answered. */
export const NO_ANSWER = "no-answer";

/** A message to a dispatch. */
export interface DispatchMail {
  message: Message;
  kind: "work" | "answer" | "reply" | "question";
  /** The dispatch below that it came from; absent of one from the initiator, or from people. */
  child?: string | undefined;
  /** Whether a turn may have heard it before. */
  isAgain?: boolean;
}
/** A message to a dispatch that no turn took. */
export type UntakenMail = DispatchMail;

/**
 * The order of messages: by their numbers in one thread, else by the clocks of their writers; an answer of people stands where its question
 * was asked.
 * @param asked the questions, by their threads
 */
function compareMail(asked: ReadonlyMap<string, MessageLocation>, a: Message, b: Message): number {
  const [one, other] = [parseMessageId(a.id), parseMessageId(b.id)] as [MessageLocation, MessageLocation];
  if (a.thread === b.thread) return compareInThread(one, other);
  return (asked.get(a.thread) ?? one).token < (asked.get(b.thread) ?? other).token ? -1 : 1;
}

/** A message as a dispatch is given it; null where it is none of its own. */
export function mailOf(store: Store, dispatch: Dispatch, children: readonly Child[], message: Message): DispatchMail | null {
  if (message.from === dispatch.recipient) return null;
  if (message.thread === dispatch.id) {
    const isAnswer = message.tags?.includes(NO_ANSWER) === true || questionsBefore(store, dispatch, message);
    return { message, kind: isAnswer ? "answer" : "work" };
  }
  const child = children.find(({ id }) => id === message.thread);
  if (child !== undefined) {
    // Only whoever was given the work replies; what others say in that thread is theirs.
    if (message.from !== child.recipient) return null;
    return { message, kind: message.tags?.includes(QUESTION) === true ? "question" : "reply", child: child.id };
  }
  const isAsked = questionsAsked(store, dispatch.id).some((question) => threadOf(question) === message.thread);
  return isAsked ? { message, kind: "answer" } : null;
}

/** Whether a dispatch asked something in its thread before a message. */
const questionsBefore = (store: Store, dispatch: Dispatch, message: Message): boolean =>
  questionsAsked(store, dispatch.id).some((question) => {
    const location = parseMessageId(question);
    return location !== null && threadOf(question) === message.thread && location.n < message.n;
  });

/**
 * The messages of a dispatch that nothing took, oldest first. What was taken for a turn that does not exist is among them: whoever took it
 * was killed before it created the turn. So is an answer whose call did not note that it has it.
 */
export function untakenMail(world: World, dispatch: Dispatch, children: readonly Child[], lastTurn: number): UntakenMail[] {
  const { store } = world.home();
  const { id, recipient } = dispatch;
  const asked = new Map(questionsAsked(store, id).map((question) => [threadOf(question), parseMessageId(question) as MessageLocation]));
  const threads = new Set([id, ...children.map((child) => child.id), ...asked.keys()]);
  asked.delete(id);
  return unreadIdsSeen(store, recipient)
    .filter((each) => {
      if (!threads.has(threadOf(each))) return false;
      const taker = takerOf(store, id, each);
      return taker === null || (taker.by === "turn" && taker.turn > lastTurn) || isUnheard(store, id, each);
    })
    .flatMap((each) => {
      const message = readMail(world, recipient, each, unreadPath(recipient, each), []);
      const mail = message === null ? null : mailOf(store, dispatch, children, message);
      return mail !== null && counts(world, dispatch, mail) ? [mail] : [];
    })
    .sort((a, b) => compareMail(asked, a.message, b.message));
}

/** What of the messages that nothing took leads to a turn. */
export const untakenOf = (mail: readonly UntakenMail[]): Untaken => ({
  fromInitiator: mail.some(({ child }) => child === undefined),
  answer: mail.some(({ kind }) => kind === "answer"),
  question: mail.some(({ kind }) => kind === "question"),
  reply: mail.some(({ kind }) => kind === "reply"),
});

/**
 * Reads messages that a dispatch was given, by their ids; those that are gone are left out. The question of an answer may stand no more:
 * what is in no thread of work is one.
 */
export function mailByIds(store: Store, dispatch: Dispatch, children: readonly Child[], ids: readonly string[]): DispatchMail[] {
  const threads = new Set([dispatch.id, ...children.map(({ id }) => id)]);
  return ids.flatMap((each): DispatchMail | readonly [] => {
    const location = parseMessageId(each);
    const message = location === null ? null : readMessage(store, location, messagePath(location), []);
    if (message === null) return [];
    const mail = mailOf(store, dispatch, children, message);
    if (mail !== null || message.from === dispatch.recipient || threads.has(message.thread)) return mail ?? [];
    return { message, kind: "answer" };
  });
}

/** Who a message says it is from, as an agent is told: what was not written here is never the plain word of a person. */
export const fromShown = (world: World, { from, id, metadata }: Message): string =>
  senderShown(from, originsOf(world)(messagePath(parseMessageId(id) as MessageLocation)), metadata);

/** Whether a message came from elsewhere, as all do of which this machine did not note that it was written here. */
export function isBrought(world: World, id: string): boolean {
  const location = parseMessageId(id);
  return location === null || originsOf(world)(messagePath(location)).from !== "here";
}

/**
 * Whether a message counts for a dispatch that runs here. Who works here is given work and answered here, whatever a push says in their
 * name; only `human`, who was asked, may answer from another clone.
 */
const counts = (world: World, dispatch: Dispatch, { kind, message }: DispatchMail): boolean =>
  (kind === "answer" && message.from === HUMAN && (message.thread !== dispatch.id || dispatch.initiator === HUMAN)) ||
  !isBrought(world, message.id);

/** By this a question is posted once. @param name of `askingName` */
export const questionKey = ({ id, recipient }: Dispatch, name: string): IdempotencyKey => ({
  scope: { owner: recipient, operation: `dispatch.${id}` },
  key: `question ${name}`,
});

/** Notes the questions that a process posted and did not note, because it was killed. */
export function noteQuestionsOfKilled(world: World, dispatch: Dispatch): void {
  const { store } = world.home();
  for (const { digest, name } of questionsBegun(store, dispatch.id)) {
    const { scope, key } = questionKey(dispatch, name);
    const reserved = reservedBy(world, scope, key);
    if (reserved !== null && exists(store, messagePath(reserved.key))) noteAsked(store, dispatch.id, messageId(reserved.key), digest);
  }
}

/** The answers to a question that count: what somebody else wrote in its thread after it. @returns null where it is no question */
function answersTo(world: World, question: string): string[] | null {
  const { store } = world.home();
  const location = parseMessageId(question);
  if (location === null) return null;
  const asked = readParties(store, location, []);
  const later = messageKeys(store, location).filter((each) => each.n > location.n);
  const after = later.map((each) => ({ id: messageId(each), from: readParties(store, each, [])?.from }));
  const others = after.filter(({ from }) => from !== asked?.from);
  return others
    .filter(({ id, from }) => (from === HUMAN && asked?.to.includes(HUMAN) === true) || !isBrought(world, id))
    .map(({ id }) => id);
}

/** Whether a question has an answer that counts. */
const isAnswered = (world: World, question: string): boolean => answersTo(world, question)?.length !== 0;

/** Drops the questions of a dispatch whose answers were taken, and are told now. One that was answered just now waits for its turn. */
export function dropAnswered(world: World, id: string): void {
  const { store } = world.home();
  for (const question of questionsAsked(store, id))
    if (answersTo(world, question)?.some((each) => takerOf(store, id, each) !== null) !== false) dropAsked(store, id, question);
}

/** The questions of a dispatch without an answer, oldest first. */
export const openQuestions = (world: World, id: string): string[] =>
  questionsAsked(world.home().store, id)
    .filter((question) => !isAnswered(world, question))
    .sort();

/** The questions of a dispatch that no person answered, oldest first: each is in a thread of its own. */
export const questionsToPeople = (world: World, id: string): string[] =>
  openQuestions(world, id).filter((question) => threadOf(question) !== id);

/** Whether a dispatch asked its requestor, or a person, and has no answer. */
export const asksNow = (world: World, { id }: Dispatch): boolean => openQuestions(world, id).length > 0;

/** Whether whoever gave the work has no answer to the last message: then an end of the dispatch owes one. */
export function owesReply(world: World, key: ThreadLocation, dispatch: Dispatch): boolean {
  const { store } = world.home();
  const last = messageKeys(store, key).findLast((each) => !isBrought(world, messageId(each)));
  if (last === undefined) return false;
  const message = readMessage(store, last, messagePath(last), []);
  return message === null || message.from !== dispatch.recipient || message.tags?.includes(QUESTION) === true;
}

/** Whether the maker of a dispatch lives and has not sent its text yet. */
export function isBeingMade(store: Store, id: string): boolean {
  const key = parseThreadId(id);
  if (key === null || messageKeys(store, key).length > 0) return false;
  const maker = makerOf(store, id);
  return maker !== null && lifeOf(maker) === "alive";
}

/** The last reply of a dispatch; null where it has given none. */
export function lastReply(store: Store, key: ThreadLocation, dispatch: Dispatch): Message | null {
  for (const location of messageKeys(store, key).reverse()) {
    const message = readMessage(store, location, messagePath(location), []);
    if (message !== null && message.from === dispatch.recipient && message.tags?.includes(QUESTION) !== true) return message;
  }
  return null;
}
