/**
 * How many columns a text takes; the only file that knows string-width.
 *
 * What is broken and cut is measured by `columns`: at most so many, on any terminal, at a cost that grows with the length alone.
 * The texts are strangers', and a line that is wider than it was thought to be goes on at the left edge, where Relay's own lines
 * begin. What is only aligned is measured by `shownColumns`: as terminals of today show it.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: what paints a text.
const PAINT = /\u001b\[[\d;]*m/g;
const MARK = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Characters that may take two columns; where one takes less, a line ends early, which does no harm. */
const WIDE = /[\u1100-\u115f\u2300-\u23ff\u25fd\u25fe\u2600-\u27bf\u2b00-\u2bff\u2e80-\uffff\u{10000}-\u{10ffff}]/u;

/** Columns that a character takes at most. */
function columnsOf(character: string): number {
  if ((character.codePointAt(0) as number) < 0x300) return 1;
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Columns that a text on one line takes at most; what paints it takes none. */
export function columns(text: string): number {
  let sum = 0;
  for (const character of text.includes("\u001b") ? text.replace(PAINT, "") : text) sum += columnsOf(character);
  return sum;
}

type Measure = (text: string) => number;
/** The library's, once a text needed it. */
let measure: Measure | null = null;
/** Cells that are aligned are short; the library takes longer for a text of many parts. */
const ALIGNED_MOST = 500;
/** Beside ASCII: what takes one column wherever it stands. */
const PLAIN = /^[\x20-\x7e\u00a1-\u02ff\u2010-\u2027\u2190-\u21ff]*$/;

/**
 * Loads the library where an answer needs it: it takes some 20 ms, so that most commands go without.
 * @param width of the terminal; in a pipe, which has no end, nobody sees whether columns are aligned
 */
export async function readyFor(answer: unknown, width: number): Promise<void> {
  const isShown = measure === null && Number.isFinite(width);
  if (isShown && !PLAIN.test(JSON.stringify(answer))) measure = (await import("string-width")).default;
}

/** Columns that a text on one line takes on most terminals, so that what follows it is aligned; never more than `columns`. */
export function shownColumns(text: string): number {
  const most = columns(text);
  return measure === null || text.length > ALIGNED_MOST ? most : Math.min(most, measure(text));
}
