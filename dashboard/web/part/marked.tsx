/** A text in which the words of a search are marked. */

/** @param query words with blanks between, or in double quotes what belongs together; case is ignored, as the search ignores it */
export function Marked({ text, query }: { text: string; query: string }) {
  const words = (query.match(/"[^"]+"|[^\s"]+/g) ?? []).map((word) => word.replaceAll('"', "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // Every second piece is one that fits.
  const pieces = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join("|")})`, "iu"));
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}</>;
}
