/** The memories of a project and of parts, as files of a home. spec/board.md, "Memory". */
import { FILE_BYTES } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import { defineNoun, plainText } from "../../core/noun/noun.ts";
import { agentMemoryPath, MEMORY_PATH } from "./memory.ts";
import { mergeMemory } from "./merge-memory.ts";

/** A memory: of the project where it is no part's. */
export const memory = defineNoun({
  kind: "memory",
  words: ["memory", "memories"],
  at: "memory",
  path: ({ part }: { part: string | null }) => (part === null ? MEMORY_PATH : agentMemoryPath(part)),
  locate(path) {
    if (path === MEMORY_PATH) return { part: null };
    const part = /^memory\/agents\/(.+)\.md$/.exec(path)?.[1];
    return part !== undefined && partProblem(part) === null ? { part } : null;
  },
  limit: FILE_BYTES.memory,
  section: "spec/board.md, Memory",
  expected: "a memory",
  parse: plainText,
  author: ({ part }) => part,
  merge: { by: "text", join: (base, ours, theirs) => mergeMemory(base ?? "", ours, theirs) },
  effects: {
    reads: "all",
    of({ before, after }) {
      if (before === null) plainText(after);
      return [{ kind: "memory" as const }];
    },
  },
  guard: "kept",
  mustBeReadable: true,
  isEdited: true,
});
