/**
 * How things look on a terminal: colour, and how many columns a text takes; the only file that knows string-width. Colour only on
 * a terminal, and never with NO_COLOR.
 *
 * What is broken and cut is measured by `columns`: at most so many, on any terminal. The texts are strangers', and a line that is
 * wider than it was thought to be goes on at the left edge, where Relay's own lines begin. What is only aligned is measured by
 * `shownColumns`: as terminals of today show it. Long lines are broken here and not by a library, because its cost grows with the
 * length alone, and no text may spill into a line that looks like Relay's own.
 */
import { styleText } from "node:util";
import { AGENT_MARKS } from "../../protocol/agents/hosts/index.ts";
import type { OutputOf, operations } from "../../protocol/index.ts";
import { isTerminal } from "./output.ts";

type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Paints text; where colour is off, returns it unchanged. */
export interface Style extends Record<Colour, (text: string) => string> {
  /** Columns of the terminal; without end where no terminal shows it, so that nothing is cut in a pipe. */
  width: number;
  /** The lines of a text in so many columns, broken between words; the text itself where no terminal shows it. */
  lines(text: string, room: number): string[];
  /** A text of many lines in the terminal's columns. */
  fit(text: string): string;
  /** Now, in milliseconds since the epoch. */
  now: number;
}

type OperationName = keyof typeof operations;

/** What an operation answers, with what may stand beside it. */
export type Answer<Name extends OperationName> = OutputOf<(typeof operations)[Name]>;

/** Prints for people: the answer of an operation. */
export type Printer<Name extends OperationName> = (answer: Answer<Name>, style: Style, input: Record<string, unknown>) => string;

/** Prints for people: an operation's answer, by its name. */
export type Printers = { readonly [Name in OperationName]?: Printer<Name> };

/** What there is to know of a stream. */
type Shown = Pick<NodeJS.WriteStream, "isTTY"> & { columns?: number };

/** The style for a stream, which breaks lines between words where the stream is a terminal. */
export function styleFor(stream: Shown, env: Readonly<Record<string, string | undefined>>, now: number): Style {
  const style = plainStyleFor(stream, env, now);
  if (stream.isTTY !== true) return style;
  const width = stream.columns || 80;
  return { ...style, width, lines, fit: (text) => fitted(text, width) };
}

/** The style for a stream whose lines are as long as they are. */
export function plainStyleFor(stream: Shown, env: Readonly<Record<string, string | undefined>>, now: number): Style {
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "";
  const off = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const colour = !off && (stream.isTTY === true || forced);
  // Whether the stream takes colour is known already.
  const paint = (name: Colour) => (text: string) => (colour ? styleText(name, text, { validateStream: false }) : text);
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
    width: Number.POSITIVE_INFINITY,
    lines: (text) => [text],
    fit: (text) => text,
    now,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what paints a text.
const PAINT = /\u001b\[[\d;]*m/g;
/** A pattern of Unicode's classes takes long to make, so each is made when it is needed. */
const mark = (): RegExp => /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Characters that may take two columns; where one takes less, a line ends early, which does no harm. */
const wide = (): RegExp => /[\u1100-\u115f\u2300-\u23ff\u25fd\u25fe\u2600-\u27bf\u2b00-\u2bff\u2e80-\uffff\u{10000}-\u{10ffff}]/u;

/** Columns that a character takes at most. */
function columnsOf(character: string): number {
  if ((character.codePointAt(0) as number) < 0x300) return 1;
  return mark().test(character) ? 0 : wide().test(character) ? 2 : 1;
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

/** What joins a character to the next: at the end of a line it would take the bar of the next line with it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what paints a text.
const JOINERS_LAST = /[\u200c\u200d]+(?=(?:\u001b\[[\d;]*m)*$)/;
/** Marks that one character may carry; more are left out, as they would be written over the lines around it. */
const MARKS_MOST = 8;
const marks = (): RegExp => new RegExp(`([\\p{Mn}\\p{Me}]{${MARKS_MOST}})[\\p{Mn}\\p{Me}]+`, "gu");

/** A line with nothing in it whose width depends on where it stands: tabs, and blanks that keep words together. */
const evened = (line: string): string =>
  line
    .replaceAll("\t", "    ")
    .replace(/\p{Zs}/gu, " ")
    .replace(marks(), "$1")
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
    for (const piece of word.match(pieces()) ?? []) {
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
const pieces = (): RegExp => /\u001b\[[\d;]*m|[\s\S](?:[\p{Mn}\p{Me}\u200c]|\u200d(?!\u001b)[\s\S]){0,5}/gu;

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

/** A text of many lines as standard output shows it: broken between words on a terminal. */
export const onScreen = (text: string): string => (process.stdout.isTTY ? fitted(text, process.stdout.columns || 80) : text);

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

/** Tells a person at a terminal from an agent: agents give some of the commands that they run a terminal. */
export const isPerson = (): boolean => isTerminal("stdout") && AGENT_MARKS.every((name) => (process.env[name] ?? "") === "");
