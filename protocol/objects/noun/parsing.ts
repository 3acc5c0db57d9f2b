/** The common pieces of many nouns: plain texts, headers that agree with the path, authors. SPEC.md, "The tree". */

import { FileError } from "../format/file-error.ts";
import { lineOfKey, parseFrontmatter } from "../format/frontmatter.ts";
import { withoutNul } from "../format/hidden.ts";
import type { Edits, Merge } from "./noun.ts";

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

/** Whether a text can be read. @param read throws where it cannot */
export function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** The edits of a noun of which only a text that can be read is taken. @param read throws for another */
export const readable = <Where>(read: (text: string, where: Where) => unknown): Edits<Where> => ({
  isReadable: (text, where) => isReadable(() => read(text, where)),
});

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
