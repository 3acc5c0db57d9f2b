/** How things look on a terminal: colour, columns, times. Colour only on a terminal, and never with NO_COLOR. */

import { seen } from "../../protocol/internal.ts";
import { columns, fitted, lines } from "./wrap.ts";

/** Paints text; where colour is off, gives it back as it is. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  /** Columns of the terminal; without end where no terminal shows it, so that nothing is cut in a pipe. */
  width: number;
  /** The lines of a text in so many columns, broken between words; the text itself where no terminal shows it. */
  lines(text: string, room: number): string[];
  /** A text of many lines in the terminal's columns. */
  fit(text: string): string;
  /** Now, in milliseconds since the epoch. */
  now: number;
}

/** What people see of one answer. */
// biome-ignore lint/suspicious/noExplicitAny: each entry knows the shape that its own operation answers.
export type Printer = (answer: any, style: Style, input: Record<string, unknown>) => string;
/** What people see of an operation's answer, by its name. */
export type Printers = Record<string, Printer>;

/** The style for a stream, which breaks lines between words where the stream is a terminal. */
export function styleFor(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>, now: number): Style {
  const style = plainStyleFor(stream, env, now);
  if (stream.isTTY !== true) return style;
  const width = stream.columns || 80;
  return { ...style, width, lines, fit: (text) => fitted(text, width) };
}

/** The style for a stream whose lines are as long as they are. */
export function plainStyleFor(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>, now: number): Style {
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "";
  const off = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const colour = !off && (stream.isTTY === true || forced);
  const paint = (open: number, close: number) => (text: string) => (colour ? `\u001b[${open}m${text}\u001b[${close}m` : text);
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
    width: Number.POSITIVE_INFINITY,
    lines: (text) => [text],
    fit: (text) => text,
    now,
  };
}

/** Text that others wrote, made safe for a terminal: nothing that cannot be seen, or moves what is seen, but line breaks and tabs. */
export const plain = seen;

/** The same on one line. */
export const plainLine = (text: string): string => plain(text).replace(/\s+/g, " ").trim();

/** How long ago, in the shortest words; days and more as a date in the reader's zone. */
export function ago(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return "?";
  if (seconds < -60) return localTime(iso);
  if (seconds < 10) return "now";
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)}d ago`;
  return localTime(iso).slice(0, 10);
}

/** An instant in the reader's zone, `yyyy-mm-dd hh:mm`. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The same to the second. */
export const localSecond = (iso: string): string => `${localTime(iso)}:${String(new Date(iso).getSeconds()).padStart(2, "0")}`;

/** A cell: what is shown, and how it is painted after it was padded. */
export type Cell = string | { text: string; paint: (text: string) => string };

/** What becomes of a last column that is wider than the terminal: cut to one line, or broken between words. */
export type Overflow = "cut" | "wrap";

/** Columns that the last cell needs at least to stand beside the others. */
const LAST_AT_LEAST = 24;
const DEEPER = "    ";

/**
 * Aligned columns, two spaces apart. A column that is empty in every row is left out. Where the terminal is too narrow for
 * the last column to stand beside the others, each row takes several lines, broken between cells.
 * @param overflow of the last column
 */
export function table(rows: readonly (readonly Cell[])[], style: Style, overflow: Overflow = "wrap"): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columns(textOf(cell)));
  }
  const lasts = widths.length - 1;
  const used = widths.slice(0, lasts).reduce((sum, width) => sum + (width === 0 ? 0 : width + 2), 0);
  const beside = style.width - used >= Math.min(LAST_AT_LEAST, widths[lasts] ?? 0);
  return rows.map((row) => (beside ? rowOf(row, widths, used, style, overflow) : stackOf(row, style, overflow))).join("\n");
}

/** Text with blanks behind it up to so many columns. */
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - columns(text)));

const textOf = (cell: Cell): string => (typeof cell === "string" ? cell : cell.text);
const painted = (cell: Cell, text: string): string => (typeof cell === "string" ? text : cell.paint(text));

/** A row on one line; what its last cell has more stands below that cell. */
function rowOf(row: readonly Cell[], widths: readonly number[], used: number, style: Style, overflow: Overflow): string {
  const cells = row.slice(0, widths.length - 1).flatMap((cell, at) => {
    const width = widths[at] as number;
    return width === 0 ? [] : [painted(cell, padded(textOf(cell), width))];
  });
  const last = row[widths.length - 1] ?? "";
  const [first = "", ...rest] = linesOf(last, style, style.width - used, overflow);
  const lines = [[...cells, first].join("  "), ...rest.map((line) => " ".repeat(used) + line)];
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

/** What people type of an id: the random characters of a thread, of a message the five after the time in its token. */
export function short(id: string): string {
  const last = id.split("-").at(-1) ?? id;
  return id.startsWith("m-") ? last.slice(9, 14) : last;
}

/** A number with its noun. */
export const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** How to see what is older, where there is more. */
export const more = (answer: { cursor: string | null }, style: Style): string =>
  answer.cursor === null ? "" : `\n${style.dim(`older: --cursor ${answer.cursor}`)}`;
