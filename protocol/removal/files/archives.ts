/** Archives as they lie on the disk. spec/removal.md, "Archive". */
import { append } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import { isSealed, sealProblem, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, faultOf } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { readAll } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import type { Repository } from "../../git/git-run.ts";
import { unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import { inboxFolders } from "../../mail/files/members.ts";
import { locateInInbox, messageAt } from "../../mail/nouns/in-inbox.ts";
import { isClosedText, joinedThread } from "../../mail/nouns/merge-thread.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { threadPath } from "../../mail/nouns/thread.ts";
import { sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { type ArchivedFiles, archivesOf, joinedArchives, parseArchive, threadOfArchived } from "../nouns/archive.ts";
import { hasArchive } from "./archive-names.ts";

/** The archives of a thread that can be read, the first one first; what is wrong with the others goes into `faults`. */
export function archivesAt(store: Store, location: ThreadLocation, faults: Faults): Map<string, string>[] {
  return archivesOf(location, (path) => exists(store, path)).flatMap((path) => {
    try {
      const source = readText(store, path, FILE_BYTES.archive);
      return source === null ? [] : [parseArchive(source, location, sha256)];
    } catch (error) {
      faults.push(faultOf(error, path));
      return [];
    }
  });
}

/** What a thread's archives hold together: path → text. A message is the first text that fits its id. */
export const archivedFiles = (store: Store, location: ThreadLocation, faults: Faults): Map<string, string> =>
  joinedArchives(location, archivesAt(store, location, faults).map(intact));

/** An archive without messages that do not fit their ids. */
const intact = (files: ArchivedFiles): ArchivedFiles => new Map([...files].filter(([path, text]) => isIntact(path, text)));

/** Whether a file of a thread fits its name: what is no sealed message always does. */
export function isIntact(path: string, text: string): boolean {
  const location = messageAt(path);
  return location === null || !isSealed(location.token) || sealProblem(text, location, sha256) === null;
}

/** The threads that have unread mail, with the parts that have it, by thread id. */
export function unreadByThread(store: Store): Map<string, Set<string>> {
  const threads = new Map<string, Set<string>>();
  for (const part of inboxFolders(store))
    for (const id of unreadIdsSeen(store, part)) {
      const thread = id.replace(/^m-(\d+-[^-]+)-.*$/, "t-$1");
      threads.set(thread, (threads.get(thread) ?? new Set()).add(part));
    }
  return threads;
}

/**
 * Of what the last record has and the disk has not: what lies in an archive that is here. A thread's file may have been
 * closed since; it has then lost nothing of its lists.
 */
export async function archivedHere(world: World, repository: Repository, gone: readonly Change[]): Promise<string[]> {
  const { store } = world.home();
  const threads = new Map<string, { key: ThreadLocation; changes: Change[] }>();
  for (const change of gone) {
    const location = threadOfArchived(change.path) ?? locateInInbox(change.path)?.key ?? null;
    if (location === null) continue;
    const known = threads.get(threadId(location)) ?? { key: { day: location.day, random: location.random }, changes: [] };
    known.changes.push(change);
    threads.set(threadId(location), known);
  }
  const found = [...threads.values()].filter(({ key }) => hasArchive(store, key));
  if (found.length === 0) return [];
  const unread = unreadByThread(store);
  const paths: string[] = [];
  for (const { key, changes } of found) {
    const held = archivesAt(store, key, []);
    const at = threadPath(key);
    if (unread.has(threadId(key)) || !held.some((files) => isClosedText(key, files.get(at) ?? null))) continue;
    const contents = await readAll(
      repository,
      changes.map(({ before }) => before as string),
    );
    const has = ({ path, before }: Change): boolean => {
      const mail = locateInInbox(path);
      if (mail?.unread === true) return held.some((files) => files.has(readPath(mail.part, mail.message, mail.key.day)));
      const bytes = contents.get(before as string) as Buffer;
      return held.some((files) => {
        const text = files.get(path);
        return text !== undefined && (Buffer.from(text).equals(bytes) || (path === at && losesNothing(key, bytes.toString("utf8"), text)));
      });
    };
    if (changes.every(has))
      append(
        paths,
        changes.map(({ path }) => path),
      );
  }
  return paths;
}

const losesNothing = (location: ThreadLocation, before: string, archived: string): boolean =>
  orElse(false, () => isClosedText(location, archived) && joinedThread(location, before, archived) === null);
