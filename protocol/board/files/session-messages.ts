/** The messages of a session: a second view of threads and inboxes. spec/messages.md, "Messages of a session". */
import { decodeTime, type MessageLocation, parseMessageId, parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { arrivedAfter, noteMissedArrival } from "../../mail/files/arrivals.ts";
import { reservedBy } from "../../mail/files/idempotency.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { namesOf } from "../../mail/files/members.ts";
import { type IdempotencyKey, newThread, post } from "../../mail/files/post.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { resolveThread } from "../../mail/files/threads.ts";
import { type Message, messagePath, preview } from "../../mail/nouns/message.ts";
import { sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { publish } from "../../store/write/publish.ts";
import { labelPath, type Session } from "../nouns/session.ts";

const SUBJECT_LENGTH = 80;

/** What is sent in a session. */
export interface SessionMessage {
  from: string;
  /** Every recipient; `broadcast` says that it is for all, also for who joins later. */
  to: string[];
  broadcast: boolean;
  content: string;
  /** A thread's id, or a name under which the session will know one. */
  label?: string | undefined;
  subject?: string | undefined;
  metadata?: Record<string, string> | undefined;
  expectsReply?: false | undefined;
  /** Of what Relay itself says: the thread that it was given beforehand. */
  thread?: ThreadLocation | undefined;
}

/** Sends a message in a session. @param idempotency what makes it happen once, whoever tries: then in its own thread, or the given one */
export function postToSession(world: World, session: string, message: SessionMessage, idempotency?: IdempotencyKey): Message {
  const { from, to, content, metadata, expectsReply } = message;
  const { thread, label } =
    idempotency === undefined ? threadFor(world, session, message.label) : { thread: message.thread ?? newThread(world) };
  const subject = message.subject ?? label ?? (preview(content, SUBJECT_LENGTH) || "(no words)");
  const broadcast = message.broadcast || undefined;
  return post(world, thread, { from, to, subject, session, label, broadcast, metadata, expectsReply, body: content }, idempotency);
}

/** The owner of the keys of what Relay itself says in a session. */
export const ownerOf = (session: string): string => `sessions/${session}`;

/** Sends a message in a session that Relay itself has to say, once however often it is tried. @param idempotency what it is about */
export function postOnce(world: World, session: string, idempotency: { operation: string; key: string }, message: SessionMessage): void {
  const scope = { owner: ownerOf(session), operation: idempotency.operation };
  const reserved = reservedBy(world, scope, idempotency.key);
  if (reserved !== null && exists(world.home().store, messagePath(reserved.key))) return;
  postToSession(world, session, message, { scope, key: idempotency.key });
}

/** The thread that a name means: one that is there, the one that this session calls so, or a new one. */
function threadFor(world: World, session: string, given: string | undefined): { thread: ThreadLocation; label?: string | undefined } {
  if (given === undefined) return { thread: newThread(world) };
  const home = world.home();
  if (parseThreadId(given) !== null || parseMessageId(given) !== null) {
    try {
      return { thread: resolveThread(home, given), label: given };
    } catch {
      // No such thread: then it is a name like any other.
    }
  }
  const path = labelPath(session, sha256(given).slice(0, 24));
  const fresh = newThread(world);
  publish(home.store, path, `${threadId(fresh)}\n${given}\n`);
  const [id = ""] = (readText(home.store, path, FILE_BYTES.label) ?? "").split("\n");
  return { thread: parseThreadId(id) ?? fresh, label: given };
}

/** A message as the tools of a session show it. */
export interface Arrived {
  seq: number;
  message: Message;
}

/**
 * What arrived for an agent in a session after a number: messages to it, and broadcasts of others; those that it was sent
 * otherwise since the session began as well.
 * @param limit at the most so many
 */
export function sessionMessages(world: World, session: Session, agent: string, after: number, limit: number, faults: Faults): Arrived[] {
  const { store } = world.home();
  // What was laid into the inbox by other means than a send (a synced clone, a copy) has no number yet.
  for (const id of unreadIds(store, agent)) noteMissedArrival(world, id);
  const began = Date.parse(session.startedAt);
  const own = namesOf(world, agent);
  const found: Arrived[] = [];
  for (const { seq, id } of arrivedAfter(world, after, began - CLOCKS_APART_MS)) {
    const location = parseMessageId(id);
    if (location === null) continue;
    const message = readWanted(world, location, session, own, began, faults);
    if (message === null) continue;
    found.push({ seq, message });
    if (found.length >= limit) break;
  }
  return found;
}

function readWanted(
  world: World,
  location: MessageLocation,
  session: Session,
  own: readonly string[],
  began: number,
  faults: Faults,
): Message | null {
  // A message of the session is never older than it: a session that was opened again began before.
  if (decodeTime(location.token) < began - CLOCKS_APART_MS) return null;
  const message = readMessage(world.home().store, location, messagePath(location), faults);
  if (message === null) return null;
  if (message.session !== undefined && message.session !== session.id) return null;
  if (message.broadcast === true && message.session === session.id) return own.includes(message.from) ? null : message;
  if (!message.to.some((name) => own.includes(name))) return null;
  return message.session === session.id || decodeTime(location.token) >= began ? message : null;
}

/** Two machines' clocks may be so far apart without a message of the session being missed. */
const CLOCKS_APART_MS = 86_400_000;

/**
 * The threads in which was talked since a session began, oldest first, each by its subject and id: of the session, or of none. What Relay tells
 * of reviews and tasks is no talk.
 */
export function sessionThreads(world: World, session: Session): { thread: string; isDecision: boolean }[] {
  const threads = new Map<string, { subject: string; isDecision: boolean }>();
  const from = Date.parse(session.startedAt) - CLOCKS_APART_MS;
  for (const { id } of arrivedAfter(world, 0, from)) {
    const location = parseMessageId(id);
    if (location === null || decodeTime(location.token) < from || threads.has(threadId(location))) continue;
    const message = readMessage(world.home().store, location, messagePath(location), []);
    if (message === null || isNotice(message) || ![session.id, undefined].includes(message.session)) continue;
    threads.set(message.thread, { subject: message.subject, isDecision: message.tags?.includes("decision") === true });
  }
  return [...threads].map(([id, { subject, isDecision }]) => ({ thread: `${subject} (${id})`, isDecision }));
}

/** Whether a message is what Relay tells of a review or a task. */
const isNotice = ({ metadata, subject }: Message): boolean =>
  metadata?.["review_id"] !== undefined || (metadata?.["task_id"] !== undefined && /^(Yours|Yours to claim|Ready): /.test(subject));
