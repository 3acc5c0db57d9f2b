/** Questions of a dispatch: to whoever gave the work, and to people. spec/office.md, "Questions". */
import type { Dispatch } from "../../objects/dispatch/dispatch.ts";
import { type MessageLocation, parseMessageId, parseThreadId, type ThreadLocation } from "../../objects/format/id.ts";
import { type Message, messagePath } from "../../objects/message/message.ts";
import { HUMAN } from "../../objects/part/part.ts";
import type { World } from "../../world.ts";
import { ringDispatch } from "../dispatch/dispatch-acts.ts";
import { QUESTION } from "../dispatch/dispatch-mail.ts";
import { subjectOf } from "../dispatch/end-turn.ts";
import { amidNote, noteAsked, questionsAsked } from "../dispatch/local-files.ts";
import { ofDispatch, tellOffice } from "../dispatch/office-events.ts";
import { newThread, post } from "../message/post.ts";
import { readMessage } from "../thread/read-message.ts";

/** Asks whoever gave the work, in the thread of the dispatch. @returns the question; one of the same words that nobody has taken the answer of, in place of a second */
export function askRequestor(world: World, dispatch: Dispatch, text: string): Message {
  const key = parseThreadId(dispatch.id) as ThreadLocation;
  const asked = askedBefore(world, dispatch, dispatch.initiator, text);
  if (asked !== null) return asked;
  const subject = subjectOf(world.home().store, { key });
  const { store } = world.home();
  // Whoever gave the work may rest, if its turn failed.
  return amidNote(store, dispatch.parent ?? dispatch.id, () => {
    const message = post(world, key, { from: dispatch.recipient, to: [dispatch.initiator], subject, body: text, tags: [QUESTION] });
    noteAsked(store, dispatch.id, message.id);
    tellOffice(world, { ...ofDispatch(dispatch), type: "office:input_requested", to: message.to[0] as string, question: message.id });
    if (dispatch.parent !== undefined) ringDispatch(world, dispatch.parent);
    return message;
  });
}

/** Asks people, in a thread of its own. @returns as `askRequestor` */
export function askPeople(world: World, dispatch: Dispatch, text: string): Message {
  const asked = askedBefore(world, dispatch, HUMAN, text);
  if (asked !== null) return asked;
  const draft = {
    from: dispatch.recipient,
    to: [HUMAN],
    subject: text.trim() || "(no subject)",
    body: text,
    needsHuman: true,
    tags: [QUESTION],
    metadata: { dispatch: dispatch.id },
  };
  const message = post(world, newThread(world), draft);
  noteAsked(world.home().store, dispatch.id, message.id);
  tellOffice(world, { ...ofDispatch(dispatch), type: "office:input_requested", to: message.to[0] as string, question: message.id });
  return message;
}

/** The question of the same words to the same one whose answer no turn took: a program forgets a call that it was killed in. */
function askedBefore(world: World, dispatch: Dispatch, to: string, text: string): Message | null {
  const { store } = world.home();
  const found = questionsAsked(store, dispatch.id).flatMap((id) => {
    const location = parseMessageId(id) as MessageLocation;
    return readMessage(store, location, messagePath(location), []) ?? [];
  });
  return found.find((message) => message.to.includes(to) && message.body === text) ?? null;
}
