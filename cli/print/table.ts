/** Aligned columns. */
import { countWithin } from "../../protocol/core/format/many.ts";
import { ANSWER_CHARACTERS } from "../../protocol/core/paginate.ts";
import { columns, type Style, shownColumns } from "./style.ts";

/** A cell: what is shown, and how it is painted after it was padded. */
export type Cell = string | { text: string; paint: (text: string) => string };

/** What becomes of a last column that is wider than the terminal: cut to one line, or broken between words. */
type Overflow = "cut" | "wrap";

/** Columns that the last cell needs at least to stand beside the others. */
const LAST_AT_LEAST = 24;

const DEEPER = "    ";

/**
 * Aligned columns, two spaces apart. A column that is empty in every row is left out. Where the terminal is too narrow for
 * the last column to stand beside the others, each row takes several lines, broken between cells.
 * @param overflow of the last column
 */
export const table = (rows: Rows, style: Style, overflow: Overflow = "wrap"): string => linesOfRows(rows, style, overflow).join("\n");

/** As `table`, of as many rows as an answer has room for, and the number of the others. */
export const boundedTable = (rows: Rows, style: Style, overflow: Overflow = "wrap"): string =>
  boundedEntries(linesOfRows(rows, style, overflow), style).join("\n");

/** As many entries as an answer has room for, and a line that counts the others: a push may bring any number. */
export function boundedEntries(entries: readonly string[], style: Style): readonly string[] {
  const shown = Math.max(
    1,
    countWithin(entries, ANSWER_CHARACTERS, (lines) => lines.length + 1),
  );
  return shown >= entries.length
    ? entries
    : [...entries.slice(0, shown), style.dim(`and ${entries.length - shown} more, which --json has`)];
}

type Rows = readonly (readonly Cell[])[];

/** The rows, each with its line breaks. */
function linesOfRows(rows: Rows, style: Style, overflow: Overflow): string[] {
  const widths: Widths = { shown: [], most: [] };
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      widths.shown[at] = Math.max(widths.shown[at] ?? 0, shownColumns(textOf(cell)));
      widths.most[at] = Math.max(widths.most[at] ?? 0, columns(textOf(cell)));
    }
  }
  const room = style.width - takenBefore(widths.most);
  const beside = room >= Math.min(LAST_AT_LEAST, widths.most.at(-1) ?? 0);
  return rows.map((row) => (beside ? rowOf(row, widths.shown, room, style, overflow) : stackOf(row, style, overflow)));
}

/** How wide the columns of a table are: as most terminals show them, and at the most. */
interface Widths {
  shown: number[];
  most: number[];
}

/** Columns of a terminal before the last cell of a row. */
const takenBefore = (widths: readonly number[]): number =>
  widths.slice(0, -1).reduce((sum, width) => sum + (width === 0 ? 0 : width + 2), 0);

/** Text with blanks behind it up to so many columns. */
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - shownColumns(text)));

const textOf = (cell: Cell): string => (typeof cell === "string" ? cell : cell.text);

const painted = (cell: Cell, text: string): string => (typeof cell === "string" ? text : cell.paint(text));

/** A row on one line; what its last cell, which has so much room, has more stands below that cell. */
function rowOf(row: readonly Cell[], widths: readonly number[], room: number, style: Style, overflow: Overflow): string {
  const cells = row.slice(0, widths.length - 1).flatMap((cell, at) => {
    const width = widths[at] as number;
    return width === 0 ? [] : [painted(cell, padded(textOf(cell), width))];
  });
  const last = row[widths.length - 1] ?? "";
  const [first = "", ...rest] = linesOf(last, style, room, overflow);
  const lines = [[...cells, first].join("  "), ...rest.map((line) => " ".repeat(takenBefore(widths)) + line)];
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** A row on several lines, broken between its cells; its last cell, if it is long, on lines of its own. */
function stackOf(row: readonly Cell[], style: Style, overflow: Overflow): string {
  const lines: string[] = [];
  let room = 0;
  for (const [at, cell] of row.entries()) {
    const text = textOf(cell);
    const takes = columns(text);
    if (text.trim() === "") continue;
    if (takes + 2 <= room) {
      lines.push(`${lines.pop()}  ${painted(cell, text)}`);
      room -= takes + 2;
      continue;
    }
    const before = lines.length === 0 ? "" : DEEPER;
    const width = style.width - before.length;
    const broken = linesOf(cell, style, width, at === row.length - 1 ? overflow : "wrap");
    lines.push(...broken.map((line, which) => `${which === 0 ? before : DEEPER}${line}`));
    room = broken.length === 1 ? width - takes : 0;
  }
  return lines.join("\n");
}

/** The lines of a cell in so many columns, painted. */
function linesOf(cell: Cell, style: Style, room: number, overflow: Overflow): string[] {
  const text = textOf(cell);
  const lines = overflow === "cut" ? [cut(text, room)] : style.lines(text, room);
  return lines.map((line) => painted(cell, line));
}

/** Text no wider than so many columns; cut between words where one ends near there. */
export function cut(text: string, room: number): string {
  if (columns(text) <= room) return text;
  let used = 0;
  let kept = "";
  for (const character of text) {
    used += columns(character);
    if (used >= room) break;
    kept += character;
  }
  const end = kept.lastIndexOf(" ");
  return `${text[kept.length] === " " || end < kept.length / 2 ? kept : kept.slice(0, end)}…`;
}
