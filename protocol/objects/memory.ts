/** Memory: what a project, or one part, remembers: sections under `## key`, and dated entries. SPEC.md, "Memory". */

/** Where the project's memory lies. */
export const MEMORY_PATH = "memory/project.md";
/** Where what a part remembers lies. */
export const agentMemoryPath = (part: string): string => `memory/agents/${part}.md`;
/** Bytes of a memory at the most. */
export const MEMORY_BYTES = 4 * 1_048_576;
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
  const entry = `\n---\n_${day}_\n\n${content}\n`;
  const before = `${memory}${memory === "" || memory.endsWith("\n") ? "" : "\n"}`;
  return before + (usesCrlf(memory) ? entry.replace(/\r?\n/g, "\r\n") : entry);
}

/**
 * The memory with a lesson at its end; null when it has that lesson of that thread already, so that a close that is done
 * again keeps it once.
 */
export function withLesson(memory: string, day: string, lesson: string, thread: string): string | null {
  const entry = `${lesson} (${thread})`;
  return memory.includes(`\n\n${entry}\n`) ? null : withEntry(memory, day, entry);
}

/** One line of a memory: its text without the line break, and where it lies. */
interface Line {
  text: string;
  start: number;
  end: number;
}

/**
 * The memory with a section put in the place of the one with its key, or added after all others; every other byte stays.
 * White space at the end of the content is left out.
 */
export function withSection(memory: string, key: string, content: string): string {
  const crlf = usesCrlf(memory);
  const body = content.replace(/\s+$/, "");
  const marked = needsEnd(body) ? `${body}\n\n${endOf(key)}` : body;
  const section = body === "" ? `## ${key}\n` : `## ${key}\n\n${marked}\n`;
  const written = crlf ? section.replace(/\r?\n/g, "\r\n") : section;
  const lineBreak = crlf ? "\r\n" : "\n";
  const place = placeOf(memory, key);
  if (place !== null) return memory.slice(0, place.start) + written + memory.slice(place.end);
  if (memory === "") return written;
  return `${memory}${memory.endsWith("\n") ? "" : lineBreak}${lineBreak}${written}`;
}

/** The line that ends a section whose content has lines that would end it otherwise. */
const endOf = (key: string): string => `<!-- end of ${key} -->`;

/** Whether a content has a line that begins a section or a dated entry, or leaves a fence open. */
function needsEnd(content: string): boolean {
  const lines = linesOf(content);
  const fences = new Fences();
  const inside = lines.map(({ text }) => fences.next(text));
  return fences.open || lines.some((_line, at) => !inside[at] && (isHeading(lines[at] as Line) || isEntry(lines, at)));
}

/** Where the section of a key lies, from its heading to its last line with words; null when there is none. */
function placeOf(memory: string, key: string): { start: number; end: number } | null {
  const lines = linesOf(memory);
  let fences = new Fences();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    if (fences.next(line.text) || !isHeading(line)) continue;
    const last = lastLine(lines, at);
    if (line.text === `## ${key}`) return { start: line.start, end: (lines[last] as Line).end };
    // What a section holds cannot begin another; a fence that it left open ends with it.
    at = last;
    fences = new Fences();
  }
  return null;
}

/** The last line with words of the section whose heading is at a line. */
function lastLine(lines: readonly Line[], heading: number): number {
  const end = endOf((lines[heading] as Line).text.slice(3));
  const marker = lines.findIndex(({ text }, at) => at > heading && text === end);
  if (marker !== -1) return marker;
  const fences = new Fences();
  let at = heading + 1;
  while (at < lines.length && (fences.next((lines[at] as Line).text) || !(isHeading(lines[at] as Line) || isEntry(lines, at)))) at += 1;
  let last = at - 1;
  while (last > heading && (lines[last] as Line).text.trim() === "") last -= 1;
  return last;
}

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
class Fences {
  #mark = "";

  get open(): boolean {
    return this.#mark !== "";
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
