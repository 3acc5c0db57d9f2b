/** So much of a text is enough for a row. */
const LENGTH = 400;

/** The text by which Relay asks for a review, with what it says to who works at a command line; first the artifact's name, then the version. */
export const REQUEST = /^Please review (.+), version (\d+).*\s+Then: relay review submit [^"']*("why"|'END')?/;

/** The words of a Markdown text without its marks, for a row of a list. It is shown as text, so nothing has to be escaped. */
export const plain = (text: string): string =>
  text
    .slice(0, LENGTH)
    .replace(REQUEST, "Please review $1, version $2")
    .replace(/(```|~~~)\w*/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\|?(\s*:?-{3,}:?\s*\|)+/g, " ")
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, "")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/(^|\s)[*_](\S[^*_]*)[*_]/g, "$1$2")
    .replace(/\s*\|\s*/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** What a text says beside its subject, for a row. */
export const beside = (subject: string, text: string): string => {
  const words = plain(text);
  return words === plain(subject) ? "" : words;
};
