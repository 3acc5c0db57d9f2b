/** Memories on disk. Concurrent writers lose nothing: each change is one of a file that changes. spec/board.md, "Memory". */
import { acted } from "../../core/act.ts";
import { withoutNul } from "../../core/format/hidden.ts";
import { dayOf } from "../../core/format/id.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { namesOf } from "../../mail/files/members.ts";
import { exists } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { finishReplacing, replaceFile } from "../../store/write/replace.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import type { Origin } from "../../trust/nouns/origin.ts";
import { AGENT_MEMORIES, agentMemoryPath, MEMORY_BYTES, MEMORY_PATH, withEntry, withLesson, withSection } from "../nouns/memory.ts";
import { readSection } from "../nouns/memory-blocks.ts";

/** Where a memory lies, and how long it is now. */
export interface Written {
  path: string;
  characters: number;
  /** Characters of the section's text before, where it had one that is gone. */
  replaced?: number;
}

/**
 * The files of a memory that are there, the one that is written to first. A part that was renamed goes on in the file that it
 * has: a clone that has not heard of the new name writes there too, and neither loses what the other wrote.
 */
function pathsOf(world: World, part: string | null): [string, ...string[]] {
  if (part === null) return [MEMORY_PATH];
  const { store } = world.home();
  const [now = part, ...former] = namesOf(world, part);
  const paths = [now, ...former].map(agentMemoryPath);
  for (const path of paths) finishReplacing(store, path);
  const [first, ...more] = paths.filter((path) => exists(store, path));
  return first === undefined ? [agentMemoryPath(now)] : [first, ...more];
}

/** A file of a memory, and under which name a part wrote it; null of the project's. */
interface MemoryFile {
  path: string;
  part: string | null;
}

/** Every memory that is there. */
export function memoryFiles(world: World): MemoryFile[] {
  const { store } = world.home();
  const found: MemoryFile[] = [{ path: MEMORY_PATH, part: null }];
  const walk = (above: string): void => {
    for (const { name, kind } of entries(store, `${AGENT_MEMORIES}${above}`)) {
      const part = `${above}/${name}`.slice(1).replace(/\.md$/, "");
      if (kind === "folder" && partProblem(part) === null) walk(`${above}/${name}`);
      else if (name.endsWith(".md") && partProblem(part) === null) found.push({ path: agentMemoryPath(part), part });
    }
  };
  walk("");
  for (const { path } of found) finishReplacing(store, path);
  return found.filter(({ path }) => exists(store, path));
}

const sound = (path: string, memory: string): string => mustRead(path, () => withoutNul(memory));

/** The memory of a part, under whatever names it wrote, or (null) of the project; null when there is none. */
export function readMemory(world: World, part: string | null): string | null {
  const { store } = world.home();
  const texts = pathsOf(world, part).flatMap((path) => {
    finishReplacing(store, path);
    const memory = mustRead(path, () => readText(store, path, MEMORY_BYTES));
    return memory === null ? [] : [sound(path, memory)];
  });
  return texts.length === 0 ? null : texts.join("\n");
}

/** Where a memory came from: by sync, where that wrote any of the files that its text is of. */
export function memoryOrigin(world: World, part: string | null): Origin {
  const [first, ...more] = pathsOf(world, part).map(originsOf(world)) as [Origin, ...Origin[]];
  return [first, ...more].find(({ from }) => from === "sync") ?? first;
}

/** Adds or replaces a section; with `isMore` the content follows what the section has. */
export async function writeMemory(world: World, part: string | null, key: string, content: string, isMore = false): Promise<Written> {
  let replaced = 0;
  const written = await change(world, part, (memory) => {
    const before = readSection(memory, key) ?? "";
    replaced = isMore || before === content.trimEnd() ? 0 : before.length;
    // Done once more, it is done.
    if (isMore && before.endsWith(content.trimEnd())) return memory;
    return withSection(memory, key, isMore && before !== "" ? `${before}\n\n${content}` : content);
  });
  return replaced === 0 ? written : { ...written, replaced };
}

/** Appends a dated entry to a part's memory. */
export const appendMemory = (world: World, part: string, content: string): Promise<Written> =>
  change(world, part, (memory) => withEntry(memory, dayOf(world.now()), content));

/** Appends a lesson of a thread to the project's memory, once. @param day `yyyy-mm-dd` */
export async function learn(world: World, day: string, lesson: string, thread: string): Promise<void> {
  const path = MEMORY_PATH;
  await replaceFile(world.home().store, path, MEMORY_BYTES, (memory) => withLesson(sound(path, memory ?? ""), day, lesson, thread));
}

async function change(world: World, part: string | null, edit: (memory: string) => string): Promise<Written> {
  const [path] = pathsOf(world, part);
  const after = await replaceFile(world.home().store, path, MEMORY_BYTES, (memory) => edit(sound(path, memory ?? "")));
  acted(world, { event: { type: "memory:updated", part, path } });
  return { path, characters: after?.length ?? 0 };
}
