import * as z from "zod/mini";
import { LIMITS, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { appendMemory } from "../files/memories.ts";

/** Appends a dated entry to an agent's memory. */
export const append_memory = defineOperation({
  name: "append_memory",
  tool: "board",
  command: "memory append",
  summary: "Append a dated entry to your memory",
  when: "Add a note to your own memory.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["content"],
  input: () => ({ content: text(LIMITS.memoryContent, "Markdown") }),
  output: () => ({ path: z.string(), characters: z.number() }),
  example: { content: "The parser needs the flags first." },
  async run(world, input, { part }) {
    return appendMemory(world, part, input.content);
  },
});
