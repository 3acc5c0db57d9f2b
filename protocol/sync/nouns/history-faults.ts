/** Deletions and changes in a history that no operation does. spec/git.md, "Guard". */
import { addTo } from "../../core/format/append.ts";
import type { BlobId, Tree } from "../../core/noun/merge-tree.ts";
import { nounAt } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { isSaidGone, movedMail, type Names } from "./merge-absent.ts";
import { putBesideIn } from "./put-beside.ts";

/** One path that a commit changed, against one of its parents. Ids are null where there is nothing. */
export interface HistoryChange {
  path: string;
  before: BlobId | null;
  after: BlobId | null;
}

/** Tells whether a content of a file that is written once is broken, so that another one stands. */
export type IsBroken = (path: string, id: BlobId) => boolean;

/** What one commit did that still stands, by path. */
export interface HistoryFault {
  commit: string;
  /** Files that are gone, with what they had. */
  deleted: Lost[];
  /** Files that are written once and have other bytes, with what they had before. */
  changed: Lost[];
}

/** A file that a commit deleted or changed, and the content that it had. */
interface Lost {
  path: string;
  before: BlobId;
  /** Whether it was of a part that there is, or lay beside what is still there: a push that plants much and takes it away hides none of these. */
  isFirst: boolean;
}

/** Examines the changes of a history one after the other, parents before children. */
export class HistoryFaults {
  /** What each path had: most have one content, and a hundred thousand sets would cost more than all else here. */
  readonly #seen = new Map<string, BlobId | Set<BlobId>>();
  /** What took each path away last. */
  readonly #gone = new Map<string, { commit: string; before: BlobId }>();
  readonly #changed = new Map<string, Map<string, { before: BlobId; after: BlobId }>>();

  /** The next change: of a commit, against one of its parents. */
  add(commit: string, { path, before, after }: HistoryChange): void {
    // Which class a path is of is asked of those alone that somebody touched again.
    if (before !== null) this.#addTouched(commit, path, before, after);
    for (const id of [before, after]) if (id !== null) this.#see(path, id);
  }

  #addTouched(commit: string, path: string, before: BlobId, after: BlobId | null): void {
    const kind = guardClass(path);
    if (kind === "stranger" || kind === "attempt" || nounAt(path)?.noun.mayReturn === true) return;
    if (after === null) this.#gone.set(path, { commit, before });
    // A merge gives a path the content of one of its sides, and a repair what it had before.
    else if (kind !== "kept" && !this.#hasSeen(path, after))
      this.#changed.set(commit, (this.#changed.get(commit) ?? new Map()).set(path, { before, after }));
  }

  #hasSeen(path: string, id: BlobId): boolean {
    const seen = this.#seen.get(path);
    return typeof seen === "string" ? seen === id : seen?.has(id) === true;
  }

  #see(path: string, id: BlobId): void {
    const seen = this.#seen.get(path);
    if (seen === undefined) this.#seen.set(path, id);
    else if (typeof seen !== "string") seen.add(id);
    else if (seen !== id) this.#seen.set(path, new Set([seen, id]));
  }

  /** The contents of files that are written once and were changed, by path. */
  rewritten(): Map<string, BlobId[]> {
    const found = new Map<string, BlobId[]>();
    for (const changed of this.#changed.values())
      for (const [path, { before, after }] of changed) for (const id of [before, after]) addTo(found, path, id);
    return found;
  }

  /** The paths that were taken away, with what they had. */
  gone(): ReadonlyMap<string, { before: BlobId }> {
    return this.#gone;
  }

  /**
   * What was not lawful and still stands, by what the history came to.
   * @param now its last tree
   * @param names the parts of its configuration; null where that cannot be read
   * @param isArchived whether an archive of that tree has the content of a path
   * @param isBroken of the contents of `rewritten`: what was broken gives way to what is not
   * @returns the faults of each commit that has some
   */
  all(
    now: Tree,
    names: Names | null,
    isArchived: (path: string, id: BlobId) => boolean = () => false,
    isBroken: IsBroken = () => false,
  ): HistoryFault[] {
    const faults = new Map<string, HistoryFault>();
    const isOfNow = ofNow(now, names);
    const note = (commit: string, what: "deleted" | "changed", path: string, before: BlobId): void => {
      const fault = faults.get(commit) ?? { commit, deleted: [], changed: [] };
      fault[what].push({ path, before, isFirst: isOfNow(path) });
      faults.set(commit, fault);
    };
    for (const [commit, changes] of this.#changed)
      for (const [path, { before, after }] of changes)
        if (now.get(path) === after && (!isBroken(path, before) || isBroken(path, after))) note(commit, "changed", path, before);
    const isMoved = movedMail(now, new Map(), names, "gone");
    const isElsewhere = elsewhereIn(now, now);
    for (const [path, { commit, before }] of this.#gone) {
      // What came again says by whom nobody knows: a push may plant a file and take it away before an honest one writes it.
      const isThere = now.has(path) || isElsewhere(path, before) || isMoved(path, before) || isArchived(path, before);
      if (!isThere) note(commit, "deleted", path, before);
    }
    const byPath = (a: Lost, b: Lost): number => (a.path < b.path ? -1 : 1);
    for (const { deleted, changed } of faults.values()) for (const list of [deleted, changed]) list.sort(byPath);
    return [...faults.values()];
  }
}

/** Tells whether a path is a part's that there is, or of a folder that has another file. The tree is gone through once, if at all. */
function ofNow(now: Tree, names: Names | null): (path: string) => boolean {
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
  let folders: Set<string> | null = null;
  return (path) => {
    const part = locateInInbox(path)?.part ?? /^memory\/agents\/(.+)\.md$/.exec(path)?.[1];
    if (part !== undefined) return names?.parts.has(part) !== false;
    folders ??= new Set([...now.keys()].map(folderOf));
    return folders.has(folderOf(path));
  };
}

/** Tells of a path that a tree has not whether the tree says why: gone by an operation, put beside, or under another number. */
function elsewhereIn(now: Tree, before: Tree): (path: string, id: BlobId) => boolean {
  const [isPutBeside, isRenumbered] = [putBesideIn(now), renumberedIn(now)];
  return (path, id) => isPutBeside(path, id) || (!path.includes("/claims/") && isSaidGone(path, id, now, before)) || isRenumbered(path, id);
}

const CONTENT = /^(sessions\/[^/]+\/artifacts\/[^/]+\/)[1-9]\d{0,6}\.[a-z0-9]{1,8}$/;

/** Tells whether an artifact's content has another number in a tree, which a merge gave it. The tree is gone through once, if at all. */
function renumberedIn(now: Tree): (path: string, id: BlobId) => boolean {
  let there: Set<string> | null = null;
  const signOf = (path: string, id: BlobId): string | null => {
    const folder = CONTENT.exec(path)?.[1];
    return folder === undefined ? null : `${folder}${id}`;
  };
  return (path, id) => {
    const sign = signOf(path, id);
    if (sign === null) return false;
    there ??= new Set([...now].flatMap(([other, content]) => signOf(other, content) ?? []));
    return there.has(sign);
  };
}
