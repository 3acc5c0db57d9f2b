/** Parses one file of a home for the checks that compare files. spec/check.md, "Check". */
import type { Digest } from "../format/id.ts";
import { type NounKind, type NounPlace, nounOf, type ValueOf } from "../index.ts";
import type { Place } from "../tree/layout.ts";

/** A file that could be read: what its path and its text say, by the kind of its noun. */
export type ParsedFile = {
  [Kind in NounKind]: { kind: Kind; place: Extract<NounPlace, { kind: Kind }>; value: ValueOf<Kind> };
}[NounKind];

/** Whether the text of a file is read. Nouns without a limit of their own are a later version's. */
export const isRead = (place: Place): place is NounPlace =>
  place.kind !== "ignored" && place.kind !== "machine" && nounOf(place.kind).limit !== undefined;

/** What a file of a kind was expected to be; the section of the specification says how it looks. */
export function expectedOf(kind: NounKind): string {
  const { expected, section } = nounOf(kind);
  return `${expected} as ${section}, says`;
}

/**
 * Reads a file by its place.
 * @throws FileError, with the line, when it is not as it must be, or disagrees with its path
 */
export const readPlace = (place: NounPlace, source: string, digest: Digest): ParsedFile =>
  ({ kind: place.kind, place, value: nounOf(place.kind).parse(source, place, digest) }) as ParsedFile;
