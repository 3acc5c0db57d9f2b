/**
 * Replacing a file that changes: revision r + 1 takes an exclusive create first, and its effect happens once.
 *
 * Each file has a folder of numbered revisions under `local/revisions/`. To change the file a writer puts the new content
 * under a name of its own, then creates revision r + 1 exclusively (the commit point; the revision names that content), then
 * renames the content over the file. The rename consumes its source, so it happens once, in any process: a successor
 * finishes what a killed writer began, and a writer that slept through finds its source gone and writes nothing.
 * SPEC.md, "Replacing a file".
 */
import path from "node:path";
import { quietly } from "../../core/format/file-error.ts";
import { refuse } from "../../core/refusal.ts";
import { sha256 } from "../digest.ts";
import { isLocked, withLock } from "../lock.ts";
import { thisThread } from "../process.ts";
import { exists, facts } from "../read/facts.ts";
import { entries, names } from "../read/list-folder.ts";
import { readText, readWithInode } from "../read/read-file.ts";
import { absolute, payFlushes, type Store } from "../root.ts";
import { addNumber, type Chain, highest, lastNumber, plainChain, plainNumber } from "./chain.ts";
import { flushFolder } from "./make-folder.ts";
import { keepingOpen, moveFile, removeEmptyFolder, removeFile } from "./move-file.ts";
import { writeNew } from "./write-aside.ts";

/** A revision names the staged content, and the content that it replaces. A line break at the end is a shell's. */
const REVISION_TEXT = /^(next-[\w-]+) (\w+)\r?\n?$/;
/** How the name of a staged content begins. */
const STAGED = "next-";
/** A listing of so few names is of one moment on every disk. */
const ONE_MOMENT = 64;
/** What a staged content is called that an edit by hand overtook after its writer died. */
const OVERTAKEN = "overtaken-";
/** Files that change are small; this only keeps a mistake from filling the memory. */
const ANY_BYTES = 64 * 1_048_576;
/** Older revisions than these last ones are cleared; the highest always stays, so no number is used twice. */
const KEPT = 8;
const ROUNDS = 1_000;
/**
 * A file that carries a fence has its revisions above so many times that fence. A fence never goes down, so the numbers go on where
 * those of before were cleared, and no number is used twice.
 */
const OF_A_FENCE = 1_000_000;
const FENCE = /^---\n(?:(?!---\n).*\n)*?fence: (\d{1,8})\n/;
let counter = 0;

/** Where the revisions of all files lie, each below its path in the home. */
export const REVISIONS = "local/revisions";
const revisionsOf = (target: string): string => (target === "" ? REVISIONS : `${REVISIONS}/${target}`);
/**
 * The revisions of a file. Neither they nor their folder need a flush: they decide between processes, and no process outlives a loss
 * of power. Only the content that waits there is flushed, before it is moved over the file: whichever of the two names a loss of power
 * leaves, the file is whole, as it was before or as it is after.
 */
const revisionsIn = (folder: string): Chain => plainChain(folder, KEPT);

/**
 * Changes a file by a pure function of its content. Parallel changes all happen, one after the other.
 * @param target path in the home
 * @param limit bytes at the most
 * @param change gets the content (null when there is no file) and gives the new one, or null to leave it. It may run
 *   several times, and may throw to refuse.
 * @returns the content after the change
 * @throws what `change` throws; Refusal `busy`, `file_full`; FileError
 */
export async function replaceFile(
  store: Store,
  target: string,
  limit: number,
  change: (content: string | null) => string | null,
): Promise<string | null> {
  // Nearly always nobody else changes it: the commit decides, and a lock only keeps order among many.
  const first = isLocked(store, target) ? "again" : attempt(store, target, limit, change);
  if (first !== "again") return first.content;
  return withLock(store, target, () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcome = attempt(store, target, limit, change);
      if (outcome !== "again") return outcome.content;
    }
    throw refuse("busy", { path: target });
  });
}

