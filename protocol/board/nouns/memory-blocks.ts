/** A memory in pieces, as they are merged: sections, dated entries, paragraphs. spec/git.md, "Merge". */
import { addTo } from "../../core/format/append.ts";
import { LIMITS } from "../../core/format/schema.ts";
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
  const { lines, sections } = scan(memory);
  const starts: { start: number; key: string | null }[] = [{ start: 0, key: null }];
  let fences = new Fences();
  let inEntry = false;
  let isAfterSection = false;
  let next = 0;
  for (let at = 0; at < lines.count; at += 1) {
    const section = sections[next];
    if (section?.first === at) {
      starts.push(section);
      fences = new Fences();
      inEntry = false;
      isAfterSection = true;
      at = section.last;
      next += 1;
      continue;
    }
    const isFirst = isAfterSection;
    isAfterSection = false;
    if (fences.open === "" && !lines.isBlank(at)) {
      const isEntry = lines.isEntry(at);
      if (isEntry) inEntry = true;
      if (isEntry || isFirst || (!inEntry && at > 0 && lines.isBlank(at - 1))) starts.push({ start: lines.start(at), key: null });
    }
    fences.next(lines.text(at));
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
export function contentOf({ key, text }: { key: string | null; text: string }): string {
  const lines = new Lines(text);
  const last = lines.count - 1;
  const mark = beginOf(lines, 1, key ?? "");
  const isMarked = mark !== null && lines.text(last) === mark;
  const first = isMarked ? lines.firstWords(1) + 1 : 1;
  const content = text.slice(lines.start(first), isMarked ? lines.start(last) : text.length).replace(/\r\n/g, "\n");
  const white = content.length - content.trimStart().length;
  return content.slice(content.lastIndexOf("\n", white - 1) + 1).trimEnd();
}

/** The content of the section of a key, without the marks around it; null where there is none. */
export function readSection(memory: string, key: string): string | null {
  const section = sectionOf(memory, key);
  return section === undefined ? null : contentOf({ key, text: memory.slice(section.start, section.end) });
}

/** The date of a dated entry; undefined of any other piece. */
export const dateOf = ({ text }: Block): string | undefined => /^---\r?\n_(\d{4}-\d{2}-\d{2})_/.exec(text)?.[1];

/** Number of sections and entries of a memory that are listed. */
const LISTED = 200;

/** A section by its key, or a dated entry by its date, with its length in characters. */
type Content = { key?: string; date?: string; characters: number };

/** The contents of a memory, in its order, each key once: the first of it, and the number of the others. */
export function contentsOf(memory: string): { listed: Content[]; more: number } {
  const keys = new Set<string>();
  const all = blocksOf(memory).filter((block) => {
    if (block.key === null) return dateOf(block) !== undefined;
    return !keys.has(block.key) && keys.add(block.key);
  });
  const listed = all.slice(0, LISTED).map((block): Content => {
    if (block.key === null) return { date: dateOf(block) as string, characters: block.text.length };
    return { key: shownKey(block.key), characters: contentOf(block).length };
  });
  return { listed, more: all.length - listed.length };
}

/** A key as an answer names it: one that no call can give is cut. */
export const shownKey = (key: string): string =>
  key.length > LIMITS.memoryKey ? `${key.slice(0, LIMITS.memoryKey).toWellFormed()}…` : key;

/** A text as another can follow it, and not be part of its code. */
export const closed = (text: string): string => (text === "" ? "" : ended(text));

/** A section, from its heading to its last line with words. */
interface Section {
  key: string;
  start: number;
  end: number;
  /** Its first and last line. */
  first: number;
  last: number;
  /** Whether it begins with a mark whose end is missing. */
  isUnended: boolean;
}

/** The line before a section's text; of several of one key, with its number, from 1. */
export const beginMark = (key: string, number: number): string => `<!-- begin of ${key}${number === 1 ? "" : ` (${number})`} -->`;
/** The line after a section's text. */
export const endMark = (key: string, number: number): string => `<!-- end of ${key}${number === 1 ? "" : ` (${number})`} -->`;

/** The mark that ends a section, where its first line with words says that it has one. */
export function beginOf(lines: Lines, from: number, key: string): string | null {
  const text = lines.text(lines.firstWords(from));
  if (!text.startsWith("<!-- begin of ")) return null;
  const number = text === beginMark(key, 1) ? 1 : Number(/ \(([2-9]|[1-9]\d{1,3})\) -->$/.exec(text)?.[1] ?? 0);
  return number > 0 && text === beginMark(key, number) ? endMark(key, number) : null;
}

/** The section of a key in a memory; undefined where there is none. */
export const sectionOf = (memory: string, key: string): Section | undefined => scan(memory).sections.find((section) => section.key === key);

/** The lines of a memory, every section of it, and the fence that it leaves open at its end, if any. */
export function scan(memory: string): { lines: Lines; sections: Section[]; open: string } {
  const lines = new Lines(memory);
  const sections: Section[] = [];
  const ends = new Map<string, number[]>();
  // From the last to the first: the next mark of an end is the last of its list.
  for (let at = lines.count - 1; at >= 0; at -= 1) if (lines.begins(at, "<!-- end of ")) addTo(ends, lines.text(at), at);
  let fences = new Fences();
  for (let at = 0; at < lines.count; at += 1) {
    if (fences.next(lines.text(at)) || !lines.isHeading(at)) continue;
    const { last, open, isUnended } = lastLine(lines, at, ends);
    sections.push({ key: lines.text(at).slice(3), start: lines.start(at), end: lines.start(last + 1), first: at, last, isUnended });
    if (open !== "") return { lines, sections, open };
    // What a section holds cannot begin another; a fence that it left open ends with it.
    at = last;
    fences = new Fences();
  }
  return { lines, sections, open: fences.open };
}

/**
 * The last line with words of the section whose heading is at a line, and the fence that runs on to the end of the memory.
 * @param ends the lines of each mark of an end, the last one first; those before the heading are taken away
 */
function lastLine(lines: Lines, heading: number, ends: ReadonlyMap<string, number[]>): { last: number; open: string; isUnended: boolean } {
  const end = beginOf(lines, heading + 1, lines.text(heading).slice(3));
  const marks = ends.get(end ?? "") ?? [];
  while ((marks.at(-1) ?? heading + 1) <= heading) marks.pop();
  const marker = marks.at(-1);
  if (marker !== undefined) return { last: marker, open: "", isUnended: false };
  const fences = new Fences();
  let at = heading + 1;
  while (at < lines.count && (fences.next(lines.text(at)) || !(lines.isHeading(at) || lines.isEntry(at)))) at += 1;
  let last = at - 1;
  while (last > heading && lines.isBlank(last)) last -= 1;
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

/** The lines of a text, by their numbers; a byte order mark before the first belongs to none. Each is cut out when it is asked for. */
export class Lines {
  readonly #text: string;
  readonly #starts: number[] = [];

  constructor(text: string) {
    this.#text = text;
    for (let start = text.startsWith("\uFEFF") ? 1 : 0; start < text.length; ) {
      this.#starts.push(start);
      const at = text.indexOf("\n", start);
      start = at === -1 ? text.length : at + 1;
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The place at which a line begins; behind the last one, the end of the text. */
  start(at: number): number {
    return this.#starts[at] ?? this.#text.length;
  }

  /** A line without its line break; empty behind the last one. */
  text(at: number): string {
    const [start, end] = [this.start(at), this.start(at + 1)];
    if (this.#text[end - 1] !== "\n" || end === start) return this.#text.slice(start, end);
    return this.#text.slice(start, end > start + 1 && this.#text[end - 2] === "\r" ? end - 2 : end - 1);
  }

  begins(at: number, words: string): boolean {
    return this.#text.startsWith(words, this.start(at));
  }

  isHeading(at: number): boolean {
    return this.begins(at, "## ");
  }

  isEntry(at: number): boolean {
    return this.begins(at, "---") && this.text(at) === "---" && /^_\d{4}-\d\d-\d\d_$/.test(this.text(at + 1));
  }

  isBlank(at: number): boolean {
    return /^\s*$/.test(this.text(at));
  }

  /** The first line with words at or behind a line. */
  firstWords(from: number): number {
    let at = from;
    while (at < this.count && this.isBlank(at)) at += 1;
    return at;
  }
}

const usesCrlf = (text: string): boolean => text.includes("\r\n");
