/** Mail that people and parts send to a position becomes its work; also where its sender was killed. spec/office.md, "Dispatches". */

import { parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { completePending } from "../../mail/files/finish-posts.ts";
import { positionsAmong } from "../../mail/files/members.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { sha256 } from "../../store/digest.ts";
import { contextOf, type Dispatch, uuidOf } from "../nouns/dispatch.ts";
import { publishDispatch, requireRoute, showDispatch } from "./create-dispatch.ts";
import { ringDispatch } from "./dispatch-acts.ts";
import { isBrought, QUESTION } from "./dispatch-mail.ts";
import { ensureRunner } from "./ensure-runner.ts";
import { amidNote, isOwn, markOwn, noteAsked, ringForKilled } from "./local-files.ts";
import { readDispatchFiles } from "./read-dispatch.ts";
import { requireTrustedOffice } from "./trusted-office.ts";

/**
 * Makes a dispatch for mail that somebody sent to a position, where its thread has none. Every process makes the same one. A message in
 * the thread of a question goes to the dispatch that asked.
 * @returns null where the message is none that gives work: to several, to no position, or in a thread that is another dispatch's
 * @throws Refusal `roster_unavailable`, `office_untrusted`, `routing`, `not_permitted`
 */
export function adoptMail(world: World, message: Message): Dispatch | null {
  const { store } = world.home();
  const key = parseThreadId(message.thread) as ThreadLocation;
  const known = readDispatchFiles(store, message.thread);
  if (known !== null) {
    if (message.to.includes(known.dispatch.recipient)) ringDispatch(world, known.dispatch.id);
    return known.dispatch;
  }
  const asked = askedIn(world, key);
  if (asked !== null) {
    if (message.to.includes(asked.dispatch.recipient)) hearAnswer(world, asked);
    return asked.dispatch;
  }
  const { office } = requireTrustedOffice(world);
  const [recipient, ...others] = message.to.filter((name) => office.positions.has(name));
  if (recipient === undefined || others.length > 0) return null;
  // What a sync brought starts nothing.
  if (isBrought(world, message.id)) return null;
  const position = requireRoute(office, world, message.from, recipient, null);
  const context = contextOf(message.from, recipient, uuidOf(sha256(`${message.thread} ${message.from} ${recipient}`)));
  markOwn(store, message.thread);
  const dispatch = publishDispatch(world, key, context, { initiator: message.from, position, office, parent: null });
  showDispatch(world, dispatch);
  ringDispatch(world, dispatch.id);
  return dispatch;
}

/** A question to people, and the dispatch that asked it. */
interface Asked {
  dispatch: Dispatch;
  question: Message;
}

/** The question that a thread began with, where a dispatch of this clone asked it; null for any other thread. */
function askedIn(world: World, key: ThreadLocation): Asked | null {
  const { store } = world.home();
  const [first] = messageKeys(store, key);
  const question = first === undefined ? null : readMessage(store, first, messagePath(first), []);
  const id = question?.metadata?.["dispatch"] ?? "";
  if (question?.tags?.includes(QUESTION) !== true || parseThreadId(id) === null || !isOwn(store, id) || isBrought(world, question.id))
    return null;
  const dispatch = readDispatchFiles(store, id)?.dispatch;
  return dispatch?.recipient === question.from ? { dispatch, question } : null;
}

/** Gives a dispatch the messages in the thread of its question, also after a first answer. */
function hearAnswer(world: World, { dispatch, question }: Asked): void {
  noteAsked(world.home().store, dispatch.id, question.id, "");
  ringDispatch(world, dispatch.id);
}

/**
 * Sends mail to a position, makes it the position's work, and sees to it that somebody runs it. What gives no work stays mail: it was sent.
 * @param thread the thread in which it is sent
 */
export function sendWork(world: World, thread: ThreadLocation, send: () => Message): Message {
  return amidNote(world.home().store, threadId(thread), () => {
    const message = send();
    startWork(world, message);
    return message;
  });
}

/** As `sendWork`, for mail that was sent already, by a process that may have been killed before its work began. */
export function startWork(world: World, message: Message): Message {
  if (positionsAmong(world, message.to).length > 0 && adoptQuietly(world, message) !== null) ensureRunner(world);
  return message;
}

function adoptQuietly(world: World, message: Message): Dispatch | null {
  try {
    return adoptMail(world, message);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

/** Goes on for processes that were killed while they gave work: rings what they made, and makes the work of mail that they sent. */
export function goOnForKilled(world: World): void {
  const { store } = world.home();
  ringForKilled(store, (id) => {
    // It may have been killed since the looks before this one: a dispatch that is rung without its mail would rest again.
    completePending(world);
    ringDispatch(world, id);
    const key = parseThreadId(id) as ThreadLocation;
    const asked = askedIn(world, key);
    if (asked !== null) hearAnswer(world, asked);
    const [first] = messageKeys(store, key);
    const message = first === undefined ? null : readMessage(store, first, messagePath(first), []);
    if (message !== null && readDispatchFiles(store, id) === null) adoptQuietly(world, message);
  });
}
