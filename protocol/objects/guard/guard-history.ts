/**
 * The effects of a range of commits, path by path: every content with its first commit, and the commit that deleted a path.
 * So a file that came and went within the range is seen too. spec/git.md, "Guard".
 */

import { CONFIG_PATH } from "../config/config-schema.ts";
import { isSaidGone } from "../merge/merge-absent.ts";
import type { BlobId, Tree } from "../noun/merge-tree.ts";
import { nounAt } from "../tree/layout.ts";
import { putBesideIn } from "../tree/put-beside.ts";
import { guardClass } from "../tree/record.ts";
import { comeBefore } from "./ancestry.ts";
import { guardText } from "./guard.ts";

/** One path that a commit changed, against one of its parents. Ids are null where there is nothing. */
export interface HistoryChange {
  path: string;
  before: BlobId | null;
  after: BlobId | null;
}

/** The contents of a path, each with the first commit that has it, in the order in which they came. */
type Contents = ReadonlyMap<BlobId, string>;

/** The one content that nearly every path has: a map for each of a hundred thousand would cost more than all else here. */
interface Single {
  id: BlobId;
  first: string;
}

/** Tells whether a content of a file that is written once is broken, so that another one stands. */
export type IsBroken = (path: string, id: BlobId) => boolean;

const contentsIn = (had: Single | Contents): Contents =>
  had instanceof Map ? had : new Map([[(had as Single).id, (had as Single).first]]);

/** The contents that are not broken; all of them where each is, unless only those are asked for. */
function intactOf(path: string, contents: Contents, isBroken: IsBroken, only: boolean): Contents {
  const intact = [...contents].filter(([id]) => !isBroken(path, id));
  return intact.length === contents.size || (intact.length === 0 && !only) ? contents : new Map(intact);
}

/** What a range did to a home. Commits are added with their parents first. */
export class GuardHistory {
  readonly #contents = new Map<string, Single | Map<BlobId, string>>();
  readonly #deleted = new Map<string, string>();
  readonly #parents = new Map<string, readonly string[]>();
  readonly #order = new Map<string, number>();
  /** Commits that were walked over to say which came first. */
  steps = 0;

  /** The next commit of the range. */
  addCommit(commit: string, parents: readonly string[]): void {
    if (this.#parents.has(commit)) return;
    this.#order.set(commit, this.#order.size);
    this.#parents.set(commit, parents);
  }

  /** The place of a commit in the range: parents come before their children, but for commits of three and more parents, which come last. */
  orderOf(commit: string): number {
    return this.#order.get(commit) ?? -1;
  }

  /** What that commit did to a path. */
  addChange(commit: string, { path, after }: HistoryChange): void {
    if (after === null) {
      this.#deleted.set(path, commit);
      return;
    }
    const contents = this.#contents.get(path);
    if (contents === undefined) this.#contents.set(path, { id: after, first: commit });
    else if (contents instanceof Map) {
      if (!contents.has(after)) contents.set(after, commit);
    } else if (contents.id !== after)
      this.#contents.set(
        path,
        new Map([
          [contents.id, contents.first],
          [after, commit],
        ]),
      );
  }

