import * as z from "zod/mini";
import { appendMemory, readMemory, writeMemory } from "../../home/memory/memories.ts";
import { originsOf } from "../../home/origin.ts";
import { join, requireDistinct } from "../../home/part/parts.ts";
import { nameNow } from "../../home/part/same-part.ts";
import { LIMITS, text } from "../../objects/format/schema.ts";
import { agentMemoryPath, MEMORY_PATH, memoryKeyProblem } from "../../objects/memory/memory.ts";
import { conflictProblem } from "../../objects/tree/conflict.ts";
import { broughtField } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import type { World } from "../../world.ts";
import { AgentId } from "../shapes.ts";

const shared = { home: true, identity: "none" } as const;
const whose = () => z.optional(AgentId("whose; left out: the project's"));

/** @throws Refusal `bad_part`, `part_exists` */
function checked(world: World, part: string | undefined): string | null {
  if (part !== undefined) requireDistinct(world, part);
  return part ?? null;
}

/** Reads a memory. */
export const readMemoryOperation = defineOperation({
  ...shared,
  name: "read_memory",
  tool: { name: "read_memory", group: "board" },
  command: "memory read",
  summary: "Print what the project, or a part, remembers",
  when: "Read what the project remembers, or (agent_id) what an agent does.",
  effect: "read",
  idempotent: true,
  positionals: ["agent_id"],
  input: () => z.object({ agent_id: whose() }),
  output: () => z.object({ content: z.nullable(z.string()), origin: z.optional(z.string()), warning: z.optional(z.string()) }),
  example: { agent_id: "web" },
  async run(world, input) {
    const part = checked(world, input.agent_id);
    const content = readMemory(world, part);
    const origin = broughtField(originsOf(world)(part === null ? MEMORY_PATH : agentMemoryPath(part)));
    const conflict = conflictProblem(content ?? "");
    return { content, ...origin, ...(conflict === null ? {} : { warning: conflict }) };
  },
});

/** Writes a section of a memory. */
export const writeMemoryOperation = defineOperation({
  ...shared,
  name: "write_memory",
  tool: { name: "write_memory", group: "board" },
  command: "memory write",
  summary: "Write a section of the project's memory, or of a part's (--of)",
  when: "Remember something under a key: the section is added or replaced.",
  effect: "write",
  idempotent: true,
  positionals: ["key", "content"],
  input: () =>
    z.object({
      agent_id: whose(),
      key: text(LIMITS.memoryKey, "the section's name").check(
        z.minLength(1),
        z.refine((key) => memoryKeyProblem(key) === null, 'one line that does not begin with "#"'),
      ),
      content: text(LIMITS.memoryContent, "Markdown"),
    }),
  output: () => z.object({ path: z.string(), characters: z.number() }),
  example: { key: "conventions", content: "Times are UTC." },
  async run(world, input) {
    const part = checked(world, input.agent_id);
    // Whoever has a memory is somebody: it can be written to from now on.
    if (part !== null) join(world, { part: nameNow(world, part) });
    return writeMemory(world, part, input.key, input.content);
  },
});

/** Appends a dated entry to an agent's memory. */
export const appendMemoryOperation = defineOperation({
  ...shared,
  name: "append_memory",
  tool: { name: "append_memory", group: "board" },
  command: "memory append",
  summary: "Append a dated entry to your memory",
  when: "Note something at the end of your own memory, with today's date.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["content"],
  input: () => z.object({ content: text(LIMITS.memoryContent, "Markdown") }),
  output: () => z.object({ path: z.string(), characters: z.number() }),
  example: { content: "The parser needs the flags first." },
  async run(world, input, { part }) {
    return appendMemory(world, part, input.content);
  },
});
