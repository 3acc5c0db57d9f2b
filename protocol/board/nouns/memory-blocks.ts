/** A memory in pieces, as they are merged: sections, dated entries, paragraphs. spec/git.md, "Merge". */
import { addTo } from "../../core/format/append.ts";
import { Fences } from "./code-fences.ts";

/** A piece of a memory: a section, a dated entry, or a paragraph of free text, and the white space after it. */
export interface Block {
  /** The key of a section; null for anything else. */
  key: string | null;
  text: string;
  gap: string;
}

/** A memory in pieces; together they are the memory, byte for byte. */
export function blocksOf(memory: string): Block[] {
  const sections = new Map(scan(memory).sections.map((section) => [section.start, section]));
  const lines = linesOf(memory);
  const starts: { start: number; key: string | null }[] = [{ start: 0, key: null }];
  let fences = new Fences();
  let inEntry = false;
  let end = 0;
  for (const [at, line] of lines.entries()) {
    if (line.start < end) continue;
    const section = sections.get(line.start);
    if (section !== undefined) starts.push(section);
    const isFirst = end > 0 && end === line.start && section === undefined;
    end = section?.end ?? 0;
    inEntry = section === undefined && (inEntry || isFirst) && !isFirst;
    if (section !== undefined) fences = new Fences();
    else if (fences.open === "" && line.text.trim() !== "") {
      if (isEntry(lines, at)) inEntry = true;
      if (isEntry(lines, at) || isFirst || (!inEntry && lines[at - 1]?.text.trim() === "")) starts.push({ start: line.start, key: null });
    }
    if (section === undefined) fences.next(line.text);
  }
  return starts
    .map(({ start, key }, at) => pieceOf(memory.slice(start, starts[at + 1]?.start), key))
    .filter(({ text, gap }) => text + gap !== "");
}

function pieceOf(whole: string, key: string | null): Block {
  const words = whole.trimEnd().length;
  const until = words === 0 ? 0 : words + (/^[^\S\n]*\n/.exec(whole.slice(words))?.[0].length ?? whole.length - words);
  return { key, text: whole.slice(0, until), gap: whole.slice(until) };
}

/** What follows the heading of a section, without the marks of its begin and end. */
export function contentOf({ key, text }: Block): string {
  const lines = linesOf(text);
  const mark = beginOf(lines, 1, key ?? "");
  const inner = lines.slice(1).map((line) => line.text);
  const isMarked = mark !== null && inner.at(-1) === mark;
  const content = isMarked ? inner.slice(inner.findIndex((line) => line.trim() !== "") + 1, -1) : inner;
  return content
    .join("\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
}

/** The content of the section of a key, without the marks around it; null where there is none. */
export function readSection(memory: string, key: string): string | null {
  const block = blocksOf(memory).find((each) => each.key === key);
  return block === undefined ? null : contentOf(block);
}

/** What a memory holds, in its order: each section by its key, each dated entry by its date, with their lengths in characters. */
export const contentsOf = (memory: string): { key?: string; date?: string; characters: number }[] =>
  blocksOf(memory).flatMap((block): { key?: string; date?: string; characters: number }[] => {
    const date = /^---\r?\n_(\d{4}-\d{2}-\d{2})_/.exec(block.text)?.[1];
    if (block.key !== null) return [{ key: block.key, characters: contentOf(block).length }];
    return date === undefined ? [] : [{ date, characters: block.text.length }];
  });

/** A text as another can follow it, and not be part of its code. */
export const closed = (text: string): string => (text === "" ? "" : ended(text));

/** One line of a memory: its text without the line break, and where it lies. */
interface Line {
  text: string;
  start: number;
  end: number;
}

/** A section, from its heading to its last line with words. */
interface Section {
  key: string;
  start: number;
  end: number;
  /** Whether it begins with a mark whose end is missing. */
  isUnended: boolean;
}

/** The line before a section's text; of several of one key, with its number, from 1. */
export const beginMark = (key: string, number: number): string => `<!-- begin of ${key}${number === 1 ? "" : ` (${number})`} -->`;
/** The line after a section's text. */
export const endMark = (key: string, number: number): string => `<!-- end of ${key}${number === 1 ? "" : ` (${number})`} -->`;

/** The mark that ends a section, where its first line with words says that it has one. */
export function beginOf(lines: readonly Line[], from: number, key: string): string | null {
  let first = from;
  while (lines[first]?.text.trim() === "") first += 1;
  const text = lines[first]?.text ?? "";
  const number = text === beginMark(key, 1) ? 1 : Number(/ \(([2-9]|[1-9]\d{1,3})\) -->$/.exec(text)?.[1] ?? 0);
  return number > 0 && text === beginMark(key, number) ? endMark(key, number) : null;
}

/** The section of a key in a memory; undefined where there is none. */
export const sectionOf = (memory: string, key: string): Section | undefined => scan(memory).sections.find((section) => section.key === key);

/** Every section of a memory, and the fence that it leaves open at its end, if any. */
export function scan(memory: string): { sections: Section[]; open: string } {
  const lines = linesOf(memory);
  const sections: Section[] = [];
  const ends = new Map<string, number[]>();
  for (const [at, { text }] of lines.entries()) if (text.startsWith("<!-- end of ")) addTo(ends, text, at);
  let fences = new Fences();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    if (fences.next(line.text) || !isHeading(line)) continue;
    const { last, open, isUnended } = lastLine(lines, at, ends);
    sections.push({ key: line.text.slice(3), start: line.start, end: (lines[last] as Line).end, isUnended });
    if (open !== "") return { sections, open };
    // What a section holds cannot begin another; a fence that it left open ends with it.
    at = last;
    fences = new Fences();
  }
  return { sections, open: fences.open };
}

/**
 * The last line with words of the section whose heading is at a line, and the fence that runs on to the end of the memory.
 * @param ends the lines of each mark of an end; those before the heading are taken away
 */
function lastLine(
  lines: readonly Line[],
  heading: number,
  ends: ReadonlyMap<string, number[]>,
): { last: number; open: string; isUnended: boolean } {
  const end = beginOf(lines, heading + 1, (lines[heading] as Line).text.slice(3));
  const marks = ends.get(end ?? "") ?? [];
  while ((marks[0] ?? heading + 1) <= heading) marks.shift();
  const marker = marks[0] ?? -1;
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
export const inLineBreaksOf = (memory: string, text: string): string => text.replace(/(?<!\r)\r*\n/g, usesCrlf(memory) ? "\r\n" : "\n");

const isHeading = ({ text }: Line): boolean => text.startsWith("## ");
const isEntry = (lines: readonly Line[], at: number): boolean =>
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
