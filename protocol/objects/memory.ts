/** Memory: what a project, or one part, remembers: sections under `## key`, and dated entries. SPEC.md, "Memory". */
import { FILE_BYTES } from "./file-bytes.ts";

/** Where the project's memory lies. */
export const MEMORY_PATH = "memory/project.md";
/** Where what a part remembers lies. */
export const agentMemoryPath = (part: string): string => `memory/agents/${part}.md`;
/** Bytes of a memory at the most. */
export const MEMORY_BYTES = FILE_BYTES.memory;
/** A memory with more characters than these is more than a prompt should hold. */
export const MEMORY_LARGE = 40_000;

/** Says what is wrong with the key of a section; null when it is one. */
export function memoryKeyProblem(key: string): string | null {
  if (key.trim() === "") return "it is empty";
  if (key.startsWith("#")) return 'it begins with "#"';
  if (/[\r\n]/.test(key)) return "it has a line break";
  return null;
}

/**
 * The memory with a dated entry at its end.
 * @param day `yyyy-mm-dd`
 */
export function withEntry(memory: string, day: string, content: string): string {
  const before = ended(memory);
  return before + inLineBreaksOf(before, `\n---\n_${day}_\n\n${content}\n`);
}

/**
 * The memory with a lesson at its end; null when it has that lesson of that thread already, so that a close that is done
 * again keeps it once.
 */
export function withLesson(memory: string, day: string, lesson: string, thread: string): string | null {
  const entry = `${lesson} (${thread})`;
  return inLineBreaksOf("", memory).includes(inLineBreaksOf("", `\n\n${entry}\n`)) ? null : withEntry(memory, day, entry);
}

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

/**
 * The memory with a section put in the place of the one with its key, or added after all others; every other byte stays.
 * White space at the end of the content is left out, and its line breaks are those of the memory.
 */
export function withSection(memory: string, key: string, content: string): string {
  const body = content.replace(/\s+$/, "");
  // What would end the section too early, or what follows would belong to it: then its begin and its end are marked.
  const taken = new Set(linesOf(body).map(({ text }) => text));
  let number = 1;
  while (taken.has(endMark(key, number))) number += 1;
  const plain = body === "" ? [] : [body];
  const marked = [beginMark(key, number), ...plain, endMark(key, number)];
  const ways = beginOf(linesOf(body), 0, key) === null ? [plain, marked] : [marked];
  const tries = [put, putEarlier].flatMap((place) => ways.map((pieces) => () => place(memory, key, pieces)));
  for (const attempt of tries) {
    const { memory: result, isWhole } = attempt();
    if (isWhole) return result;
  }
  return put(memory, key, marked).memory;
}

/** A memory with a section in it, and whether it is read back as the section that was put there. */
interface Put {
  memory: string;
  isWhole: boolean;
}

/** Puts a section into the place of the one with its key, or after all others. */
function put(memory: string, key: string, pieces: readonly string[]): Put {
  const place = sectionOf(memory, key);
  if (place !== undefined) return join(memory.slice(0, place.start), key, pieces, memory.slice(place.end), memory);
  const before = ended(memory);
  return join(before + (memory === "" ? "" : inLineBreaksOf(before, "\n")), key, pieces, "", before);
}

/**
 * Puts a section before the first one whose end mark is missing: behind it, an end mark in what the section holds would
 * be taken for the missing one.
 */
function putEarlier(memory: string, key: string, pieces: readonly string[]): Put {
  const place = sectionOf(memory, key);
  const rest = place === undefined ? memory : memory.slice(0, place.start) + memory.slice(place.end).replace(/^\r?\n/, "");
  const start = scan(rest).sections.find(({ isUnended }) => isUnended)?.start ?? rest.length;
  return join(rest.slice(0, start), key, pieces, inLineBreaksOf(memory, "\n") + rest.slice(start), memory);
}

function join(before: string, key: string, pieces: readonly string[], after: string, memory: string): Put {
  const written = inLineBreaksOf(memory, `${[`## ${key}`, ...pieces].join("\n\n")}\n`);
  const found = sectionOf(before + written + after, key);
  return { memory: before + written + after, isWhole: found?.start === before.length && found.end === before.length + written.length };
}

const beginMark = (key: string, number: number): string => `<!-- begin of ${key}${number === 1 ? "" : ` (${number})`} -->`;
const endMark = (key: string, number: number): string => `<!-- end of ${key}${number === 1 ? "" : ` (${number})`} -->`;

/** The mark that ends a section, where its first line with words says that it has one. */
function beginOf(lines: readonly Line[], from: number, key: string): string | null {
  let first = from;
  while (lines[first]?.text.trim() === "") first += 1;
  const text = lines[first]?.text ?? "";
  const number = text === beginMark(key, 1) ? 1 : Number(/ \(([2-9]|[1-9]\d{1,3})\) -->$/.exec(text)?.[1] ?? 0);
  return number > 0 && text === beginMark(key, number) ? endMark(key, number) : null;
}

const sectionOf = (memory: string, key: string): Section | undefined => scan(memory).sections.find((section) => section.key === key);

/** Every section of a memory, and the fence that it leaves open at its end, if any. */
function scan(memory: string): { sections: Section[]; open: string } {
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
function ended(memory: string): string {
  const lineBreak = usesCrlf(memory) ? "\r\n" : "\n";
  const whole = memory === "" || memory.endsWith("\n") ? memory : `${memory}${lineBreak}`;
  const { open } = scan(memory);
  return open === "" ? whole : `${whole}${open}${lineBreak}`;
}

/** A text with the line breaks of the memory that it goes into. */
const inLineBreaksOf = (memory: string, text: string): string => text.replace(/\r*\n/g, usesCrlf(memory) ? "\r\n" : "\n");

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

/** A text as another can follow it, and not be part of its code. */
export const closed = (text: string): string => (text === "" ? "" : ended(text));

const isHeading = ({ text }: Line): boolean => text.startsWith("## ");
const isEntry = (lines: readonly Line[], at: number): boolean =>
  lines[at]?.text === "---" && /^_\d{4}-\d\d-\d\d_$/.test(lines[at + 1]?.text ?? "");

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf("\n", start);
    const end = at === -1 ? text.length : at + 1;
    lines.push({ text: text.slice(start, end).replace(/\r?\n$/, ""), start, end });
    start = end;
  }
  return lines;
}

const usesCrlf = (text: string): boolean => /\r\n/.test(text);

/** Follows code fences line by line, as CommonMark has them: what is inside of one is no heading. */
export class Fences {
  #mark = "";

  /** What would close the fence that is open; empty when none is. */
  get open(): string {
    return this.#mark;
  }

  /** Whether a line belongs to a fence, its first and last line as well. */
  next(line: string): boolean {
    const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const mark = found?.[1] ?? "";
    if (this.#mark === "") {
      // Backticks after the first ones are code within a line.
      if (mark === "" || (mark.startsWith("`") && found?.[2]?.includes("`"))) return false;
      this.#mark = mark;
      return true;
    }
    if (mark.startsWith(this.#mark) && found?.[2]?.trim() === "") this.#mark = "";
    return true;
  }
}
