/** Which contents of a file count: none over its limit, and of what is written once none that nobody can read. spec/git.md, "Guard". */

import { succeeds } from "../format/file-error.ts";
import type { Digest } from "../format/id.ts";
import { MOST_BYTES } from "../format/schema.ts";
import { isReadableAt, nounAt, ownerOf } from "./layout.ts";

/** How many bytes a file may have to be checked out. @param path in the home; of a path outside of the layout what binds all files */
export const mostBytesAt = (path: string): number => Math.min(MOST_BYTES, nounAt(ownerOf(path))?.noun.limit ?? MOST_BYTES);

/** Whether a text has more bytes than the file at a path may have, so that no clone checks it out. */
export function isTooLarge(path: string, text: string): boolean {
  const most = mostBytesAt(path);
  // A character has one byte at least, and three at the most.
  return 3 * text.length > most && new TextEncoder().encode(text).length > most;
}

/** Whether a text is within the limit, and, of a file that is edited, somebody can read it. @param text null for bytes that are no text */
export const isUsable = (path: string, text: string | null): text is string =>
  text !== null && !isTooLarge(path, text) && isReadableAt(path, text);

/**
 * Whether a content of a file that is written once is broken: it is over the limit, or nobody can read it. The first one that is
 * not stands. False of every other file.
 * @param text null for bytes that are no text
 */
export function isBroken(path: string, text: string | null, digest: Digest): boolean {
  const { noun, place } = nounAt(path) ?? {};
  if (noun?.guard !== "once") return false;
  if (text === null || isTooLarge(path, text)) return true;
  return !(noun.isIntact?.(text, place, digest) ?? succeeds(() => noun.parse(text, place, digest)));
}
