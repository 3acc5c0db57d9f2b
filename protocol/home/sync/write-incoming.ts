/**
 * Laying recorded files out in the home: each whole, one by one, mail as second names of its message, so that whoever
 * watches sees what comes as it sees local mail. What is on the disk is never overwritten unseen. spec/git.md, "Syncing".
 */

import { CONFIG_PATH } from "../../objects/config/config.ts";
import { GUIDE_PATH } from "../../objects/config/nouns.ts";
import { append } from "../../objects/format/append.ts";
import { messageId, parseMessageId } from "../../objects/format/id.ts";
import { mergePlan, mergeTrees } from "../../objects/merge/merge.ts";
import { locateInInbox } from "../../objects/merge/merge-absent.ts";
import { newlyGaveWay } from "../../objects/merge/merge-losses.ts";
import { locateMessage, messagePath } from "../../objects/message/message.ts";
import { sealProblem } from "../../objects/message/seal.ts";
import { unreadPath } from "../../objects/part/part.ts";
import { countThings, type Noun } from "../../objects/tree/record.ts";
import { type FileFault, Refusal } from "../../refusal.ts";
import { sha256 } from "../../store/digest.ts";
import { flushFiles, linkFile, place, publish, removeEmptyFolder, removeFile } from "../../store/files.ts";
import { type Change, readAll } from "../../store/git/git-objects.ts";
import type { Repository } from "../../store/git/git-run.ts";
import { ContentError, exists, facts, readText } from "../../store/read.ts";
import { replaceFile } from "../../store/replace.ts";
import { errorCode, type Store } from "../../store/root.ts";
import { RELAY_MD } from "../../templates.ts";
import type { World } from "../../world.ts";
import { acceptedFiles } from "../accepted.ts";
import { noteMissedArrival } from "../arrivals.ts";
import { tell } from "../feed.ts";
import { type Admitted, admit } from "../guard/admit-files.ts";
import { isForgottenHere, keepForgotten } from "../message/forget-message.ts";
import { isAcked } from "../part/inbox.ts";

/** Files that change are small; this only keeps a mistake from filling the memory. */
const ANY_BYTES = 64 * 1_048_576;

/** One change with its contents. */
interface IncomingChange {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
}

/** What was laid out. */
export interface Arrived {
  messages: number;
  files: number;
  /** How many of what came, or changed. */
  things: Map<Noun, number>;
  /** What a merge decided against: a line of a history, a section that is there twice, a file that is kept beside. */
  gaveWay: string[];
  /** What was done to what was here, a sentence each: acks, claims, threads, sessions, parts, texts. */
  did: string[];
  /** Paths outside of the layout, which stay in the branch. */
  strangers: string[];
  /** Places of the layout that were not laid out, and why. */
  skipped: FileFault[];
  /** Paths that the next call lays out. */
  later: string[];
  /** Messages with another text than their names say: laid out, and never shown as mail. */
  unfit: FileFault[];
}

/**
 * The order: what others need first (parts before mail, messages before their names in inboxes), what goes away last.
 * Messages come in the order of their tokens, so every clone that gets them at once numbers them alike.
 */
function orderOf({ path, after }: Change): string {
  if (after === null) return `9 ${path}`;
  const key = locateMessage(path) ?? locateInInbox(path)?.key ?? null;
  const mail = locateInInbox(path);
  if (key !== null && mail?.unread !== false) return `3 ${key.token} ${mail === null ? 0 : 1} ${path}`;
  if (mail !== null) return `4 ${path}`;
  if (path.endsWith("/thread.md")) return `5 ${path}`;
  return path === CONFIG_PATH ? "1" : `2 ${path}`;
}

/** Changes in the order in which they are laid out. */
function inOrder(changes: readonly Change[]): Change[] {
  return changes
    .map((change) => ({ change, order: orderOf(change) }))
    .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
    .map(({ change }) => change);
}

/** Files, and bytes of their contents, that are read at a time. */
const BATCH = { files: 1_000, bytes: 8_388_608 };
/** New files that one call lays out; what is left is for the next. */
const FILES_A_CALL = 50_000;

