/** NUL in a text: no text for people or agents has one. SPEC.md, "Limits". */

/** What is wrong with a text that has one. */
export const NUL_PROBLEM = "expected text without NUL characters, it has one";

/** The line of the first NUL of a text, counted from 1; null where there is none. */
export function nulLine(text: string): number | null {
  const at = text.indexOf("\0");
  return at === -1 ? null : text.slice(0, at).split("\n").length;
}
