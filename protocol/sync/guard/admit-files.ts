/**
 * Which files of a record may be checked out, by their paths and sizes: places of the layout; no twin
 * of a name that is here, nothing too large, no number that nobody counted to. Only a memory and a summary are read as well,
 * because one that nobody can read would keep its owner from writing. All else stays in the branch. spec/git.md, "What is checked out".
 */

import { agentMemoryPath } from "../../board/nouns/memory.ts";
import { addTo } from "../../core/format/append.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import type { Counted } from "../../core/noun/noun.ts";
import type { FileFault } from "../../core/refusal.ts";
import { mostBytesAt } from "../../core/tree/broken.ts";
import { arrivalOf, isReadableAt, nounAt } from "../../core/tree/layout.ts";
import { PLAIN_MODE } from "../../core/tree/record.ts";
import { countedAt, highestNamed, uncounted } from "../../core/tree/series.ts";
import { readBlobs, sizesOf } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import type { Repository } from "../../git/git-run.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { guestPath } from "../../mail/nouns/part-nouns.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";

/** What becomes of changes. */
export interface Admitted {
  /** In their order, each with the bytes of what is to be read. */
  files: { change: Change; bytes: number }[];
  /** Paths outside of the layout, which the branch carries. */
  strangers: string[];
  /** Places of the layout that are not checked out, and why. */
  skipped: FileFault[];
  /** Paths for the next call. */
  later: string[];
}

/** How much may be checked out: new files, and bytes. */
export interface Most {
  files: number;
  bytes: number;
}

/** However much it is. */
export const ALL: Most = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/**
 * Sorts changes.
 * @param ordered in the order in which they are checked out
 * @param most new files at the most, and bytes of what is checked out, before the new ones that come after are for later
 * @param members parts whose names stand where others differ from them in case alone; without them what is here, or came first, stands
 */
export async function admit(
  store: Store,
  repository: Repository,
  ordered: readonly Change[],
  most: Most,
  members: readonly string[] = [],
): Promise<Admitted> {
  const admitted: Admitted = { files: [], strangers: [], skipped: [], later: [] };
  const known: Change[] = [];
  for (const change of ordered) {
    const arrival = arrivalOf({ path: change.path, mode: change.after === null ? PLAIN_MODE : change.mode });
    if (arrival === "known") known.push(change);
    else if (change.after !== null) admitted.strangers.push(change.path);
  }
  const skip = (path: string, problem: string): void => void admitted.skipped.push({ path, problem });
  const twins = new Twins(store);
  for (const part of members) for (const path of [guestPath(part), agentMemoryPath(part)]) twins.of(path);
  const isCounted = counting(store, known);
  const left = known.filter(({ path, after }) => {
    if (after === null) return true;
    const [twin, counted] = [twins.of(path), isCounted(path)];
    if (twin !== null) skip(path, `its name differs only in case from ${twin}, which is here, so it stays in the branch`);
    else if (!counted) skip(path, "its number is far above the highest here, so it stays in the branch");
    return twin === null && counted;
  });
  const sizes = await sizesOf(repository, [...new Set(left.flatMap(({ before, after }) => [before, after].filter((id) => id !== null)))]);
  const isWithin = ({ path, after }: Change): boolean => after !== null && (sizes.get(after) as number) <= mostBytesAt(path);
  const unreadable = await unreadableOf(repository, left.filter(isWithin));
  let [made, held] = [0, 0];
  for (const change of left) {
    const { path, before, after } = change;
    const [was, is] = [before, after].map((id) => (id === null ? 0 : (sizes.get(id) as number))) as [number, number];
    const limit = mostBytesAt(path);
    if (is > limit)
      skip(path, `it has ${is} bytes, more than the limit of ${limit}, so it stays in the branch until somebody writes it anew`);
    else if (unreadable.has(path))
      skip(path, "its text cannot be read, so it stays in the branch until somebody writes it anew, or undoes the commit");
    else if (before === null && (admitted.later.length > 0 || made >= most.files || (made > 0 && held + is > most.bytes)))
      admitted.later.push(path);
    else {
      made += Number(before === null);
      // A name in an inbox is its message once more.
      if (locateInInbox(path) === null) held += is;
      // What was here and is too large to compare is taken for something that somebody wrote here.
      admitted.files.push({ change: was > limit ? { ...change, before: null } : change, bytes: (was > limit ? 0 : was) + is });
    }
  }
  return admitted;
}