function attempt(
  store: Store,
  target: string,
  limit: number,
  change: (content: string | null) => string | null,
): { content: string | null } | "again" {
  const folder = revisionsOf(target);
  // Where another writer was quicker since this call read the file, the commit says so.
  const last = store.revisions?.get(target) ?? finishLast(store, target, folder);
  store.revisions?.delete(target);
  const before = readText(store, target, limit);
  const after = change(before);
  if (after === null || after === before) return { content: before };
  // What is over the limit could not be read again, nor be made shorter but by hand.
  const bytes = Buffer.byteLength(after);
  if (bytes > limit) throw refuse("file_full", { path: target, bytes, most: limit });
  counter += 1;
  const staged = `${STAGED}${thisThread()}-${counter}`;
  writeNew(store, `${folder}/${staged}`, after);
  // What this change follows from is on the disk before the change may be.
  payFlushes(store);
  const revision = Math.max(last, floorOf(before)) + 1;
  const base = signOf(before);
  // A higher revision alone does not say that this one had been used and cleared: a writer that slept after its own revision was overtaken
  // too, but then who overtook it finished its change, and that consumed the staged content.
  const isStale = (now: number): boolean => now > revision && exists(store, `${folder}/${staged}`);
  if (!addNumber({ ...store, durable: false }, revisionsIn(folder), revision, `${staged} ${base}`, { isStale })) {
    removeFile(store, `${folder}/${staged}`);
    return "again";
  }
  // A number is added to a chain that was cleared meanwhile, where nobody else would see it: the change is made anew, but for one that
  // somebody put in place already.
  if (last > 0 && revision === last + 1 && !exists(store, `${folder}/${last}`))
    return removeFile(store, `${folder}/${staged}`) ? "again" : { content: after };
  // Committed: the next process that reads the file finishes what fails now, so this is a success all the same.
  let edited = false;
  quietly(() => {
    // Whoever found the edit first has set the staged content aside.
    const applied = apply(store, target, folder, staged, base);
    edited = applied === "edited" || (applied === "gone" && removeFile(store, `${folder}/${OVERTAKEN}${staged}`));
  });
  if (!edited) return { content: after };
  // Somebody saved an edit by hand meanwhile, so the change is made anew, on their content.
  removeFile(store, `${folder}/${staged}`);
  return "again";
}

/**
 * Completes the change of the highest revision, whoever began it, and gives that revision's number; 0 when there is none.
 * Where somebody changed the file by hand since, their content stays, and the staged one is kept aside.
 */
function finishLast(store: Store, target: string, folder: string): number {
  const all = names(store, folder);
  const last = highest(all.flatMap((name) => plainNumber(name) ?? []));
  if (all.length < ONE_MOMENT && !all.some((name) => name.startsWith(STAGED))) return last;
  const [, staged = "", base = ""] = revisionAt(store, folder, last) ?? [];
  if (staged === "" || !exists(store, `${folder}/${staged}`)) return last;
  if (apply(store, target, folder, staged, base) === "edited") moveFile(store, `${folder}/${staged}`, `${folder}/${OVERTAKEN}${staged}`);
  return last;
}

/** What a revision says; null where it cannot be read, and for 0, which does not exist. */
const revisionAt = (store: Store, folder: string, revision: number | string): RegExpExecArray | null =>
  revision === 0 ? null : REVISION_TEXT.exec(readText(store, `${folder}/${revision}`, 1_024) ?? "");

/** The number that every revision of a file of some content is above. */
const floorOf = (content: string | null): number => Number(FENCE.exec(content ?? "")?.[1] ?? 0) * OF_A_FENCE;

/**
 * Clears the revisions of a file that hardly changes any more, such as a task that is done: all of them, where its fence says that the
 * next ones are above them. What fails here is left to lie.
 * @param content what the file says now
 */
export function clearRevisions(store: Store, target: string, content: string): void {
  const folder = revisionsOf(target);
  quietly(() => {
    const all = names(store, folder);
    if (!all.every((name) => (plainNumber(name) ?? Number.POSITIVE_INFINITY) <= floorOf(content))) return;
    for (const name of all) removeFile(store, `${folder}/${name}`);
    removeEmptyFolder(store, folder);
  });
}

/**
 * Clears the revisions of a file that is gone, such as that of an archived thread: all of them, where no staged content lies beside them.
 * The highest goes last, so that no writer takes its number meanwhile; one that had seen it finds it gone, and begins again. Removals
 * that a loss of power undoes harm nothing, once the folder was flushed before the file went (`waitedIn`). What fails here is left to lie.
 */