  /** Every path of which the range has a content, or which it took away. */
  paths(): Set<string> {
    return new Set([...this.#contents.keys(), ...this.#deleted.keys()]);
  }

  /** The commit that took a path away last, or that a content of it came with; null where the range has none. */
  commitOf(path: string, content: BlobId | null): string | null {
    if (content === null) return this.#deleted.get(path) ?? null;
    const contents = this.#contents.get(path);
    return (contents && contentsIn(contents).get(content)) ?? null;
  }

  /**
   * The files written once that have several contents: before the range, in it, and in what it came to. So whoever joins can say
   * which of them are broken.
   */
  rewritten(before: Tree, now: Tree): Map<string, BlobId[]> {
    const found = new Map<string, BlobId[]>();
    const note = (path: string, ids: Iterable<BlobId | undefined>): void => {
      const all = [...new Set(ids)].filter((id) => id !== undefined);
      if (all.length > 1 && guardClass(path) === "once") found.set(path, all);
    };
    for (const [path, had] of this.#contents) {
      const [was, is] = [before.get(path), now.get(path)];
      const isOne = !(had instanceof Map) && (was ?? had.id) === had.id && (is ?? had.id) === had.id;
      if (!isOne) note(path, [was, ...contentsIn(had).keys(), is]);
    }
    for (const [path, was] of before) if (now.get(path) !== was && !this.#contents.has(path)) note(path, [was, now.get(path)]);
    return found;
  }

  /**
   * What was there before the range, with what the range added: a path that was written once has the content whose first
   * commit comes before those of all others. A broken content is none, where there is another.
   * @param before what was there before the range
   * @param now what the range came to
   * @param isBroken of the contents of `rewritten`
   * @returns `contested`: paths of class once that have no such content, with all of theirs; `edited`: paths that the range
   *   added, edited and took away, with the contents of which `lastReadable` is to be in the tree; `standing`: paths that the
   *   range added and edited, of which the same is to be where what they came to says nothing
   */
  joinedWith(
    before: Tree,
    now: Tree,
    isBroken: IsBroken = () => false,
  ): { tree: Map<string, BlobId>; contested: Map<string, BlobId[]>; edited: Map<string, BlobId[]>; standing: Map<string, BlobId[]> } {
    const tree = new Map(before);
    const standing = new Map<string, BlobId[]>();
    const contested = new Map<string, BlobId[]>();
    const edited = new Map<string, BlobId[]>();
    const isElsewhere = elsewhereIn(now, before);
    const once = new Map<string, Contents>();
    for (const [path, had] of this.#contents) {
      const [was, is] = [before.get(path), now.get(path)];
      if (!(had instanceof Map) && had.id === is && was === undefined) continue;
      const kind = guardClass(path);
      if (kind === "stranger" || kind === "attempt") continue;
      const isLost = was !== undefined && kind === "once" && isBroken(path, was);
      if (was !== undefined && kind !== "kept" && !isLost) continue;
      const contents = intactOf(path, contentsIn(had), isBroken, isLost);
      const ids = [...contents.keys()];
      if (ids.length === 0) continue;
      const [first, last] = [ids[0] as BlobId, ids.at(-1) as BlobId];
      if (kind === "once" && (ids.length > 1 || last !== is)) {
        once.set(path, contents);
      } else if (isLost) {
        tree.set(path, last);
        // What an inbox has is the message, whatever was written over it.
      } else if (kind === "unread" && ids.length > 1 && is !== undefined) tree.set(path, first);
      else if (is === undefined) {
        this.#put(tree, path, last, now, isElsewhere);
        const all = [...[before.get(path) ?? []].flat(), ...ids].slice(-EDITS);
        if (kind === "kept" && all.length > 1 && tree.has(path)) edited.set(path, all);
      } else if (kind === "kept" && ids.length > 1 && !before.has(path) && path !== CONFIG_PATH)
        standing.set(path, [...ids.filter((id) => id !== is).slice(1 - EDITS), is]);
    }
    const first = this.#standing(once);
    for (const [path, contents] of once) {
      const [is, stands] = [now.get(path), first.get(path)];
      if (stands !== undefined) {
        this.#put(tree, path, stands, now, isElsewhere);
        continue;
      }
      const ids = [...contents.keys()];
      contested.set(path, ids);
      // It stays as the range left it, unless that is broken, or gone.
      if (is !== undefined && contents.has(is)) tree.delete(path);
      else this.#put(tree, path, ids.at(-1) as BlobId, now, isElsewhere);
    }
    return { tree, contested, edited, standing };
  }

  #put(tree: Map<string, BlobId>, path: string, id: BlobId, now: Tree, isElsewhere: (path: string, id: BlobId) => boolean): void {
    // Of what may go and come again, as a guest with its last mail, only the whole tree says whether it is to be there.
    if (now.has(path) || nounAt(path)?.noun.mayReturn === true || !isElsewhere(path, id)) tree.set(path, id);
  }

  /** Of each path the content whose first commit comes before those of all others; none of a path that has no such content. */
  #standing(paths: ReadonlyMap<string, Contents>): Map<string, BlobId> {
    // By the order of the commits only the first of each kind can be it.
    const isMany = (commit: string): boolean => (this.#parents.get(commit)?.length ?? 0) > 2;
    const asked = [...paths].flatMap(([path, contents]) => {
      const all = [...contents];
      const later = [...contents.values()];
      const firsts = [all.find(([, commit]) => !isMany(commit)), all.find(([, commit]) => isMany(commit))];
      return firsts.flatMap((first) => (first === undefined ? [] : [{ path, id: first[0], earlier: first[1], later }]));
    });
    const { answers, steps } = comeBefore(this.#parents, asked);
    this.steps += steps;
    const standing = new Map<string, BlobId>();
    for (const [index, { path, id }] of asked.entries()) if (answers[index] === true && !standing.has(path)) standing.set(path, id);
    return standing;
  }
}

/** Contents of a file that are read, from the last one back. */
const EDITS = 16;

/** Of the contents that a file had one after the other, the last that somebody can read; of none, the last. */
export const lastReadable = (path: string, ids: readonly BlobId[], read: (id: BlobId) => string | null): BlobId =>
  ids.reduce((kept, id) => (guardText(path, read(kept), read(id)) === "before" ? kept : id));

/** Tells of a path that a tree has not whether the tree says why: gone by an operation, put beside, or under another number. */
export function elsewhereIn(now: Tree, before: Tree): (path: string, id: BlobId) => boolean {
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