/** The paths whose texts nobody can read, of nouns that have to be readable. One text is held at a time. */
async function unreadableOf(repository: Repository, changes: readonly Change[]): Promise<Set<string>> {
  const paths = new Map<string, string[]>();
  for (const { path, after } of changes) if (nounAt(path)?.noun.mustBeReadable === true) addTo(paths, after as string, path);
  const found = new Set<string>();
  for await (const { id, bytes } of readBlobs(repository, [...paths.keys()])) {
    const text = textOf(bytes);
    for (const path of paths.get(id) ?? []) if (text === null || !isReadableAt(path, text)) found.add(path);
  }
  return found;
}

/** Tells whether the number of each path that arrives is one that somebody can have counted to. */
function counting(store: Store, changes: readonly Change[]): (path: string) => boolean {
  const series = new Map<string, { of: Counted; numbers: number[] }>();
  for (const { path, after } of changes) {
    const counted = after === null ? null : countedAt(path);
    if (counted === null) continue;
    const known = series.get(counted.folder);
    if (known === undefined) series.set(counted.folder, { of: counted, numbers: [counted.n] });
    else known.numbers.push(counted.n);
  }
  const wrong = new Map<string, ReadonlySet<number>>();
  for (const [folder, { of, numbers }] of series) {
    // Nearly always all are small, and the disk need not be asked.
    const near = uncounted(0, numbers, of.jump);
    wrong.set(folder, near.size === 0 ? near : uncounted(highestNamed(of, names(store, folder)), numbers, of.jump));
  }
  return (path) => {
    const counted: Counted | null = countedAt(path);
    return counted === null || wrong.get(counted.folder)?.has(counted.n) !== true;
  };
}

/** The folders and files whose names people choose, so that two of them can differ in case alone: of parts and of sessions. */
const CHOSEN = /^(?:inbox\/.+?(?=\/(?:new|read|guest\.md))|memory\/agents\/.+|sessions\/[^/]+|session-agents-.+)/;

/** Finds names that differ only in case from one that is on the disk or came before. */
class Twins {
  readonly #store: Store;
  /** Of each folder: names in lower case → as they are. */
  readonly #folders = new Map<string, Map<string, string>>();
  readonly #told = new Map<string, string | null>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The path of the twin; null where there is none. */
  of(path: string): string | null {
    const chosen = CHOSEN.exec(path)?.[0];
    if (chosen === undefined) return null;
    const known = this.#told.get(chosen);
    if (known !== undefined) return known;
    const found = this.#look(chosen);
    this.#told.set(chosen, found);
    return found;
  }

  #look(chosen: string): string | null {
    for (let from = 0; from !== -1; ) {
      const to = chosen.indexOf("/", from);
      const [folder, name] = [chosen.slice(0, Math.max(0, from - 1)), chosen.slice(from, to === -1 ? undefined : to)];
      const here =
        this.#folders.get(folder) ?? new Map(names(this.#store, folder === "" ? "." : folder).map((each) => [each.toLowerCase(), each]));
      this.#folders.set(folder, here);
      const there = here.get(name.toLowerCase());
      if (there !== undefined && there !== name) return folder === "" ? there : `${folder}/${there}`;
      here.set(name.toLowerCase(), name);
      from = to === -1 ? -1 : to + 1;
    }
    return null;
  }
}