export function clearRevisionsOfRemoved(store: Store, target: string): void {
  const folder = revisionsOf(target);
  quietly(() => {
    const numbers = names(store, folder).map((name) => plainNumber(name) ?? Number.NaN);
    if (numbers.some(Number.isNaN) || exists(store, target)) return;
    for (const number of numbers.sort((a, b) => a - b)) removeFile(store, `${folder}/${number}`);
    for (let at = folder; at !== REVISIONS; at = path.posix.dirname(at)) removeEmptyFolder(store, at);
  });
}

/** What tells one content of a file from another. */
const signOf = (content: string | null): string => (content === null ? "none" : sha256(content).slice(0, 24));

/**
 * Moves the staged content over the file; nothing to do when somebody did. An edit by hand that came since the content was read
 * stays: the file is compared again, and its inode once more, so that only the two last calls of the disk lie between.
 * @param base the sign of the content that is replaced
 * @returns `edited` when the file has another content by now, and the staged one is still there; `gone` when somebody moved that
 */
function apply(store: Store, target: string, folder: string, staged: string, base: string): "moved" | "gone" | "edited" {
  return keepingOpen(absolute(store, target), () => {
    const now = readWithInode(store, target, ANY_BYTES);
    let isAsRead = signOf(now?.text ?? null) === base;
    const isStill = (): boolean => {
      isAsRead = facts(store, target)?.inode === now?.inode;
      return isAsRead;
    };
    const isMoved = isAsRead && moveFile(store, `${folder}/${staged}`, target, isStill);
    if (!isAsRead) return exists(store, `${folder}/${staged}`) ? "edited" : "gone";
    if (!isMoved) return "gone";
    flushFolder(store, path.posix.dirname(target));
    return "moved";
  });
}

/**
 * Finishes a change that a killed writer had committed; called before such a file is read. Where that fails, the earlier
 * content is read.
 */
export function finishReplacing(store: Store, target: string): void {
  const folder = revisionsOf(target);
  // Every call asks, and most files were never changed here.
  quietly(() => {
    const last = exists(store, folder) ? finishLast(store, target, folder) : 0;
    store.revisions?.set(target, last);
  });
}

/**
 * The folders to flush before a file is removed; none where it was never changed here. A loss of power may leave the name that a content
 * had while it waited, beside the file: where the file is gone by then, the content would be put in place again.
 */
export const waitedIn = (store: Store, target: string): string[] => (exists(store, revisionsOf(target)) ? [revisionsOf(target)] : []);

/** Every file that was ever changed here, by its path in the home. */
export function changedFiles(store: Store, folder = ""): string[] {
  const inside = entries(store, revisionsOf(folder));
  const own = folder !== "" && inside.some(({ kind }) => kind === "file") ? [folder] : [];
  const folders = inside.filter(({ kind }) => kind === "folder");
  return [...own, ...folders.flatMap(({ name }) => changedFiles(store, folder === "" ? name : `${folder}/${name}`))];
}

/**
 * What killed writers left of a file's changes: a committed one that is not in place yet, and staged contents that never
 * came to their commit, by path in the home. Where a revision cannot be read any of these may be its content (`doubtful`).
 */
export function leftOf(store: Store, target: string): { unfinished: boolean; staged: string[]; doubtful: boolean } {
  const folder = revisionsOf(target);
  const all = names(store, folder);
  const [, committed = ""] = revisionAt(store, folder, lastNumber(store, revisionsIn(folder))) ?? [];
  const staged = all.filter((name) => name.startsWith(STAGED) && name !== committed).map((name) => `${folder}/${name}`);
  const doubtful = staged.length > 0 && all.some((name) => plainNumber(name) !== null && revisionAt(store, folder, name) === null);
  return { unfinished: all.includes(committed), staged, doubtful };
}

/** Keeps a staged content aside that may be a committed one. @param staged its path, as `leftOf` gives it */
export function keepAside(store: Store, staged: string): void {
  const at = staged.lastIndexOf("/") + 1;
  moveFile(store, staged, `${staged.slice(0, at)}${OVERTAKEN}${staged.slice(at)}`);
}
