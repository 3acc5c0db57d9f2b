/** What the project remembers beyond its threads. SPEC.md, "Memory". */

/** Where the lessons of closed threads are kept. */
export const MEMORY_PATH = "memory/project.md";
/** Bytes of it at the most. */
export const MEMORY_BYTES = 4 * 1_048_576;

/**
 * The memory with a lesson at its end; null when it has that lesson of that thread already, so that a close that is done
 * again keeps it once.
 * @param day `yyyy-mm-dd`
 */
export function withLesson(memory: string, day: string, lesson: string, thread: string): string | null {
  const entry = `\n\n${lesson} (${thread})\n`;
  if (memory.includes(entry)) return null;
  return `${memory}${memory === "" || memory.endsWith("\n") ? "" : "\n"}\n---\n_${day}_${entry}`;
}
