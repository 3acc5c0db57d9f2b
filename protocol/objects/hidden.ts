/** Characters that a person who reads a text does not see, or sees as others. SPEC.md, "Hooks and trust". */

/**
 * Control, format, private characters, lone surrogates, line separators, what a display may leave out (zero
 * width, tags, fillers, variation selectors), and the blank of Braille; but not tab and line feed.
 */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The first character of a text that a person would not see, as `U+200B`; null where there is none. */
export function hiddenIn(text: string): string | null {
  const found = HIDDEN.exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}
