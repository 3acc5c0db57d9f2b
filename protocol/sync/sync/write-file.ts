/** Writing one recorded file into the home: mail as a second name of its message, a text that changed here too merged with what came. spec/git.md, "Syncing". */
import { acted } from "../../core/act.ts";
import { GUIDE_PATH } from "../../core/config/config-nouns.ts";
import { append } from "../../core/format/append.ts";
import { FileError, orElse } from "../../core/format/file-error.ts";
import { messageId, parseMessageId, sealProblem } from "../../core/format/id.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import type { FileFault } from "../../core/refusal.ts";
import { RELAY_MD } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { noteMissedArrival } from "../../mail/files/arrivals.ts";
import { isAcked } from "../../mail/files/inbox-files.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { locateMessage, messagePath } from "../../mail/nouns/message.ts";
import { unreadPath } from "../../mail/nouns/part.ts";
import { sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { bytesAt } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeEmptyFolder, removeFile } from "../../store/write/move-file.ts";
import { linkFile, place, publish } from "../../store/write/publish.ts";
import { removeIf } from "../../store/write/remove-if.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { keptPath, newlyGaveWay, planMerge } from "../nouns/merge.ts";

/** Files that change are small; this only keeps a mistake from filling the memory. */
const ANY_BYTES = 64 * 1_048_576;

/** One change with its contents. */
interface IncomingChange {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
}

/** So many messages that came are named. */
export const NAMED_MAIL = 10;

/** What was checked out. */
export interface Arrived {
  messages: number;
  /** The last few of those messages, by their ids. */
  mail: string[];
  files: number;
  /** How many of what came, or changed. */
  things: Map<string, number>;
  /** What a merge decided against: a line of a history, a section that is there twice, a file that is kept beside. */
  gaveWay: string[];
  /** What was done to what was here, a sentence each: acks, claims, threads, sessions, parts, texts. */
  did: string[];
  /** The commits that did something to a part that lives here. */
  toUndo: string[];
  /** Paths outside of the layout, which stay in the branch. */
  strangers: string[];
  /** Places of the layout that were not checked out, and why. */
  skipped: FileFault[];
  /** Paths that the next call checks out. */
  later: string[];
  /** Messages with another text than their names say: checked out, and never shown as mail. */
  unfit: FileFault[];
}

/** Writes or removes one file as another clone did, and counts it. @throws FileError, Refusal `outside_home`; the errors of the disk */
export async function writeOne(world: World, change: IncomingChange, arrived: Arrived): Promise<void> {
  const store = { ...world.home().store, durable: false };
  const { path, after } = change;
  const mail = locateInInbox(path);
  if (path === GUIDE_PATH) {
    if (after !== null) publish(store, path, RELAY_MD);
    return;
  }
  if (after === null) {
    if (takeAway(store, change) && mail !== null && isAcked(store, mail.part, mail.message))
      acted(world, { event: { type: "message:acked", part: mail.part, messageIds: [mail.message] } });
    return;
  }
  if (mail !== null) {
    linkMail(store, change, after);
    return;
  }
  append(arrived.gaveWay, newlyGaveWay(path, change.before?.toString("utf8") ?? null, after.toString("utf8")));
  const created = !exists(store, path) && publish(store, path, after) === "created";
  if (!created) await mergeInto(store, change, after);
  arrived.files += 1;
  const location = locateMessage(path);
  if (location === null) return;
  const problem = sealProblem(after.toString("utf8"), location, sha256);
  if (problem !== null) {
    arrived.unfit.push({ path, problem: `${problem}, so it is not mail` });
    return;
  }
  const id = messageId(location);
  // One that was here before has its number; that it is here again, its thread's readers must hear.
  if (!created) return noteMissedArrival(world, id);
  arrived.messages += 1;
  arrived.mail = [...arrived.mail, id].slice(-NAMED_MAIL);
  acted(world, { message: id, event: eventOf(id, after) });
}

/** The event that tells viewers of a message, as its sender would have. */
function eventOf(id: string, bytes: Buffer) {
  const text = bytes.toString("utf8");
  const field = (name: string): unknown => orElse(null, () => JSON.parse(new RegExp(`^${name}: (.+)$`, "m").exec(text)?.[1] ?? "null"));
  const from = field("from");
  return {
    type: "message:sent",
    part: typeof from === "string" ? from : null,
    messageId: id,
    threadId: field("thread"),
    to: field("to") ?? [],
    subject: field("subject"),
    arrived: true,
  };
}

