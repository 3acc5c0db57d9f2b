/**
 * Threads whose files one tree has no more because they lie in an archive. Whoever follows that believes only what it can
 * prove: the thread is closed here too, nothing of it is unread here, and the archive has the very bytes. spec/removal.md, "Archive".
 */

import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { orElse } from "../../core/format/file-error.ts";
import { type Digest, type ThreadLocation, threadId } from "../../core/format/id.ts";
import {
  type BlobId,
  type Difference,
  isKept,
  type Job,
  type Outcomes,
  type ReadBlob,
  type Sides,
  type Tree,
} from "../../core/noun/merge-tree.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { isClosedText, mergeThread, readThread } from "../../mail/nouns/merge-thread.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { threadPath } from "../../mail/nouns/thread.ts";
import { type ArchivedFiles, archivesOf, joinedArchives, readArchive, threadOfArchived } from "../../removal/nouns/archive.ts";
import { hasAck, namesIn } from "./merge-absent.ts";

/** A thread that has archives in a tree, and the paths of its files that the tree has not. */
interface Gone {
  key: ThreadLocation;
  paths: string[];
  archives: BlobId[];
}

/** Groups paths that a tree has no more by their threads, of those that have archives in it. */
function goneThreads(paths: Iterable<string>, tree: Tree): Gone[] {
  const threads = new Map<string, Gone>();
  for (const path of paths) {
    const location = threadOfArchived(path) ?? locateInInbox(path)?.key ?? null;
    // What lies beside a file is gone for another reason.
    if (location === null || isKept(path) || path.endsWith(".sig")) continue;
    const id = threadId(location);
    const known = threads.get(id) ?? {
      key: { day: location.day, random: location.random },
      paths: [],
      archives: archivesOf(location, (at) => tree.has(at)).map((at) => tree.get(at) as BlobId),
    };
    known.paths.push(path);
    threads.set(id, known);
  }
  return [...threads.values()].filter(({ archives }) => archives.length > 0);
}

/** Tells of which threads a tree has mail that is unread and not acked. Looked up when it is first asked for. */
function unreadThreads(tree: Tree): (location: ThreadLocation) => boolean {
  let threads: Set<string> | null = null;
  return (location) => {
    if (threads === null) {
      threads = new Set();
      for (const [path, id] of tree) {
        const mail = locateInInbox(path);
        if (mail?.unread === true && !hasAck(tree, mail.part, mail, id)) threads.add(threadId(mail.key));
      }
    }
    return threads.has(threadId(location));
  };
}

const isUnreadName = (path: string): boolean => locateInInbox(path)?.unread === true;

const archivesIn = (read: ReadBlob, { key, archives }: Gone, digest: Digest | null): Map<string, string>[] =>
  digest === null ? [] : archives.flatMap((id) => readArchive(read(id), key, digest) ?? []);

/**
 * The files that went into archives since a tree: they are gone.
 * @param before what there was
 */
export function archivedSince(before: Tree, now: Tree, digest: Digest | null): Job[] {
  const gone = [...before.keys()].filter((path) => !now.has(path));
  const isUnread = unreadThreads(before);
  return goneThreads(gone, now).map((thread) => {
    const { key, paths } = thread;
    const here = before.get(threadPath(key));
    const configs = [now, before].flatMap((tree) => tree.get(CONFIG_PATH) ?? []);
    return {
      needs: [...thread.archives, ...configs, ...paths.map((path) => before.get(path) as BlobId), ...(here === undefined ? [] : [here])],
      run(read): Outcomes {
        const archives = archivesIn(read, thread, digest);
        const isPart = partsIn(configs, read);
        const isLawful =
          !isUnread(key) &&
          isClosedText(key, here === undefined ? null : read(here)) &&
          paths.every((path) =>
            isUnreadName(path)
              ? isAckedIn(path, [before, now], archives, isPart)
              : holds(archives, path, read(before.get(path) as BlobId), isPart),
          );
        return new Map(isLawful ? paths.map((path) => [path, { absent: true }]) : []);
      },
    };
  });
}

/** Tells whether a name is that of a part now; of each, where no configuration can be read. */
function partsIn(configs: readonly BlobId[], read: ReadBlob): (name: string) => boolean {
  const parts = configs.map((id) => namesIn(read(id))?.parts).find((known) => known !== undefined);
  return (name) => parts?.has(name) !== false;
}

/** Whether archives have a text at a path; of a thread's file, which is edited, one that says it is closed, and calls it the same. An ack of a part that has another name now, or none, may be another's. */
const holds = (archives: readonly ArchivedFiles[], path: string, text: string | null, isPart: (name: string) => boolean): boolean =>
  text !== null && archives.some((files) => files.get(path) === text || isClosedIn(files, path, text) || hasHeir(files, path, isPart));

