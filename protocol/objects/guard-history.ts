/**
 * What a range of commits did, path by path: every content and the first commit that has it, and who took a path away.
 * So a file that came and went within the range is seen too. SPEC.md, "Guard".
 */
import { guardClass } from "./guard-class.ts";
import { isSaidGone } from "./merge-absent.ts";
import { type BlobId, keptPath, type Tree } from "./merge-tree.ts";

/** One path that a commit changed, against one of its parents. Ids are null where there is nothing. */
export interface HistoryChange {
  path: string;
  before: BlobId | null;
  after: BlobId | null;
}

/** A content of a path, and the first commit that has it. */
interface Content {
  id: BlobId;
  first: string;
}

/** What a range did to a home. Commits are added with their parents first. */
export class GuardHistory {
  readonly #contents = new Map<string, Content[]>();
  readonly #deleted = new Map<string, string>();
  readonly #parents = new Map<string, readonly string[]>();
  readonly #order = new Map<string, number>();
  readonly #isBefore = new Map<string, boolean>();

  /** The next commit of the range. */
  addCommit(commit: string, parents: readonly string[]): void {
    if (this.#parents.has(commit)) return;
    this.#order.set(commit, this.#order.size);
    this.#parents.set(commit, parents);
  }

  /** What that commit did to a path. */
  addChange(commit: string, { path, after }: HistoryChange): void {
    if (after === null) {
      this.#deleted.set(path, commit);
      return;
    }
    const contents = this.#contents.get(path);
    if (contents === undefined) this.#contents.set(path, [{ id: after, first: commit }]);
    else if (!contents.some(({ id }) => id === after)) contents.push({ id: after, first: commit });
  }

  /** Every path of which the range has a content, or which it took away. */
  paths(): Set<string> {
    return new Set([...this.#contents.keys(), ...this.#deleted.keys()]);
  }

  /** The commit that took a path away last, or that a content of it came with; null where the range has none. */
  commitOf(path: string, content: BlobId | null): string | null {
    if (content === null) return this.#deleted.get(path) ?? null;
    return this.#contents.get(path)?.find(({ id }) => id === content)?.first ?? null;
  }

  /**
   * What was there before the range, with what the range added: a path that was written once has the content whose first
   * commit comes before those of all others.
   * @param before what was there before the range
   * @param now what the range came to
   * @returns `contested`: paths of class once that have no such content, with all of theirs
   */
  joinedWith(before: Tree, now: Tree): { tree: Map<string, BlobId>; contested: Map<string, BlobId[]> } {
    const tree = new Map(before);
    const contested = new Map<string, BlobId[]>();
    for (const [path, contents] of this.#contents) {
      if (contents.length === 1 && now.get(path) === contents[0]?.id) continue;
      const kind = guardClass(path);
      const last = contents.at(-1) as Content;
      if (kind === "stranger" || kind === "attempt" || (before.has(path) && kind !== "kept")) continue;
      if (kind === "once" && contents.length > 1) {
        const standing = contents.find((each) => contents.every((other) => this.isBefore(each.first, other.first)));
        if (standing !== undefined) this.#put(tree, path, standing.id, before, now);
        else {
          contested.set(
            path,
            contents.map(({ id }) => id),
          );
          if (!now.has(path)) this.#put(tree, path, last.id, before, now);
        }
        // What an inbox has is the message, whatever was written over it.
      } else if (kind === "unread" && contents.length > 1 && now.has(path)) tree.set(path, (contents[0] as Content).id);
      else if (!now.has(path)) this.#put(tree, path, last.id, before, now);
    }
    return { tree, contested };
  }

  #put(tree: Map<string, BlobId>, path: string, id: BlobId, before: Tree, now: Tree): void {
    // Whether a guest's mail is still there is known when all of it is.
    const isGuest = path.endsWith("/guest.md");
    const isGone =
      !now.has(path) && !isGuest && (isSaidGone(path, id, now, before) || now.has(keptPath(path, id)) || isRenumbered(path, id, now));
    if (!isGone) tree.set(path, id);
  }

  /** Whether a commit of the range is another one, or comes before it. */
  isBefore(earlier: string, later: string): boolean {
    if (earlier === later) return true;
    const key = `${earlier} ${later}`;
    const known = this.#isBefore.get(key);
    if (known !== undefined) return known;
    const least = this.#order.get(earlier) ?? 0;
    const seen = new Set<string>();
    const ahead = [later];
    let found = false;
    while (!found && ahead.length > 0) {
      for (const parent of this.#parents.get(ahead.pop() as string) ?? []) {
        if (parent === earlier) found = true;
        // Parents come first, so what is older than the one looked for does not lead to it.
        if (seen.has(parent) || (this.#order.get(parent) ?? -1) < least) continue;
        seen.add(parent);
        ahead.push(parent);
      }
    }
    this.#isBefore.set(key, found);
    return found;
  }
}

const CONTENT = /^(sessions\/[^/]+\/artifacts\/[^/]+\/)[1-9]\d{0,6}\.[a-z0-9]{1,8}$/;

/** Whether an artifact's content has another number since, which a merge gave it. */
export function isRenumbered(path: string, id: BlobId, now: Tree): boolean {
  const folder = CONTENT.exec(path)?.[1];
  if (folder === undefined) return false;
  for (const [other, content] of now) if (content === id && other.startsWith(folder)) return true;
  return false;
}
