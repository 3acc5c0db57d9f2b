/**
 * A noun is one value: where its files lie, what they say and who says it, how two versions of one become one again, and what it
 * means that one is missing. `protocol/nouns.ts` is the list; whatever is done with every file of a home is a loop over it.
 * SPEC.md, "The tree".
 */

import { FileError } from "../format/file-error.ts";
import type { FindingCode } from "../format/finding.ts";
import { lineOfKey, parseFrontmatter } from "../format/frontmatter.ts";
import { withoutNul } from "../format/hidden.ts";
import type { Digest } from "../format/id.ts";
import type { BlobId, Tree } from "./merge-tree.ts";
import type { Effects } from "./noun-effects.ts";

/** A file of a side of a merge. */
export interface Version {
  id: BlobId;
  text: string;
}

/** Two versions as one. `isWhole` is false where something of one gave way that the text does not say: that version is kept beside. */
export interface JoinedText {
  text: string;
  isWhole: boolean;
}

/**
 * How two versions of a file become one. `first`: the one with the smaller key stays, and the other is kept beside it. `text`:
 * one text says what both do. `chain`: a task and its numbered claims are merged together. `versions`: one of two gets the
 * next number that is free.
 */
export type Merge<Where> =
  | { by: "first"; key(source: string, where: Where): string }
  | { by: "text"; join(base: string | null, ours: Version, theirs: Version, where: Where): JoinedText }
  | { by: "chain" | "versions" };

/** What a push may make of a file that is edited. What it may not is put right again. */
export interface Edits<Where> {
  /** A text for which this says no is not taken in the place of one for which it says yes. Without it `parse` says: it throws. */
  isReadable?(text: string, where: Where): boolean;
  /**
   * The new text with what it must not lose of the old one; null where it lost nothing. Both can be read.
   * @param has whether there is a file, before or now
   */
  joined?(before: string, now: string, where: Where, has: (path: string) => boolean): string | null;
}

/** A file that one tree has and another has not. */
export interface Gone {
  path: string;
  content: BlobId;
  /** The tree without it, and the one before. */
  tree: Tree;
  before: Tree;
}

/** Where a file counts, and as what. */
export interface Counted {
  /** The folder whose names are counted. */
  folder: string;
  n: number;
  /** The number of a name of the folder, 0 of one that is not counted; without it the one that the name begins with. */
  numberOf?(name: string): number;
  /** How far a number that arrives may lie above the highest that is here; without it as far as most. */
  jump?: number;
}

/** Something that a file refers to: another file, by the kind of its noun and its name. */
export interface Reference {
  /** The kind of the noun that is meant: a file of another noun with the same name is not. */
  readonly kind: string;
  /** What the noun's `name` says of the file that is meant, or its path where the noun has none. */
  readonly name: string;
  /** The key of the header that says so; absent where the path or the text says it. */
  readonly key?: string;
  /** The finding of `relay check` where nothing has the name; absent where what is meant may be missing. */
  readonly code?: FindingCode;
}