/** What is laid out together; a content larger than a batch is one by itself. */
function* batches(lay: Admitted["lay"]): Generator<Change[]> {
  let batch: Change[] = [];
  let held = 0;
  for (const { change, bytes } of lay) {
    if (batch.length > 0 && (batch.length >= BATCH.files || held + bytes > BATCH.bytes)) {
      yield batch;
      [batch, held] = [[], 0];
    }
    batch.push(change);
    held += bytes;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Puts changes into the home, those that may be there. Doing it twice changes nothing. They are flushed together at the
 * end, because whoever calls remembers on the disk what is being laid out, and a file that a loss of power left torn is
 * laid out again. A file that cannot be laid out is named and left, and the others are.
 * @param most new files at the most
 * @param members parts whose files stand before those that differ from them in case, of a home that has no relay.yml yet
 */
export async function writeIncoming(
  world: World,
  repository: Repository,
  changes: readonly Change[],
  most = FILES_A_CALL,
  members: readonly string[] = [],
): Promise<Arrived> {
  const { store } = world.home();
  const accepted = acceptedFiles(world);
  // A mode alone is never laid out.
  const differing = changes.filter(({ before, after }) => before !== after);
  const { lay, strangers, skipped, later } = await admit(store, repository, inOrder(differing), accepted, most, members);
  const things = countThings(lay.flatMap(({ change }) => (change.after === null ? [] : [change])));
  const arrived: Arrived = { messages: 0, files: 0, things, gaveWay: [], did: [], strangers, skipped, later, unfit: [] };
  let done = 0;
  for (const batch of batches(lay)) {
    const ids = [...new Set(batch.flatMap(({ before, after }) => [before, after]).filter((id) => id !== null))];
    const contents = await readAll(repository, ids);
    const bytesOf = (id: string | null): Buffer | null => (id === null ? null : (contents.get(id) as Buffer));
    world.progress?.(`laying out ${done} of ${lay.length}`);
    for (const { path, before, after } of batch) {
      const laid = { path, before: bytesOf(before), after: bytesOf(after) };
      const seal = accepted.get(path);
      if (laid.after !== null && seal !== undefined && sha256(laid.after) !== seal) strangers.push(path);
      else await unlessOdd(path, skipped, () => writeOne(world, laid, arrived));
    }
    // A name in an inbox is its message once more.
    const files = batch.flatMap(({ path }) => (locateInInbox(path) === null ? [path] : []));
    const folders = batch.map(({ path }) => dirname(path) || ".");
    await flushFiles(store, files, folders);
    done += batch.length;
  }
  return arrived;
}

/** What the place of one file can give, such as a folder that stands there; what the disk itself gives concerns all. */
const OF_ONE = ["ENAMETOOLONG", "EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY", "ELOOP", "EINVAL", "EILSEQ", "EPERM", "EACCES"];

async function unlessOdd(path: string, skipped: FileFault[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const isOdd = error instanceof ContentError || (error instanceof Refusal && error.code === "outside_home");
    if (!isOdd && !OF_ONE.includes(errorCode(error) ?? "")) throw error;
    skipped.push({ path, problem: `it cannot be laid out here (${(error as Error).message}), so it stays in the branch` });
  }
}

async function writeOne(world: World, laid: IncomingChange, arrived: Arrived): Promise<void> {
  const store = { ...world.home().store, durable: false };
  const { path, after } = laid;
  const mail = locateInInbox(path);
  if (path === GUIDE_PATH) {
    if (after !== null) publish(store, path, RELAY_MD);
    return;
  }
  if (after === null) {
    const key = mail === null ? locateMessage(path) : null;
    if (key !== null && laid.before !== null && isForgottenHere(store, messageId(key))) keepForgotten(store, messageId(key), laid.before);
    if (takeAway(store, laid) && mail !== null && isAcked(store, mail.part, mail.message))
      tell(world, { type: "message:acked", part: mail.part, messageIds: [mail.message] });
    return;
  }
  if (mail !== null) {
    linkMail(store, laid, after);
    return;
  }
  append(arrived.gaveWay, newlyGaveWay(path, laid.before?.toString("utf8") ?? null, after.toString("utf8")));
  const created = !exists(store, path) && publish(store, path, after) === "created";
  if (!created) await mergeInto(store, laid, after);
  arrived.files += 1;
  const key = locateMessage(path);
  if (key === null) return;
  const problem = sealProblem(after.toString("utf8"), key, sha256);
  if (problem !== null) {
    arrived.unfit.push({ path, problem: `${problem}, so it is not mail` });
    oneLess(arrived.things, "message");
    return;
  }
  const id = messageId(key);
  noteMissedArrival(world, id);
  if (created) {
    arrived.messages += 1;
    announce(world, id, after);
  }
}

function oneLess(things: Map<Noun, number>, noun: Noun): void {
  const left = (things.get(noun) ?? 0) - 1;
  if (left > 0) things.set(noun, left);
  else things.delete(noun);
}

/** Tells viewers of a message as its sender would have. */
function announce(world: World, id: string, bytes: Buffer): void {
  const text = bytes.toString("utf8");
  const field = (name: string): unknown => {
    try {
      return JSON.parse(new RegExp(`^${name}: (.+)$`, "m").exec(text)?.[1] ?? "null");
    } catch {
      return null;
    }
  };
  const from = field("from");
  tell(world, {
    type: "message:sent",
    part: typeof from === "string" ? from : null,
    messageId: id,
    threadId: field("thread"),
    to: field("to") ?? [],
    subject: field("subject"),
    arrived: true,
  });
}

/** A name in an inbox: a hard link of the message where that is the same, never unread again once it is acked. */
function linkMail(store: Store, { path, before }: IncomingChange, content: Buffer): void {
  const mail = locateInInbox(path);
  if (mail === null || (mail.unread && isAcked(store, mail.part, mail.message))) return;
  const key = parseMessageId(mail.message);
  const source = key === null ? null : messagePath(key);
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
function contentAt(store: Store, path: string): Buffer | null {
  if (facts(store, path)?.kind !== "file") return null;
  try {
    const text = readText(store, path, ANY_BYTES);
    return text === null ? null : Buffer.from(text);
  } catch {
    return null;
  }
}

/** Removes a file that another clone said is gone, if it is still what that clone knew. @returns whether it was there */
function takeAway(store: Store, { path, before }: IncomingChange): boolean {
  const mail = locateInInbox(path);
  if (mail?.unread !== true || !isAcked(store, mail.part, mail.message)) {
    const there = contentAt(store, path);
    if (there === null || before === null || !there.equals(before)) return false;
  }
  const removed = removeFile(store, path);
  // Git knows no empty folders: a session or thread that another clone deleted leaves none either.
  if (mail === null) for (let at = dirname(path); at !== ""; at = dirname(at)) removeEmptyFolder(store, at);
  return removed;
}

const dirname = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Whether a file is what a loss of power left of a content that was not flushed. */
function isTorn(there: Buffer | null, whole: Buffer): boolean {
  if (there === null || there.length > whole.length || there.equals(whole)) return false;
  return there.equals(whole.subarray(0, there.length)) || there.every((byte) => byte === 0);
}

/** Replaces a file; what somebody wrote there since it was recorded is merged with what came. */
async function mergeInto(store: Store, { path, before }: IncomingChange, after: Buffer): Promise<void> {
  if (before === null && isTorn(contentAt(store, path), after)) {
    place(store, path, after);
    return;
  }
  const [was, is] = [before, after].map((bytes) => (bytes === null ? "" : bytes.toString("utf8"))) as [string, string];
  if (!Buffer.from(is).equals(after)) {
    const there = contentAt(store, path);
    if (there?.equals(after) !== true) place(store, path, after);
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
  const sides = [tree(was), tree(content), tree(is)] as const;
  mergePlan(...sides);
  let result = content;
  for (const [at, outcome] of mergeTrees(...sides, (id) => texts.get(id) ?? "")) {
    const text = "take" in outcome ? (texts.get(outcome.take) ?? "") : "content" in outcome ? outcome.content : null;
    if (text === null) continue;
    if (at === path) result = text;
    else beside.set(at, text);
  }
  return result;
}
