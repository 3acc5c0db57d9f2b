/** Deletions and changes in a history that no operation does. spec/git.md, "Guard". */
import { addTo } from "../format/append.ts";
import { locateInInbox, movedMail, type Names } from "../merge/merge-absent.ts";
import type { BlobId, Tree } from "../noun/merge-tree.ts";
import { nounAt } from "../tree/layout.ts";
import { guardClass } from "../tree/record.ts";
import { elsewhereIn, type HistoryChange, type IsBroken } from "./guard-history.ts";

/** What one commit did, in files, and the first path of each kind; null where it did none. */
export interface HistoryFault {
  commit: string;
  deleted: number;
  changed: number;
  firstDeleted: string | null;
  firstChanged: string | null;
}

/** Examines the changes of a history one after the other, parents before children. */
export class HistoryFaults {
  /** What each path had: most have one content, and a hundred thousand sets would cost more than all else here. */
  readonly #seen = new Map<string, BlobId | Set<BlobId>>();
  readonly #gone = new Map<string, { commit: string; before: BlobId }[]>();
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
    if (after === null) {
      addTo(this.#gone, path, { commit, before });
    }
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

  /** The paths that were taken away, in no order. */
  gone(): Iterable<string> {
    return this.#gone.keys();
  }

  /**
   * What was not lawful, by what the history came to.
   * @param now its last tree
   * @param names the parts of its configuration; null where that cannot be read
   * @param isArchived whether an archive of that tree has the content of a path
   * @param isBroken of the contents of `rewritten`: what was broken gives way to what is not
   */
  all(
    now: Tree,
    names: Names | null,
    isArchived: (path: string, id: BlobId) => boolean = () => false,
    isBroken: IsBroken = () => false,
  ): HistoryFault[] {
    const faults = new Map<string, { deleted: Set<string>; changed: ReadonlySet<string> }>();
    for (const [commit, changes] of this.#changed) {
      const isFault = ([path, { before, after }]: [string, { before: BlobId; after: BlobId }]): boolean =>
        !isBroken(path, before) || isBroken(path, after);
      const changed = new Set([...changes].filter(isFault).map(([path]) => path));
      if (changed.size > 0) faults.set(commit, { deleted: new Set(), changed });
    }
    const isMoved = movedMail(now, new Map(), names, "gone");
    const isElsewhere = elsewhereIn(now, now);
    for (const [path, times] of this.#gone) {
      const isMail = locateInInbox(path) !== null;
      for (const { commit, before } of times) {
        if (isElsewhere(path, before) || (isMail && isMoved(path)) || isArchived(path, before)) continue;
        const fault = faults.get(commit) ?? { deleted: new Set<string>(), changed: new Set<string>() };
        fault.deleted.add(path);
        faults.set(commit, fault);
      }
    }
    return [...faults].map(([commit, { deleted, changed }]) => ({
      commit,
      deleted: deleted.size,
      changed: changed.size,
      firstDeleted: firstOf(deleted),
      firstChanged: firstOf(changed),
    }));
  }
}

const firstOf = (paths: ReadonlySet<string>): string | null => [...paths].sort()[0] ?? null;
