/** The memory of a project or of one part: sections under `## key`, and dated entries. spec/board.md, "Memory". */
import * as z from "zod/mini";
import { FILE_BYTES, LIMITS, text } from "../../core/format/schema.ts";
import { beginMark, beginOf, ended, endMark, inLineBreaksOf, Lines, scan, sectionOf } from "./memory-blocks.ts";

/** Where the project's memory lies. */
export const MEMORY_PATH = "memory/project.md";
/** Where the memories of parts lie. */
export const AGENT_MEMORIES = "memory/agents";
/** Where what a part remembers lies. */
export const agentMemoryPath = (part: string): string => `${AGENT_MEMORIES}/${part}.md`;
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

/** The schema of a key. */
export const memoryKey = () =>
  text(LIMITS.memoryKey, "name of the section").check(
    z.minLength(1),
    z.refine((key) => memoryKeyProblem(key) === null, 'one line that does not begin with "#"'),
  );

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

/**
 * The memory with a section put in the place of the one with its key, or added after all others; every other byte stays.
 * White space at the end of the content is left out, and its line breaks are those of the memory.
 */
export function withSection(memory: string, key: string, content: string): string {
  const body = content.trimEnd();
  // What would end the section too early, or what follows would belong to it: then its begin and its end are marked.
  const lines = new Lines(body);
  const taken = new Set(Array.from({ length: lines.count }, (_, at) => lines.text(at)));
  let number = 1;
  while (taken.has(endMark(key, number))) number += 1;
  const plain = body === "" ? [] : [body];
  const marked = [beginMark(key, number), ...plain, endMark(key, number)];
  const ways = beginOf(lines, 0, key) === null && standsAlone(key, plain) ? [plain, marked] : [marked];
  const tries = [put, putEarlier].flatMap((place) => ways.map((pieces) => () => place(memory, key, pieces)));
  for (const attempt of tries) {
    const { memory: result, isWhole } = attempt();
    if (isWhole) return result;
  }
  return put(memory, key, marked).memory;
}

/** Whether a section with these pieces ends where they do, whatever follows it. */
function standsAlone(key: string, pieces: readonly string[]): boolean {
  const { memory } = join("", key, pieces, "", "");
  const { sections, open } = scan(memory);
  return open === "" && sections.length === 1 && sections[0]?.end === memory.length;
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
