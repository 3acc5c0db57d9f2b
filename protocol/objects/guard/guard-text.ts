/** Two things that an edited file may not lose: it stays readable, and a list that only grows keeps its lines. spec/git.md, "Guard". */

import { mostBytesAt } from "../check/check-files.ts";
import { CONFIG_PATH } from "../config/config-schema.ts";
import { nounAt } from "../tree/layout.ts";

/**
 * What is kept of a file that was changed: the text as it is, the same with what it must not lose, or the text before where the
 * new one cannot be read, or is larger than any that is laid out.
 * @param before the text that this clone had; null where it is no text
 * @param now the text that came; null where it is no text
 */
export function guardText(path: string, before: string | null, now: string | null): "before" | "now" | { text: string } {
  if (before === null || isTooLarge(path, before)) return "now";
  if (now === null || isTooLarge(path, now) || (now.trim() === "" && before.trim() !== "")) return "before";
  const { noun, place } = nounAt(path) ?? {};
  const isReadable = (text: string): boolean => noun?.edits?.isReadable?.(text, place) !== false;
  if (!isReadable(before)) return "now";
  if (!isReadable(now)) return "before";
  const text = noun?.edits?.joined?.(before, now, place) ?? null;
  return text === null ? "now" : { text };
}

/** Whether a file that is edited says nothing: it is empty, or nobody can read it. */
export function saysNothing(path: string, text: string | null): boolean {
  if (text === null || isTooLarge(path, text) || text.trim() === "") return true;
  const { noun, place } = nounAt(path) ?? {};
  return noun?.edits?.isReadable?.(text, place) === false;
}

/** Whether no clone lays a text out, because of its size. Of relay.yml its last good text counts. */
function isTooLarge(path: string, text: string): boolean {
  const most = mostBytesAt(path);
  // A character has one byte at least, and three at the most.
  return path !== CONFIG_PATH && 3 * text.length > most && new TextEncoder().encode(text).length > most;
}
