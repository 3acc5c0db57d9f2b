/** Conversations as they lie on the disk: each is a thread, and closed where its thread is, or whatever it is about. spec/office.md, "Conversations". */

import { hasSession, turnOf } from "../../board/files/sessions.ts";
import { readTask, sessionOfTask } from "../../board/files/task-files.ts";
import { isFinished } from "../../board/nouns/task.ts";
import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messageKeys, readThread } from "../../mail/files/threads.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { isEnded } from "../../mail/nouns/thread.ts";
import { sha256 } from "../../store/digest.ts";
import { type Conversation, conversationThread, isConversationThread, readConversation } from "../nouns/conversation.ts";
import { findDispatch } from "./create-dispatch.ts";
import { isClosed } from "./own-files.ts";

/** A conversation, and the thread that it is. */
export interface KnownConversation extends Conversation {
  thread: string;
}

/** The key of a message's metadata that says in which conversation it was sent. */
const CONVERSATION = "conversation";
/** So many messages of a thread are asked for the name of their conversation: whoever can push can put others before them. */
const ASKED = 100;

/**
 * The conversation of a name.
 * @throws Refusal `invalid_argument` for a name that is none; `not_found` where it is about a dispatch, a session or a task that is not there
 */
export function requireConversation(world: World, given: string): KnownConversation {
  const read = readConversation(given);
  if (typeof read === "string") throw refuse("invalid_argument", { argument: "conversation", expected: read, given, example: "pm:shop" });
  const thread = threadOf(world, read);
  if (thread === null) throw refuse("not_found", { context_id: given });
  return { ...read, thread };
}

/** The thread of a conversation: that of its dispatch where it is with one; null where what it is about is not there. */
function threadOf(world: World, conversation: Conversation): string | null {
  const { kind, qualifier, name } = conversation;
  if (kind === "agent" || kind === "job") {
    const dispatch = findDispatch(world, kind === "agent" ? name : qualifier);
    if (kind === "agent" || dispatch === null) return dispatch;
  }
  if (kind === "session" && !hasSession(world, qualifier)) return null;
  if (kind === "task" && taskOf(world, qualifier) === null) return null;
  return conversationThread(conversation, sha256);
}

function taskOf(world: World, id: string): ReturnType<typeof readTask> {
  const session = sessionOfTask(world, null, id);
  return session === null ? null : readTask(world, session, id);
}

/** Whether a conversation is closed: its thread is, or the session, dispatch or task that it is about has ended. Read from files, never stored. */
export function isConversationClosed(world: World, { kind, qualifier, thread }: KnownConversation): boolean {
  const { store } = world.home();
  const key = parseThreadId(thread) as ThreadLocation;
  const status = readThread(store, key, messageKeys(store, key), [])?.status;
  if (status !== undefined && isEnded(status)) return true;
  if (kind === "session") return turnOf(store, qualifier).ended;
  if (kind === "task") return isFinished(taskOf(world, qualifier)?.status);
  if (kind === "agent" || kind === "job") return isClosed(store, kind === "agent" ? thread : qualifier);
  return false;
}

/** The conversation that a thread is; null for any other thread. What a message says of it counts where the thread follows from it. */
export function conversationIn(world: World, thread: string): KnownConversation | null {
  if (!isConversationThread(thread)) return null;
  const { store } = world.home();
  for (const location of messageKeys(store, parseThreadId(thread) as ThreadLocation).slice(0, ASKED)) {
    const said = readMessage(store, location, messagePath(location), [])?.metadata?.[CONVERSATION];
    const read = said === undefined ? "" : readConversation(said);
    if (typeof read !== "string" && read.kind !== "agent" && conversationThread(read, sha256) === thread) return { ...read, thread };
  }
  return null;
}

/** @throws Refusal `conversation_closed` where a thread is a conversation that is closed */
export function requireOpenConversation(world: World, conversation: KnownConversation | null): void {
  if (conversation !== null && isConversationClosed(world, conversation))
    throw refuse("conversation_closed", { context_id: conversation.name });
}
