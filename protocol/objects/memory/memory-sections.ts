/** How a memory is read: its lines, its sections with the marks of their begin and end, its code fences. spec/board.md, "Memory". */
import { Fences } from "../format/code-fences.ts";

/** One line of a memory: its text without the line break, and where it lies. */
export interface Line {
  text: string;
  start: number;
  end: number;
}

/** A section, from its heading to its last line with words. */
export interface Section {
  key: string;
  start: number;
  end: number;
  /** Whether it begins with a mark whose end is missing. */
  isUnended: boolean;
}

export const beginMark = (key: string, number: number): string => `<!-- begin of ${key}${number === 1 ? "" : ` (${number})`} -->`;
export const endMark = (key: string, number: number): string => `<!-- end of ${key}${number === 1 ? "" : ` (${number})`} -->`;

/** The mark that ends a section, where its first line with words says that it has one. */
export function beginOf(lines: readonly Line[], from: number, key: string): string | null {
  let first = from;
  while (lines[first]?.text.trim() === "") first += 1;
  const text = lines[first]?.text ?? "";
  const number = text === beginMark(key, 1) ? 1 : Number(/ \(([2-9]|[1-9]\d{1,3})\) -->$/.exec(text)?.[1] ?? 0);
  return number > 0 && text === beginMark(key, number) ? endMark(key, number) : null;
}

export const sectionOf = (memory: string, key: string): Section | undefined => scan(memory).sections.find((section) => section.key === key);

/** Every section of a memory, and the fence that it leaves open at its end, if any. */
export function scan(memory: string): { sections: Section[]; open: string } {
  const lines = linesOf(memory);
  const sections: Section[] = [];
  let fences = new Fences();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    if (fences.next(line.text) || !isHeading(line)) continue;
    const { last, open, isUnended } = lastLine(lines, at);
    sections.push({ key: line.text.slice(3), start: line.start, end: (lines[last] as Line).end, isUnended });
    if (open !== "") return { sections, open };
    // What a section holds cannot begin another; a fence that it left open ends with it.
    at = last;
    fences = new Fences();
  }
  return { sections, open: fences.open };
}

/** The last line with words of the section whose heading is at a line, and the fence that runs on to the end of the memory. */
function lastLine(lines: readonly Line[], heading: number): { last: number; open: string; isUnended: boolean } {
  const end = beginOf(lines, heading + 1, (lines[heading] as Line).text.slice(3));
  const marker = end === null ? -1 : lines.findIndex(({ text }, at) => at > heading && text === end);
  if (marker !== -1) return { last: marker, open: "", isUnended: false };
  const fences = new Fences();
  let at = heading + 1;
  while (at < lines.length && (fences.next((lines[at] as Line).text) || !(isHeading(lines[at] as Line) || isEntry(lines, at)))) at += 1;
  let last = at - 1;
  while (last > heading && (lines[last] as Line).text.trim() === "") last -= 1;
  return { last, open: fences.open, isUnended: end !== null };
}

/** The memory as something can follow it: its last line is ended, and so is an open fence, or what follows would be code. */
export function ended(memory: string): string {
  const lineBreak = usesCrlf(memory) ? "\r\n" : "\n";
  const whole = memory === "" || memory.endsWith("\n") ? memory : `${memory}${lineBreak}`;
  const { open } = scan(memory);
  return open === "" ? whole : `${whole}${open}${lineBreak}`;
}

/** A text with the line breaks of the memory that it goes into. */
export const inLineBreaksOf = (memory: string, text: string): string => text.replace(/\r*\n/g, usesCrlf(memory) ? "\r\n" : "\n");

const isHeading = ({ text }: Line): boolean => text.startsWith("## ");
export const isEntry = (lines: readonly Line[], at: number): boolean =>
  lines[at]?.text === "---" && /^_\d{4}-\d\d-\d\d_$/.test(lines[at + 1]?.text ?? "");

/** The lines of a text; a byte order mark before the first belongs to none. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = text.startsWith("\uFEFF") ? 1 : 0; start < text.length; ) {
    const at = text.indexOf("\n", start);
    const end = at === -1 ? text.length : at + 1;
    lines.push({ text: text.slice(start, end).replace(/\r?\n$/, ""), start, end });
    start = end;
  }
  return lines;
}

const usesCrlf = (text: string): boolean => /\r\n/.test(text);
