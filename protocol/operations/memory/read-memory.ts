import * as z from "zod/mini";
import { memoryOrigin, readMemory } from "../../home/memory/memories.ts";
import { meantPart } from "../../home/part/guests.ts";
import { conflictProblem } from "../../objects/tree/conflict.ts";
import { broughtField } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import { MemoryOwner, requireOwner } from "./memory-owner.ts";

/** Reads a memory. */
export const read_memory = defineOperation({
  name: "read_memory",
  tool: "board",
  command: "memory read",
  summary: "Print the memory of the project, or of a part",
  when: "Read the memory of the project, or (agent_id) of an agent.",
  effect: "read",
  identity: "none",
  positionals: ["agent_id"],
  input: () => ({ agent_id: MemoryOwner() }),
  output: () => ({ content: z.nullable(z.string()), origin: z.optional(z.string()), warning: z.optional(z.string()) }),
  example: { agent_id: "web" },
  async run(world, input) {
    const part = requireOwner(world, input.agent_id);
    const content = readMemory(world, part);
    const origin = broughtField(memoryOrigin(world, part));
    // Nobody's memory is mostly a name that was mistyped.
    const warning = content === null && part !== null ? meantPart(world, part).warning : (conflictProblem(content ?? "") ?? undefined);
    return { content, ...origin, ...(warning === undefined ? {} : { warning }) };
  },
});
