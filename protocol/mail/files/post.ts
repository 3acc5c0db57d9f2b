/**
 * A send is one commit with a known intent.
 *
 * The message, complete with all recipients, lies in `local/pending/` under its writer's name; the link into the thread
 * commits it; links into the inboxes follow; then the pending name is removed. A process that dies before
 * the commit has sent nothing. If it dies after the commit, the next operation does the rest. A thread has a file of its own only
 * once somebody says more of it than its first message does. SPEC.md, "How a message is delivered".
 */

import { act, type Deed } from "../../core/act.ts";
import { asLine } from "../../core/format/hidden.ts";
import {
  dayOf,
  encodeTime,
  type MessageLocation,
  messageId,
  NUMBER_MOST,
  sealedToken,
  THREAD_RANDOM,
  type ThreadLocation,
  TOKEN_RANDOM,
  threadId,
  withId,
} from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { HUMAN } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { thisThread } from "../../store/process.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { flushFolders, type Store } from "../../store/root.ts";
import { growFolder, makeFolder } from "../../store/write/make-folder.ts";
import { removeEmptyFolder, removeFile } from "../../store/write/move-file.ts";
import { linkFile } from "../../store/write/publish.ts";
import { stage } from "../../store/write/write-aside.ts";
import { BY_AGENT } from "../../trust/nouns/origin.ts";
import { hosts, removals } from "../asks.ts";
import { formatUnnamed, keyInThread, type Message, messagePath, threadFolder } from "../nouns/message.ts";
import { inboxNew } from "../nouns/part.ts";
import { complete, completeOwn } from "./complete-post.ts";
import { type IdempotencyScope, type Reserved, reserve } from "./idempotency.ts";
import { makeInbox } from "./inbox-files.ts";
import { positionsAmong, requireMembers } from "./members.ts";
import { readMessage } from "./read-message.ts";

/** The mode of a message: no tool changes it in place. Windows removes no file of that mode. */
const READ_ONLY = process.platform === "win32" ? undefined : 0o444;
/** Where a message lies whole before its commit. */
export const PENDING = "local/pending";

/** A new thread's key; the day is the sender's, in UTC. */
export const newThread = (world: World): ThreadLocation => ({ day: dayOf(world.now()), random: world.random(THREAD_RANDOM) });

/** Writers that want the same name meet only in one number and millisecond; so many tries are never needed. */
const ROUNDS = 16;

/** What makes a send happen once, however often it is tried. */
export interface IdempotencyKey {
  scope: IdempotencyScope;
  key: string;
}

/**
 * Writes a message, commits it to its thread, and puts it into every inbox.
 * @param thread the thread; it need not exist yet
 * @param idempotency the idempotency key that reserves the message
 * @param highest the highest number in the thread, where it was seen just now
 * @returns the message as it lies on disk: an earlier one, when the key was used already
 */
export function post(world: World, thread: ThreadLocation, draft: Draft, idempotency?: IdempotencyKey, highest?: number): Message {
  for (let round = 0; round < ROUNDS; round += 1) {
    const letter = composeLetter(world, thread, draft, undefined, round === 0 ? highest : undefined);
    if (idempotency !== undefined) return postReserved(world, reserve(world, idempotency.scope, idempotency.key, letter), draft);
    if (commit(world, letter)) return letter.message;
  }
  throw refuse("busy", { path: threadFolder(thread) });
}

/** Commits what a key reserved, as it was finished then. @param draft what it says, where the key holds only an id */
function postReserved(world: World, { key, letter }: Reserved, draft: Draft): Message {
  // A person took it out; a retry is no new message.
  if (removals().isForgottenHere(world, messageId(key))) throw refuse("unknown_message", { given: [messageId(key)] });
  for (let round = 0; round < ROUNDS; round += 1) {
    if (exists(world.home().store, messagePath(key))) return alreadyPosted(world, key);
    const finished = letter ?? composeLetter(world, key, draft, key);
    if (commit(world, finished)) return finished.message;
  }
  throw refuse("busy", { path: threadFolder(key) });
}

/**
 * Finishes a send that was begun under an idempotency key: with the text of then, whatever is given now.
 * @throws Refusal `unknown_part` where a recipient is nobody any more
 */
export function finishReserved(world: World, reserved: Reserved & { letter: Letter }): Message {
  requireMembers(world, reserved.letter.message.to);
  return postReserved(world, reserved, reserved.letter.message);
}

function alreadyPosted(world: World, location: MessageLocation): Message {
  const { store } = world.home();
  const message = readMessage(store, location, messagePath(location), []);
  if (message === null)
    throw refuse("malformed_file", { path: messagePath(location), problem: "a message was written here, and cannot be read now" });
  complete(world, message, location, messagePath(location));
  return message;
}

