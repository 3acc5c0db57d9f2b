/**
 * The contents of a terminal: rows of cells, read from `capture-pane -e`, and what stands in the input of an agent, by its
 * profile. This file starts nothing. spec/waking.md, "Waking in tmux".
 */
import type { Profile } from "./profiles.ts";
import { mayAsk } from "./unknown-screen.ts";

/** One character and how it is drawn. */
export interface Cell {
  text: string;
  /** Drawn faint (SGR 2). */
  faint: boolean;
  /** The colour parameters as the terminal was told them (`38;5;248`); empty for the default. */
  colour: string;
}

/** A pane at one moment. `cursor` counts columns and rows from 0. */
export interface Screen {
  rows: Cell[][];
  cursor: { x: number; y: number };
}

/** Reads what `capture-pane -p -e` printed. */
export function readScreen(captured: string, cursor: Screen["cursor"]): Screen {
  const pen: Pen = { faint: false, colour: "" };
  const rows = captured.replace(/\n$/, "").split("\n");
  return { rows: rows.map((row) => readRow(row, pen)), cursor };
}

/** How the next character is drawn; a row begins as the one before ended. */
interface Pen {
  faint: boolean;
  colour: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal is told with.
const PIECES = /\u001b\[([\d;:]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[\d;?]*[A-Za-z]|[\u000e\u000f]|(.)/gsu;

function readRow(row: string, pen: Pen): Cell[] {
  const cells: Cell[] = [];
  for (const [, style, text] of row.matchAll(PIECES)) {
    if (style !== undefined) draw(pen, style);
    else if (text !== undefined) cells.push({ text, ...pen });
  }
  return cells;
}

/** Takes over one SGR sequence. */
function draw(pen: Pen, style: string): void {
  const codes = style.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] as number;
    if (code === 0) Object.assign(pen, { faint: false, colour: "" });
    else if (code === 2) pen.faint = true;
    else if (code === 22) pen.faint = false;
    else if (code === 39) pen.colour = "";
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) pen.colour = String(code);
    else if (code === 38 || code === 48 || code === 58) {
      // 38;5;n or 38;2;r;g;b.
      const length = codes[at + 1] === 2 ? 5 : 3;
      if (code === 38) pen.colour = codes.slice(at, at + length).join(";");
      at += length - 1;
    }
  }
}

/** A row as plain text, without blanks at its end. The blank that some programs draw after their prompt, U+00A0, stays. */
export const textOf = (row: readonly Cell[] | undefined): string =>
  (row ?? [])
    .map(({ text }) => text)
    .join("")
    .replace(/[ \t]+$/, "");

/** All rows as plain text. */
export const textsOf = (screen: Screen): string[] => screen.rows.map(textOf);

/** The input line as the cursor's row shows it. */
export type Input =
  /** Nothing is typed; a hint of the agent's may stand there. */
  | { kind: "empty" }
  /** Exactly one line that was wanted. `rows` are the rows it fills, from the prompt on. */
  | { kind: "line"; line: string; rows: string[] }
  /** Something else, which is somebody's. */
  | { kind: "text" }
  /** The cursor is in no input line. */
  | { kind: "none" };

/**
 * Whether a question is open that Enter would answer. The questions of an agent with a profile take the place of its input line:
 * what looks like one above an input line is text, such as an answer that begins with a list, or what a person typed.
 */
export function asksSomething(screen: Screen, profile: Profile, input: Input): boolean {
  if (profile.dialogHidesInput) return input.kind !== "empty" && input.kind !== "line" && shows(screen, profile.dialog);
  const { y } = screen.cursor;
  return mayAsk(textsOf(screen), input.kind === "line" ? y - input.rows.length + 1 : y, y);
}

/** Whether the agent says that it works. */
export const saysBusy = (screen: Screen, profile: Profile): boolean => shows(screen, profile.busy);

/** The row in which a screen asks: the last that ends in a question mark, else the last that has one, else its last row. */
export function questionIn(screen: Screen): string {
  const rows = textsOf(screen)
    .map((row) => row.replace(/^[\s\u2500-\u259f]+|[\s\u2500-\u259f]+$/gu, ""))
    .filter((row) => row !== "");
  return rows.findLast((row) => /[?？]$/u.test(row)) ?? rows.findLast((row) => /\S[?？]/u.test(row)) ?? rows.at(-1) ?? "";
}

/** Rules are held against the rows about the cursor and below: what scrolled up may quote anything. */
const ROWS_ABOVE = 14;

function shows(screen: Screen, rules: readonly RegExp[]): boolean {
  const rows = textsOf(screen);
  const last = rows.findLastIndex((row) => row !== "");
  const from = Math.max(0, Math.min(screen.cursor.y, last) - ROWS_ABOVE);
  return rows.slice(from).some((row) => rules.some((rule) => rule.test(row)));
}