/** Whether a path is that of a thread's file, of which archived files have a text that says it is closed, under the subject that it had. */
function isClosedIn(files: ArchivedFiles, path: string, text: string): boolean {
  const archived = files.get(path) ?? null;
  const place = path.endsWith("/thread.md") ? threadOfArchived(path) : null;
  return place !== null && orElse(false, () => isClosedText(place, archived)) && subjectIn(place, archived) === subjectIn(place, text);
}

/** The subject that a thread's file says; empty where it says none, or cannot be read. */
export const subjectIn = (location: ThreadLocation, text: string | null): string =>
  (text === null ? undefined : readThread(location, text)?.subject) ?? "";

function hasHeir(files: ArchivedFiles, path: string, isPart: (name: string) => boolean): boolean {
  const mail = locateInInbox(path);
  return mail !== null && !isPart(mail.part) && readEnds(files).has(`/read/${mail.key.day}/${mail.message}.md`);
}

const endsKept = new WeakMap<ArchivedFiles, ReadonlySet<string>>();

/** The ends of the paths of archived acks, behind the name of the part. */
function readEnds(files: ArchivedFiles): ReadonlySet<string> {
  const kept = endsKept.get(files);
  if (kept !== undefined) return kept;
  const ends = new Set([...files.keys()].flatMap((path) => (path.includes("/read/") ? [path.slice(path.lastIndexOf("/read/"))] : [])));
  endsKept.set(files, ends);
  return ends;
}

/** Whether the message of an unread name was acked by its part. */
function isAckedIn(
  path: string,
  trees: readonly Tree[],
  archives: readonly ArchivedFiles[],
  isPart: (name: string) => boolean = () => true,
): boolean {
  const mail = locateInInbox(path);
  if (mail === null) return false;
  const read = readPath(mail.part, mail.message, mail.key.day);
  return trees.some((tree) => tree.has(read)) || archives.some((files) => files.has(read) || hasHeir(files, path, isPart));
}

/** The threads that one side of a merge archived. What the other side did to them since brings the whole thread back. */
export function archivedOnOneSide({ base, ours, theirs }: Sides, differences: readonly Difference[], digest: Digest | null): Job[] {
  return [
    [ours, theirs],
    [theirs, ours],
  ].flatMap(([lacking, other]) => {
    const [without, having] = [lacking as Tree, other as Tree];
    const gone = differences.flatMap(({ path }) => (without.has(path) || !having.has(path) ? [] : [path]));
    const isUnread = unreadThreads(having);
    return goneThreads(gone, without).map((thread) => ({
      needs: [
        ...thread.archives,
        ...[...thread.paths, threadPath(thread.key)].flatMap((path) => [base.get(path) ?? [], having.get(path) ?? []].flat()),
      ],
      run(read: ReadBlob): Outcomes {
        const { key, paths } = thread;
        const archives = archivesIn(read, thread, digest);
        if (archives.length === 0) return new Map();
        const at = threadPath(key);
        const textIn = (tree: Tree, path: string): string | null => (tree.has(path) ? read(tree.get(path) as BlobId) : null);
        const isAsBefore = having.get(at) === base.get(at);
        const isLawful =
          !isUnread(key) &&
          isClosedText(key, textIn(having, at)) &&
          paths.every(
            (path) =>
              isUnreadName(path) ||
              holds(archives, path, textIn(having, path), () => true) ||
              (path === at && isAsBefore && archives.some((files) => files.has(at))),
          );
        if (isLawful) return new Map(paths.map((path) => [path, { absent: true }]));
        return broughtBack(joinedArchives(key, archives));

        /** What the archive has and the other side has not, such as acks that were made before it. */
        function broughtBack(files: ReadonlyMap<string, string>): Outcomes {
          const outcomes: Outcomes = new Map();
          for (const [path, text] of files) if (!having.has(path) && !without.has(path)) outcomes.set(path, { content: text });
          for (const path of paths) if (isUnreadName(path) && isAckedIn(path, [having], archives)) outcomes.set(path, { absent: true });
          const archived = files.get(at);
          if (archived === undefined || without.has(at) || !having.has(at)) return outcomes;
          const text = isAsBefore ? archived : mergedThread(key, textIn(base, at), archived, textIn(having, at));
          if (text !== null) outcomes.set(at, { content: text });
          return outcomes;
        }
      },
    }));
  });
}

/** Two versions of a thread's file as one; null where one cannot be read. */
function mergedThread(location: ThreadLocation, base: string | null, archived: string, here: string | null): string | null {
  return orElse(null, () =>
    here === null ? null : mergeThread(location, base, ...((archived < here ? [archived, here] : [here, archived]) as [string, string])),
  );
}
