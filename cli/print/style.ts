/** How things look on a terminal: colour and width. Colour only on a terminal, and never with NO_COLOR. */
import { styleText } from "node:util";
import { fitted, lines } from "./wrap.ts";

type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Paints text; where colour is off, gives it back as it is. */
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

/** Prints for people: one answer. */
// biome-ignore lint/suspicious/noExplicitAny: each entry knows the shape that its own operation answers.
export type Printer = (answer: any, style: Style, input: Record<string, unknown>) => string;

/** Prints for people: an operation's answer, by its name. */
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