/** An input of one line has nothing below it, or its frame. A person's second line of text is neither. */
const NOT_TEXT = /^[\s\u2500-\u259f_=-]*$/;
/** A row of keys or of state right below the input of a program without a profile. */
const STATE =
  /^\s*(?:[?/]|(?:ctrl|shift|alt)\s?[-+])[^.]*\b(?:shortcuts|help|commands|exit|quit|newline)\b|\d% (?:context|left)|\bcontext\b.*\d%/iu;

/**
 * Reads the input line.
 * @param wanted gets the text that stands there, and says whether it is the wanted one
 */
export function readInput(screen: Screen, profile: Profile, wanted: (text: string) => boolean): Input {
  const { x, y } = screen.cursor;
  const row = screen.rows[y];
  if (row === undefined) return { kind: "none" };
  if (profile.box !== undefined) return readBox(screen, profile, profile.box, wanted);
  const start = promptWidth(row, profile);
  const next = textOf(screen.rows[y + 1]);
  const alone = NOT_TEXT.test(next) || (!profile.dialogHidesInput && STATE.test(next));
  if (start !== null && isEmpty(row, start, x, profile)) return { kind: alone ? "empty" : "text" };
  // A long line goes on in the rows below its prompt.
  for (let first = y; first >= 0 && first > y - ROWS_ABOVE; first -= 1) {
    const width = promptWidth(screen.rows[first] ?? [], profile);
    if (width === null) continue;
    const { text, rows } = writtenFrom(screen, profile, first, width);
    if (!alone || !wanted(text)) return { kind: "text" };
    return endsAt(screen.rows[y] as Cell[], x, profile) ? { kind: "line", line: text, rows } : { kind: "text" };
  }
  return { kind: "none" };
}

/** Reads an input line that no sign begins: the rows about the cursor, up to what bounds them above and below. */
function readBox(screen: Screen, profile: Profile, box: RegExp, wanted: (text: string) => boolean): Input {
  const { x, y } = screen.cursor;
  const bounds = (at: number): boolean => box.test(textOf(screen.rows[at]));
  const isBound = (at: number): boolean => bounds(at) && at !== y;
  let first = y;
  while (first > 0 && y - first < ROWS_ABOVE && !isBound(first - 1)) first -= 1;
  const row = screen.rows[y] ?? [];
  const width = promptWidth(screen.rows[first] ?? [], profile);
  const rows = screen.rows.slice(first, y + 1);
  if (width === null || !isBound(first - 1) || rows.some((each) => promptWidth(each, profile) === null)) return { kind: "none" };
  const alone = isBound(y + 1);
  if (first === y && isEmpty(row, width, x, profile)) return { kind: alone ? "empty" : "text" };
  const text = rows
    .map((each) => textOf(each.slice(width)).trim())
    .join(" ")
    .trim();
  const isWhole = alone && wanted(text) && endsAt(row, x, profile);
  return isWhole ? { kind: "line", line: text, rows: rows.map(textOf) } : { kind: "text" };
}

/** How many columns a row's prompt has; null where it has none. */
function promptWidth(row: readonly Cell[], profile: Profile): number | null {
  // An empty prompt's own blanks may be at the end of the row.
  const match = profile.prompt.exec(`${textOf(row)}  `);
  return match === null ? null : match[0].length;
}

function isEmpty(row: readonly Cell[], start: number, x: number, profile: Profile): boolean {
  if (x !== start) return false;
  const rest = row.slice(start);
  const written = textOf(rest).replace(profile.closing, "");
  if (written === "" || profile.hintWords?.test(written.trim()) === true) return true;
  // The first may be drawn as the cursor. A single one cannot be told from a letter that somebody went back over.
  return (
    written.length > 1 &&
    rest.slice(1, written.length).every((cell) => cell.text.trim() === "" || cell.faint || profile.hint?.test(cell.colour) === true)
  );
}

/** Whether nothing but the frame is right of the cursor. */
const endsAt = (row: readonly Cell[], x: number, profile: Profile): boolean =>
  textOf(row.slice(x)).replace(profile.closing, "").trim() === "" &&
  (x === 0 || row[x - 1] === undefined || row[x - 1]?.text.trim() !== "");

/** The text from a prompt to the cursor's row, and the rows as they are drawn. */
function writtenFrom(screen: Screen, profile: Profile, first: number, width: number): { text: string; rows: string[] } {
  const pieces: string[] = [];
  const rows: string[] = [];
  for (let at = first; at <= screen.cursor.y; at += 1) {
    const row = screen.rows[at] ?? [];
    rows.push(textOf(row));
    pieces.push(
      textOf(row.slice(at === first ? width : 0))
        .replace(profile.closing, "")
        .trim(),
    );
  }
  return { text: pieces.join(" ").trim(), rows };
}
