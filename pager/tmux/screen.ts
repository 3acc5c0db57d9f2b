/** The contents of a terminal: rows of cells, read from `capture-pane -e`. This file knows no agent and starts nothing. spec/waking.md, "Waking in tmux". */

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
