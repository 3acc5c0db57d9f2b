/**
 * Breaks long lines between words, for terminals. Written here and not taken from a library, because it is given texts of
 * strangers: its cost grows with the length alone, and no text may spill into a line that looks like Relay's own.
 */
import { columns } from "./width.ts";

/** What joins a character to the next: at the end of a line it would take the bar of the next line with it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what paints a text.
const JOINERS_LAST = /[\u200c\u200d]+(?=(?:\u001b\[[\d;]*m)*$)/;
/** Marks that one character may carry; more are left out, as they would be written over the lines around it. */
const MARKS_MOST = 8;
const MARKS = new RegExp(`([\\p{Mn}\\p{Me}]{${MARKS_MOST}})[\\p{Mn}\\p{Me}]+`, "gu");

/** A line with nothing in it whose width depends on where it stands: tabs, and blanks that keep words together. */
const evened = (line: string): string =>
  line
    .replaceAll("\t", "    ")
    .replace(/\p{Zs}/gu, " ")
    .replace(MARKS, "$1")
    .replace(JOINERS_LAST, "");

/**
 * The lines of one line of text, none wider than `room` columns. It is broken between words, and within a word only where
 * `hard` says so and the word is wider than a line.
 * @param text may hold paint, which goes on in the next line
 */
export function lines(text: string, room: number, hard = false): string[] {
  const broken: string[] = [];
  let line = "";
  let used = 0;
  const end = (): void => {
    broken.push(line.trimEnd().replace(JOINERS_LAST, ""));
    line = "";
    used = 0;
  };
  for (const [, blanks = "", word = ""] of evened(text).matchAll(/( *)([^ ]*)/g)) {
    const width = columns(word);
    if (used > 0 && used + blanks.length + width > room && width > 0) end();
    else {
      line += blanks;
      used += blanks.length;
    }
    if (!hard || width <= room) {
      line += word;
      used += width;
      continue;
    }
    for (const piece of word.match(PIECES) ?? []) {
      const columnsHere = piece.startsWith("\u001b") ? 0 : columns(piece);
      if (used + columnsHere > room) end();
      line += piece;
      used += columnsHere;
    }
  }
  if (line !== "" || broken.length === 0) end();
  return broken;
}

/** What a word is made of: what paints it, and its characters with what is joined to them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what paints a text.
const PIECES = /\u001b\[[\d;]*m|[\s\S](?:[\p{Mn}\p{Me}\u200c]|\u200d(?!\u001b)[\s\S]){0,5}/gu;

/** What stands before a line that is continued: blanks, or the bar that marks somebody's text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the bar is painted.
const BEFORE = /^(?:(?:\u001b\[\d+m)*│(?:\u001b\[\d+m)*)?[ \t]*/;

/** Columns that a text has at least, however deep it stands. */
const MIN_ROOM = 20;

/** How much deeper a line goes on: so nothing that somebody wrote can look like a line of Relay's own. */
const DEEPER = "  ";

/** Stands for a blank within a command; no text that is printed can hold it. */
const HELD = "\u0001";
/** A command to paste: in backticks, or after a colon or an arrow up to the end of its sentence. */
const COMMANDS = /`[^`]+`|(?<=[:→] )relay (?:[^ ]*[^ .,;:)] (?!\())*[^ ]+/g;

/** A text whose commands hold together where one fits into a line. Of a stranger's text nothing is made wider than a line. */
const held = (text: string, room: number): string =>
  text.replace(COMMANDS, (command) => (columns(command) <= room ? command.replaceAll(" ", HELD) : command));

/** A text of many lines in `width` columns. A line goes on a little deeper than it began, and behind its bar where it has one. */
export function fitted(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const even = evened(line);
      if (columns(even) <= width) return [even];
      const whole = BEFORE.exec(even)?.[0] ?? "";
      const bar = whole.includes("│");
      // Blanks that would leave no room are as deep as the text may stand.
      const before = columns(whole) > width - MIN_ROOM ? whole.replace(/ +$/, " ") : whole;
      const deeper = bar ? "" : DEEPER;
      const room = Math.max(MIN_ROOM, width - columns(before) - deeper.length);
      const text = even.slice(whole.length);
      const [first = "", ...rest] = lines(bar ? text : held(text, room), room, bar).map((each) => each.replaceAll(HELD, " "));
      return [`${before}${first}`, ...rest.map((each) => `${before}${deeper}${each}`)];
    })
    .join("\n");
}
