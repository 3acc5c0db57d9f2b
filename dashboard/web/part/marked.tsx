/** A text in which the words of a search are marked. */

/** @param query words with blanks between; case is ignored, as the search ignores it */
export function Marked({ text, query }: { text: string; query: string }) {
  const words = query.split(/\s+/).flatMap((word) => (word === "" ? [] : word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  // Every second piece is one that fits.
  const pieces = text.split(new RegExp(`(${words.join("|")})`, "iu"));
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}</>;
}