/** One noun. `Where` is what the path of a file of it says, `Value` what its text says, `Did` what a push can do by it. */
export interface Noun<Kind extends string, Where extends object, Value, Did = never> {
  readonly kind: Kind;
  /** What a record's message counts it as, one and many. Null: something else tells of it. */
  readonly words: readonly [one: string, many: string] | null;
  /** The names that all of its paths begin with, `*` for one that differs, at most three: by them the layout finds the noun. */
  readonly at: string;
  path(where: Where): string;
  /** The inverse of `path`; null for any other path. */
  locate(path: string): Where | null;
  /** Bytes of a file at the most: one that has more is neither checked out nor read. */
  readonly limit: number;
  /** The page and section of the specification that say how a file looks: `SPEC.md, Review`. */
  readonly section: string;
  /** What a reader expected of a file that is not so: `a review`. */
  readonly expected: string;
  /**
   * Reads a file.
   * @throws an error with the line, when it is not as it must be, or disagrees with its path
   */
  parse(source: string, where: Where, digest: Digest): Value;
  /** The inverse of `parse`; undefined where nobody writes the file as a whole. */
  format?(value: Value, where: Where, digest: Digest): string;
  /**
   * What other files call a file, and what a record counts it as: its id, after the session's of what lies in one (`s-1/task-…`).
   * Several files may be one thing. Without it a file is called by its path.
   */
  name?(where: Where): string;
  /**
   * What a file refers to, so that whoever asks for missing or for remaining references reads no field of any noun.
   * @param value what its text says; null where that cannot be read, so that only what its path says is told
   */
  refersTo?(where: Where, value: Value | null): readonly Reference[];
  /** Who made a file what it is; null where it does not say. @param before its text until then, for `byLastLine` alone */
  author?(where: Where, text: string | null, before: string | null): string | null;
  /** Where two versions differ. Without it both stay, one beside the other. */
  readonly merge?: Merge<Where>;
  /** `once`: the first bytes stay. `kept`: edited, but never gone. `unread`: gone once it is acked. */
  readonly guard: "once" | "kept" | "unread";
  /** Of a noun that is written once: whether a text may stand. Without it `parse` says: it throws. */
  isIntact?(text: string, where: Where, digest: Digest): boolean;
  /** Of a noun that is kept. */
  readonly edits?: Edits<Where>;
  /** Of a noun that is kept: whether a text that nobody can read is not checked out, because it would keep its owner from writing. */
  readonly mustBeReadable?: boolean;
  /** Whether people change a file of it in place, so that its last writer counts, and git may leave a conflict in it. */
  readonly isEdited?: boolean;
  /** Whether a tree without a file says why. Without it an absence is never a deletion: the file is restored. */
  absence?(where: Where, gone: Gone): boolean;
  /** Whether a file may be removed and come again, so that a history where it is gone at a time has no fault. */
  readonly mayReturn?: boolean;
  /** What a push does by its files, and how that is told. Without it nothing of them is told. */
  readonly effects?: Effects<Where, Did>;
  /** Where a file counts up, and as what number. */
  series?(where: Where): Counted;
}

/** A noun as it is written down: `path` says what a path says, and all else is checked against it. */
type Definition<Kind extends string, Where extends object, Value, Did> = { path(where: Where): string } & Noun<
  Kind,
  NoInfer<Where>,
  Value,
  Did
>;

/** Makes a noun of its definition; checks the definition's types against each other. */
export const defineNoun = <const Kind extends string, Where extends object, Value, Did = never>(
  noun: Definition<Kind, Where, Value, Did>,
): Noun<Kind, Where, Value, Did> => noun;

/** A noun of any kind, as a loop over the list holds it. */
// biome-ignore lint/suspicious/noExplicitAny: the list is heterogeneous; each noun checks its own paths and values.
export type AnyNoun = Noun<string, any, any, any>;

/** The paths of a noun of which a home has one file. */
export const onlyAt = (at: string) => ({ at, path: (_where: object): string => at, locate: (path: string) => (path === at ? {} : null) });

/** A file that is kept as it is, whatever it holds. */
export const verbatim = (source: string): string => source;

/** A file that is text, and nothing more is asked of it. @throws FileError */
export const plainText = (source: string): string => withoutNul(source);

/** @throws FileError when what a header says and what its path says are not the same */
export function agree(source: string, key: string, said: unknown, expected: string | number): void {
  if (said === expected) return;
  throw new FileError(
    `${key} and path disagree: expected ${JSON.stringify(expected)}, it says ${JSON.stringify(said)}`,
    lineOfKey(source, key),
  );
}

/** Of two files the one stays that says the earlier time. @param key of the header; one without a time comes last */
export const earliest = (key: string): Merge<unknown> => ({
  by: "first",
  key(source) {
    const value = parseFrontmatter(source).header[key];
    if (typeof value !== "string" || Number.isNaN(Date.parse(value))) throw new FileError(`"${key}" is not a time`, lineOfKey(source, key));
    return value;
  },
});

/** Whoever a line of the header names: also of a file that cannot be read whole. */
export function saidBy(key: string): (where: unknown, text: string | null) => string | null {
  const line = new RegExp(`^${key}: "?([A-Za-z0-9][\\w/-]*)"?\\r?$`, "m");
  return (_where, text) => (text === null ? null : (line.exec(text)?.[1] ?? null));
}

const LAST_LINE = /^- \S+ ([A-Za-z0-9][\w/-]*): .*$/gm;

/** Whoever the last line of a history names, of a file that says line by line who changed it: whoever edits it by hand adds none. */
export function byLastLine(_where: unknown, text: string | null, before: string | null): string | null {
  const [last, earlier] = [text, before].map((each) => [...(each ?? "").matchAll(LAST_LINE)].at(-1));
  if (last === undefined || last[0] === earlier?.[0]) return null;
  // Relay itself says what gave way to a claim or in a merge.
  return last[1] === "relay" ? null : (last[1] as string);
}
