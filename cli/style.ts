/** How things look on a terminal: colour, columns, times. Colour only on a terminal, and never with NO_COLOR. */

import { seen } from "../protocol/index.ts";

/** Paints text; where colour is off, gives it back as it is. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  /** Columns of the terminal. */
  width: number;
  /** Now, in milliseconds since the epoch. */
  now: number;
}

/** What people see of one answer. */
// biome-ignore lint/suspicious/noExplicitAny: each entry knows the shape that its own operation answers.
export type Printer = (answer: any, style: Style, input: Record<string, unknown>) => string;
/** What people see of an operation's answer, by its name. */
export type Printers = Record<string, Printer>;

/** The style for a stream. */
export function styleFor(stream: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>, now: number): Style {
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
    width: stream.columns ?? 100,
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

/** Aligned columns, two spaces apart; the last is cut to the terminal's width. */
export function table(rows: readonly (readonly Cell[])[], style: Style): string {
  const text = (cell: Cell): string => (typeof cell === "string" ? cell : cell.text);
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text(cell).length);
  }
  return rows
    .map((row) => {
      let used = 0;
      const cells = row.map((cell, at) => {
        const last = at === row.length - 1;
        const room = Math.max(10, style.width - used);
        const shown = last ? cut(text(cell), room) : text(cell).padEnd(widths[at] as number);
        used += shown.length + 2;
        return typeof cell === "string" ? shown : cell.paint(shown);
      });
      return cells.join("  ").trimEnd();
    })
    .join("\n");
}

/** Text no longer than so many characters. */
export function cut(text: string, room: number): string {
  const characters = [...text];
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join("")}…`;
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
