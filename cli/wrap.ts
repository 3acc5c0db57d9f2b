/** Breaks long lines between words, for terminals. Loaded only where a terminal shows what is printed. */
import { stripVTControlCharacters } from "node:util";
import wrapAnsi from "wrap-ansi";

/**
 * The lines of one line of text, none wider than `room` columns where its words allow it: a longer word stays whole.
 * @param text may hold colours, which go on in the next line
 */
export const lines = (text: string, room: number): string[] => wrapAnsi(text, room, { hard: false, trim: true }).split("\n");

/** What stands before a line that is continued: blanks, or the bar that marks somebody's text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the bar is painted.
const BEFORE = /^(?:(?:\u001b\[\d+m)*│(?:\u001b\[\d+m)*)?[ \t]*/;

/** Columns that a text has at least, however deep it stands. */
const MIN_ROOM = 20;

/** How much deeper a line goes on: so nothing that somebody wrote can look like a line of Relay's own. */
const DEEPER = "  ";

/** A text of many lines in `width` columns. A line goes on a little deeper than it began, and behind its bar where it has one. */
export function fitted(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => {
      if (stripVTControlCharacters(line).length <= width) return [line];
      const before = BEFORE.exec(line)?.[0] ?? "";
      const bar = before.includes("│");
      const columns = bar ? stripVTControlCharacters(before).length : before.length + DEEPER.length;
      const [first = "", ...rest] = lines(line.slice(before.length), Math.max(MIN_ROOM, width - columns));
      return [`${before}${first}`, ...rest.map((each) => `${before}${bar ? "" : DEEPER}${each}`)];
    })
    .join("\n");
}
