/**
 * Archiving a thread, and bringing it back. The archive is published first, then the files go: a process that dies in between
 * leaves both, and the next operation finishes it. spec/removal.md, "Archive".
 */

import { posix } from "node:path";
import { acted } from "../../core/act.ts";
import { orElse } from "../../core/format/file-error.ts";
import { parseMessageId, parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { faultOf } from "../../core/home/broken-files.ts";
import { commitThenFinish } from "../../core/home/commit-then-finish.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { readIds } from "../../mail/files/inbox-files.ts";
import { inboxFolders } from "../../mail/files/members.ts";
import { isClosedText } from "../../mail/nouns/merge-thread.ts";
import { messagePath, threadFolder } from "../../mail/nouns/message.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { threadPath } from "../../mail/nouns/thread.ts";
import { sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { flushFolders, type Store } from "../../store/root.ts";
import { removeEmptyFolder, removeFile } from "../../store/write/move-file.ts";
import { linkFile, publish } from "../../store/write/publish.ts";
import { clearRevisionsOfRemoved, waitedIn } from "../../store/write/replace.ts";
import { noteBrought, originsOf } from "../../trust/files/note-origins.ts";
import { ARCHIVES_MOST, archivePath, archivesOf, formatArchive, threadOfArchived } from "../nouns/archive.ts";
import { archivedFiles, archivesAt, isIntact, unreadByThread } from "./archives.ts";
import { forgottenOf } from "./forget-message.ts";

/**
 * Archives a closed thread.
 * @returns the archive's path; null where somebody wrote to the thread meanwhile, so that it is back
 * @throws Refusal `thread_not_closed`, `thread_unread`, `not_archivable`
 */
export async function archiveThread(world: World, location: ThreadLocation): Promise<string | null> {
  const { store } = world.home();
  const id = threadId(location);
  const unread = unreadByThread(store).get(id);
  if (unread !== undefined) throw refuse("thread_unread", { threadId: id, parts: [...unread].sort() });
  const files = textsOf(world, location);
  if (!isClosedText(location, files.get(threadPath(location)) ?? null)) throw refuse("thread_not_closed", { threadId: id });
  const text = formatArchive(location, files, sha256);
  const bytes = Buffer.byteLength(text);
  if (bytes > FILE_BYTES.archive)
    throw refuse("not_archivable", {
      threadId: id,
      path: threadFolder(location),
      problem: `its archive would have ${bytes} bytes; at most ${FILE_BYTES.archive} are allowed`,
    });
  let path = "";
  const isDone = await commitThenFinish(
    world,
    ["archive", id],
    () => {
      path = publishArchive(store, location, text);
      acted(world, { paths: [path] });
      return true;
    },
    () => {
      if (!finishArchiving(world, id)) path = "";
    },
  );
  return isDone === null || path === "" ? null : path;
}

/** Publishes an archive under the first number that is free, or that has these very bytes. */
function publishArchive(store: Store, location: ThreadLocation, text: string): string {
  const last = archivesOf(location, (at) => exists(store, at)).length;
  for (let number = Math.max(1, last); number <= ARCHIVES_MOST; number += 1) {
    const path = archivePath(location, number);
    if (publish(store, path, text) === "created" || isText(store, path, text)) return path;
  }
  throw refuse("not_archivable", {
    threadId: threadId(location),
    path: archivePath(location),
    problem: `it has ${ARCHIVES_MOST} archives`,
  });
}

const isText = (store: Store, path: string, text: string): boolean =>
  orElse(false, () => readText(store, path, FILE_BYTES.archive) === text);

/** Where acks of a thread's messages lie. */
function acksOf(store: Store, location: ThreadLocation): string[] {
  return inboxFolders(store).flatMap((part) =>
    readIds(store, part, location.day).flatMap((id) => {
      const of = parseMessageId(id);
      return of !== null && of.random === location.random ? [readPath(part, id, location.day)] : [];
    }),
  );
}

/** What a thread's archive is made of: path → text. @throws Refusal `not_archivable` where one is no text, or no file of a thread */
function textsOf(world: World, location: ThreadLocation): Map<string, string> {
  const { store } = world.home();
  const files = new Map<string, string>();
  const fail = (path: string, problem: string): Error => refuse("not_archivable", { threadId: threadId(location), path, problem });
  const folder = threadFolder(location);
  const forgotten = forgottenOf(world, location);
  if (forgotten !== null) throw fail(folder, `${forgotten} was forgotten here, and other clones may have it`);
  for (const path of [...names(store, folder).map((name) => `${folder}/${name}`), ...acksOf(store, location)]) {
    if (threadOfArchived(path) === null) throw fail(path, "it is not a file of a thread");
    let text: string | null;
    try {
      text = readText(store, path, FILE_BYTES.archive);
    } catch (error) {
      throw fail(path, faultOf(error, path).problem);
    }
    // Nothing with another text than its name says is brought back, so such a file would be lost here.
    if (text !== null && !isIntact(path, text)) throw fail(path, "its text does not match its name");
    if (text !== null) files.set(path, text);
  }
  return files;
}

/**
 * Removes the files of a thread that its archives hold. Where the thread was opened, or written to, since, it is brought back.
 * @returns whether the thread is archived now
 */
export function finishArchiving(world: World, id: string): boolean {
  const { store } = world.home();
  const location = parseThreadId(id);
  if (location === null) return false;
  const archives = archivesAt(store, location, []);
  if (archives.length === 0) return false;
  const isHeld = (path: string): boolean => {
    const text = readText(store, path, FILE_BYTES.archive);
    return text === null || archives.some((files) => files.get(path) === text);
  };
  const here = readText(store, threadPath(location), FILE_BYTES.thread);
  const folder = threadFolder(location);
  const inFolder = names(store, folder).map((name) => `${folder}/${name}`);
  const acks = acksOf(store, location);
  const isOver = (here === null || isClosedText(location, here)) && !unreadByThread(store).has(id) && [...inFolder, ...acks].every(isHeld);
  const flush = (folders: readonly string[]): void =>
    flushFolders(
      store,
      folders.filter((at) => exists(store, at)),
    );
  // An ack does not flush that the unread name went, because the name that goes now says it.
  // Where a loss of power brought that name back, it goes again before what says that it was acked.
  if (isOver) for (const path of acks) removeFile(store, path.replace(/\/read\/[^/]+\//, "/new/"));
  if (isOver) flush([...acks.map((path) => path.replace(/\/read\/[^/]+\/[^/]+$/, "/new")), ...waitedIn(store, threadPath(location))]);
  if (isOver) for (const path of [...inFolder, ...acks]) if (isHeld(path)) removeFile(store, path);
  removeEmptyFolder(store, folder);
  if (isOver) flush([folder, posix.dirname(folder), ...acks.map((path) => posix.dirname(path))]);
  if (isOver && names(store, folder).length === 0) {
    clearRevisionsOfRemoved(store, threadPath(location));
    return true;
  }
  unarchiveThread(world, location);
  return false;
}

/** Puts the files of a thread's archives back where they were; what is there stays as it is. @returns how many are back */
export function unarchiveThread(world: World, location: ThreadLocation): number {
  const { store } = world.home();
  const back: string[] = [];
  const files = archivedFiles(store, location, []);
  // The thread's own file comes last, as in a thread that a sync brings; acks are second names of their messages.
  for (const [path, text] of [...files].sort(([a], [b]) => orderBack(a) - orderBack(b))) {
    const message = path.startsWith("inbox/") ? parseMessageId(path.slice(path.lastIndexOf("/") + 1, -3)) : null;
    const source = message === null ? null : messagePath(message);
    const isSame = source !== null && files.get(source) === text && readText(store, source, FILE_BYTES.archive) === text;
    const made = isSame ? linkFile(store, source, path) : publish(store, path, text);
    if (made === "created") back.push(path);
  }
  const foreign = archivesOf(location, (path) => exists(store, path))
    .map(originsOf(world))
    .find(({ from }) => from !== "here");
  if (foreign === undefined) acted(world, { paths: back });
  // What lay in an archive that came is as little written here as the archive.
  else if (foreign.from === "sync") {
    const { commit } = foreign;
    noteBrought(
      world,
      back.map((path) => ({ path, commit })),
    );
  }
  return back.length;
}

const orderBack = (path: string): number => (path.endsWith("/thread.md") ? 2 : path.startsWith("inbox/") ? 1 : 0);
