import * as z from "zod/mini";
import { flag, LIMITS, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { join } from "../../mail/files/guests.ts";
import { nameNow } from "../../mail/files/members.ts";
import { noteMemoryKnown } from "../files/known-memory.ts";
import { writeMemory } from "../files/memories.ts";
import { memoryKey } from "../nouns/memory.ts";
import { MemoryOwner, requireOwner } from "./memory-owner.ts";

/** Writes a section of a memory. */
export const write_memory = defineOperation({
  name: "write_memory",
  tool: "board",
  command: "memory write",
  summary: "Write or replace a section of the project's memory, or of a part's (--of); --append adds to it",
  when: "Remember something under a key; replaces that section.",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["key", "content"],
  input: () => ({
    agent_id: MemoryOwner(),
    key: memoryKey(),
    content: text(LIMITS.memoryContent, "Markdown"),
    append: flag("add to the section, do not replace it"),
  }),
  unlisted: ["append"],
  output: () => ({ path: z.string(), characters: z.number(), replaced: z.optional(z.number()) }),
  example: { key: "conventions", content: "Times are UTC." },
  async run(world, input) {
    const part = requireOwner(world, input.agent_id);
    // Whoever has a memory is somebody: it can be written to from now on.
    if (part !== null) join(world, { part: nameNow(world, part) });
    const written = await writeMemory(world, part, input.key, input.content, input.append === true);
    if (part === null) noteMemoryKnown(world, input.key);
    return written;
  },
});
