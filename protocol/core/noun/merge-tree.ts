/** The words of the merge: trees, what is decided for a path, and names for what gave way. spec/git.md, "Merge". */
import { orElse } from "../format/file-error.ts";

/** A content in place of one that is too large to be read: no text, so it is joined with nothing. */
export const UNREADABLE: Uint8Array = Uint8Array.of(0xff);

/** Names a file's content: equal ids, equal bytes. */
export type BlobId = string;
/** The files of a home as one record of them has it: path → content. */
export type Tree = ReadonlyMap<string, BlobId>;
/** What a path holds after a merge: a content that one side has, a merged one, or nothing. */
export type Outcome = { take: BlobId } | { content: string } | { absent: true };
/** What was decided, by path. */
export type Outcomes = Map<string, Outcome>;
/** A content's text; null where it is not UTF-8. */
export type ReadBlob = (id: BlobId) => string | null;

/** A side of a merge. */
export type Side = "ours" | "theirs";

/** Two trees and what they have in common. */
export interface Sides {
  base: Tree;
  ours: Tree;
  theirs: Tree;
  /** The side that other clones may have: what was written once stays as it is there. Without it no side goes first. */
  published?: Side | undefined;
}

/** A path that is not the same on both sides. */
export interface Difference {
  path: string;
  base: BlobId | undefined;
  ours: BlobId | undefined;
  theirs: BlobId | undefined;
}

/** A path that both sides have, each with a content of its own. */
export interface Conflict extends Difference {
  ours: BlobId;
  theirs: BlobId;
}

/** What can be decided only by reading: which contents, and what follows from them. */
export interface Job {
  needs: readonly BlobId[];
  run(read: ReadBlob): Outcomes;
}

/** A path or name of a kept file. */
const KEPT = /\.kept-[0-9a-f]{12}$/;
/** Whether a path names what gave way in a merge. Such files are no objects: readers ignore them, nobody removes them. */
export const isKept = (path: string): boolean => KEPT.test(path);
/** The name that such a file lies beside; another path as it is. */
export const besideOf = (path: string): string => path.replace(KEPT, "");
/** Where a content that gave way is kept: beside the one that did not. */
export const keptPath = (path: string, id: BlobId): string => `${path}.kept-${id.slice(0, 12)}`;

/** Gives a content. */
export type Blobs = (id: BlobId) => Uint8Array | string;

/** An answer that takes reading first: both come of one analysis, so that nothing is asked for but what was read. */
export interface Plan<T> {
  /** The contents that have to be read. */
  needs: ReadonlySet<BlobId>;
  /** Answers. @param blobs gives the content of each id of `needs` */
  run(blobs: Blobs): T;
  /** What takes reading, one by one, for whoever does not hold all contents at once. */
  jobs: readonly Job[];
  /** Answers. @param decided what the jobs decided */
  concluded(decided: Outcomes): T;
}

/** A plan of jobs. @param concluded answers, by what they decided */
export const planOf = <T>(jobs: readonly Job[], concluded: (decided: Outcomes) => T): Plan<T> => ({
  needs: needsOf(jobs),
  jobs,
  concluded,
  run(blobs) {
    const read = readerOf(blobs);
    return concluded(new Map(jobs.flatMap((job) => [...job.run(read)])));
  },
});

/** The contents that jobs need. */
const needsOf = (jobs: readonly Job[]): Set<BlobId> => new Set(jobs.flatMap(({ needs }) => needs));

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as text, with the byte order mark where they have one; null where they are not UTF-8. */
export const textOf = (bytes: Uint8Array): string | null => orElse(null, () => decoder.decode(bytes));

/** Reads contents as text. */
export const readerOf =
  (blobs: Blobs): ReadBlob =>
  (id) => {
    const content = blobs(id);
    return typeof content === "string" ? content : textOf(content);
  };

/** A winner in its place, and the other content beside it. */
export function keepBoth(path: string, winner: BlobId, loser: BlobId): Outcomes {
  return new Map([
    [path, { take: winner }],
    [keptPath(path, loser), { take: loser }],
  ]);
}

/** Of two contents the one that can be read in its place, else the smaller one, and the other beside it. */
export function keepReadable(path: string, ids: readonly [BlobId, BlobId], isReadable: (id: BlobId) => boolean): Outcomes {
  const [one, other] = ordered(...ids);
  return isReadable(one) || !isReadable(other) ? keepBoth(path, one, other) : keepBoth(path, other, one);
}

/** The content of the side that was published, then the other one; null where no side was. */
export function byPublication({ published }: Sides, { ours, theirs }: Conflict): [BlobId, BlobId] | null {
  if (published === undefined) return null;
  return published === "ours" ? [ours, theirs] : [theirs, ours];
}

/** Two contents in an order that does not hang on which side is which. */
export const ordered = <T extends string>(one: T, other: T): [T, T] => (one < other ? [one, other] : [other, one]);

/** A merged text; a side's own content where it is the same. */
export function outcomeOf(text: string, sides: readonly { id: BlobId; text: string }[]): Outcome {
  const same = sides.filter((side) => side.text === text).map(({ id }) => id);
  return same[0] === undefined ? { content: text } : { take: same.sort()[0] as BlobId };
}
