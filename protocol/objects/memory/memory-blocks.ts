/** A memory in pieces, as they are merged: sections, dated entries, paragraphs. spec/git.md, "Merge". */
import { Fences } from "../format/code-fences.ts";
import { beginOf, ended, isEntry, linesOf, scan } from "./memory-sections.ts";

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