/** A name in an inbox: a hard link of the message where that is the same, never unread again once it is acked. */
function linkMail(store: Store, { path, before }: IncomingChange, content: Buffer): void {
  const mail = locateInInbox(path);
  if (mail === null || (mail.unread && isAcked(store, mail.part, mail.message))) return;
  const location = parseMessageId(mail.message);
  const source = location === null ? null : messagePath(location);
  const same = source !== null && contentAt(store, source)?.equals(content) === true;
  const there = contentAt(store, path);
  const isForged = before !== null && there?.equals(before) === true && !before.equals(content);
  if (isTorn(there, content) || isForged) removeFile(store, path);
  if (!same || linkFile(store, source as string, path) === "missing") publish(store, path, content);
  // An ack may have come in between; then both names are there, which means acked.
  const unread = unreadPath(mail.part, mail.message);
  if (!mail.unread || isAcked(store, mail.part, mail.message)) removeFile(store, unread);
}

/** The bytes of a plain file; null of anything else. */
const contentAt = (store: Store, path: string): Buffer | null => bytesAt(store, path, ANY_BYTES);

/** Removes a file that another clone said is gone, if it is still what that clone knew. @returns whether it was there */
function takeAway(store: Store, { path, before }: IncomingChange): boolean {
  const mail = locateInInbox(path);
  const isOver = mail?.unread === true && isAcked(store, mail.part, mail.message);
  const removed = isOver ? removeFile(store, path) : before !== null && removeIf(store, path, ANY_BYTES, (there) => there.equals(before));
  if (!removed) return false;
  // Git knows no empty folders: a session or thread that another clone deleted leaves none either.
  if (mail === null) for (let at = dirname(path); at !== ""; at = dirname(at)) removeEmptyFolder(store, at);
  return true;
}

/** The folder of a path in the home; empty for one in the home itself. */
export const dirname = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Whether a file is what a loss of power left of a content that was not flushed. */
function isTorn(there: Buffer | null, whole: Buffer): boolean {
  if (there === null || there.length > whole.length || there.equals(whole)) return false;
  return there.equals(whole.subarray(0, there.length)) || there.every((byte) => byte === 0);
}

/** Replaces a file; what somebody wrote there since it was recorded is merged with what came. */
async function mergeInto(store: Store, { path, before }: IncomingChange, after: Buffer): Promise<void> {
  const there = contentAt(store, path);
  if (there === null && exists(store, path)) throw new FileError(`expected a plain file of at most ${ANY_BYTES} bytes`, undefined, path);
  if (before === null && isTorn(there, after)) {
    place(store, path, after);
    return;
  }
  const [was, is] = [before, after].map((bytes) => (bytes === null ? "" : bytes.toString("utf8"))) as [string, string];
  if ([after, there].some((bytes) => bytes !== null && textOf(bytes) === null)) {
    // Bytes that are no text are merged with nothing: what is here and was never recorded lies beside.
    if (there?.equals(after) === true) return;
    if (there !== null && before?.equals(there) !== true) publish(store, keptPath(path, sha256(there)), there);
    place(store, path, after);
    return;
  }
  const beside = new Map<string, string>();
  await replaceFile(store, path, ANY_BYTES, (content) => {
    beside.clear();
    if (content === null || content === was) return is;
    return content === is ? null : joined(path, { was: before === null ? null : was, content, is }, beside);
  });
  for (const [other, text] of beside) publish(store, other, text);
}

/** One file's three-way merge. What gives way is put into `beside`. */
function joined(
  path: string,
  { was, content, is }: { was: string | null; content: string; is: string },
  beside: Map<string, string>,
): string {
  const texts = new Map([content, is, ...(was === null ? [] : [was])].map((text) => [sha256(text), text]));
  const tree = (text: string | null): Map<string, string> => new Map(text === null ? [] : [[path, sha256(text)]]);
  const outcomes = planMerge(tree(was), tree(content), tree(is)).run((id) => texts.get(id) ?? "");
  let result = content;
  for (const [at, outcome] of outcomes) {
    const text = "take" in outcome ? (texts.get(outcome.take) ?? "") : "content" in outcome ? outcome.content : null;
    if (text === null) continue;
    if (at === path) result = text;
    else beside.set(at, text);
  }
  return result;
}
