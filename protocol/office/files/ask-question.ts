/** Questions of a dispatch: to whoever gave the work, and to people. spec/office.md, "Questions". */

import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { type Draft, newThread, post } from "../../mail/files/post.ts";
import type { Message } from "../../mail/nouns/message.ts";
import { randomBytes, sha256 } from "../../store/digest.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import { ringDispatch } from "./dispatch-acts.ts";
import { QUESTION, questionKey } from "./dispatch-mail.ts";
import { subjectOf } from "./end-turn.ts";
import { amidNote, askingName, noteAsked } from "./local-files.ts";
import { ofDispatch, tellOffice } from "./office-events.ts";

/** Asks whoever gave the work, in the thread of the dispatch. @returns the question; one of the same words that nobody has taken the answer of, in place of a second */
export function askRequestor(world: World, dispatch: Dispatch, text: string): Message {
  const { store } = world.home();
  const key = parseThreadId(dispatch.id) as ThreadLocation;
  // Whoever gave the work may rest, if its turn failed.
  return amidNote(store, dispatch.parent ?? dispatch.id, () => {
    const message = askOnce(world, dispatch, key, {
      from: dispatch.recipient,
      to: [dispatch.initiator],
      subject: subjectOf(store, { key }),
      body: text,
      tags: [QUESTION],
    });
    if (dispatch.parent !== undefined) ringDispatch(world, dispatch.parent);
    return message;
  });
}

/** Asks people, in a thread of its own. @returns as `askRequestor` */
export const askPeople = (world: World, dispatch: Dispatch, text: string): Message =>
  askOnce(world, dispatch, newThread(world), {
    from: dispatch.recipient,
    to: [HUMAN],
    subject: text.trim() || "(no subject)",
    body: text,
    needsHuman: true,
    tags: [QUESTION],
    metadata: { dispatch: dispatch.id },
  });

/**
 * Posts a question once: a program forgets a call that it was killed in, and asks again. What stands for the question lies on the disk
 * before it is posted, and goes when its answer is taken, so that the same words afterwards are another question.
 */
function askOnce(world: World, dispatch: Dispatch, thread: ThreadLocation, draft: Draft): Message {
  const { store } = world.home();
  const digest = sha256(`${draft.to.join(" ")}\0${draft.body}`).slice(0, 32);
  const name = askingName(store, dispatch.id, digest, Buffer.from(randomBytes(16)).toString("hex"));
  const message = post(world, thread, draft, questionKey(dispatch, name));
  if (noteAsked(store, dispatch.id, message.id, digest) === "created")
    tellOffice(world, { ...ofDispatch(dispatch), type: "office:input_requested", to: message.to[0] as string, question: message.id });
  return message;
}