/**
 * Two flushes, then an answer, and a third one while it is given. The first takes the whole message and the name of its intent to the
 * disk. Only then come the names in the thread and in the inboxes, in any order for all that a disk knows. The second takes one of them, by
 * which the intent is known to be committed, and the third all others: whichever of them a loss of power leaves, the next look makes the
 * others of the intent.
 * @returns false when somebody else took the name, or the intent; nothing was written then.
 */
function commit(world: World, { key, message, text }: Letter): boolean {
  const { store, config } = world.home();
  const { inTree } = config();
  // An inbox that cannot take the message is found out before it is sent to anybody.
  for (const part of message.to) {
    if (inTree) makeInbox(store, part, inTree);
    else makeFolder(store, inboxNew(part));
  }
  // By thread, not by process: two that write the same bytes in one millisecond want the same name, and each needs an intent.
  const pending = `${PENDING}/${thisThread()}.${message.id}.md`;
  flushFolders(store, stage(store, pending, text, READ_ONLY));
  const { id, from, to, thread, subject } = message;
  const deed: Deed = {
    paths: [messagePath(key)],
    isNotedFirst: positionsAmong(world, [from, ...to]).length > 0,
    message: id,
    event: { type: "message:sent", part: from, messageId: id, threadId: thread, to, subject },
  };
  const decide = (): readonly string[] | null => {
    const grown = growFolder(store, threadFolder(key));
    return linkFile(store, pending, messagePath(key)) === "created" ? grown : null;
  };
  try {
    if (act(world, deed, decide, (grown) => completeOwn(world, message, key, pending, grown)) !== null) return true;
  } catch (error) {
    withdraw(store, pending, key);
    throw error;
  }
  withdraw(store, pending, key);
  return false;
}

function withdraw(store: Store, pending: string, location: MessageLocation): void {
  try {
    removeFile(store, pending);
    removeEmptyFolder(store, threadFolder(location));
  } catch {
    // The next operation withdraws it: it is not in its thread, so it was never sent.
  }
}

/** What a message says; its id, number and time are given when it is written. */
export type Draft = Omit<Message, "id" | "thread" | "n" | "at">;

/** A finished message: its name, what it says, and its file. */
export interface Letter {
  key: MessageLocation;
  message: Message;
  text: string;
}

/** Tells whether an agent calls: over a connection that lasts, or from a shell with the variables that hosts set. */
export const isByAgent = ({ connection, env, person }: World): boolean =>
  person !== true && (connection.lasting || hosts().marks.some((name) => (env[name] ?? "") !== ""));

/** A token of dice, of an event. */
export const diceToken = (world: World): string => encodeTime(world.now()) + world.random(TOKEN_RANDOM);

/**
 * Writes a message as the next one of a thread, which need not exist yet.
 * @param location the message's key, where it was given to it before
 * @param highest as `post` takes it
 * @throws Refusal `thread_full`; `file_full` for one that no reader would take
 */
export function composeLetter(world: World, thread: ThreadLocation, draft: Draft, location?: MessageLocation, highest?: number): Letter {
  const n = location?.n ?? nextNumber(thread, highest ?? highestIn(world, thread));
  const ms = world.now();
  const typed = draft.from === HUMAN && isByAgent(world) ? { metadata: { ...draft.metadata, ...BY_AGENT } } : {};
  const said = {
    ...draft,
    ...typed,
    subject: asLine(draft.subject, LIMITS.subject),
    thread: threadId(thread),
    n,
    at: new Date(ms).toISOString(),
  };
  const unnamed = formatUnnamed(said);
  const name = location ?? { ...thread, n, token: sealedToken(unnamed, ms, sha256) };
  const id = messageId(name);
  const text = withId(unnamed, id);
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.messageBytes) throw refuse("file_full", { path: `message ${id}`, bytes, most: LIMITS.messageBytes });
  return { key: name, message: { id, ...said }, text };
}

/** The highest number in a thread; 0 of one that is not there. */
const highestIn = (world: World, thread: ThreadLocation): number =>
  names(world.home().store, threadFolder(thread)).reduce((most, name) => Math.max(most, keyInThread(thread, name)?.n ?? 0), 0);

/** One more than the highest number in the thread. @throws Refusal `thread_full` */
function nextNumber(thread: ThreadLocation, highest: number): number {
  // A number that no reader takes would be a message that nobody finds.
  if (highest >= NUMBER_MOST) throw refuse("thread_full", { threadId: threadId(thread), number: highest });
  return highest + 1;
}
