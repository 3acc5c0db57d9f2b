import * as z from "zod/mini";
import { flag, LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { ANSWER_CHARACTERS, textPage } from "../../core/paginate.ts";
import { conflictProblem } from "../../core/tree/conflict.ts";
import { meantPart } from "../../mail/files/guests.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { noteMemoryKnown } from "../files/known-memory.ts";
import { memoryOrigin, readMemory } from "../files/memories.ts";
import { contentsOf, readSection } from "../nouns/memory-blocks.ts";
import { MemoryOwner, requireOwner } from "./memory-owner.ts";

/** Reads a memory. */
export const read_memory = defineOperation({
  name: "read_memory",
  tool: "board",
  command: "memory read",
  summary: "Print the memory of the project, or of a part; --key: one section; --keys: what there is",
  when: "Read what the project remembers; key: one section.",
  effect: "read",
  identity: "none",
  positionals: ["agent_id"],
  input: () => ({
    agent_id: MemoryOwner(),
    key: maybe(line(LIMITS.memoryKey, "only this section")),
    keys: flag("only what there is"),
    all: flag("all of it, however long it is"),
    cursor: maybe(z.string()),
  }),
  unlisted: ["all", "cursor"],
  output: () => ({
    content: z.nullable(z.string()),
    /** The contents of the memory, in its order: sections by key, each key once, and entries by date. */
    keys: z.optional(z.array(z.object({ key: z.optional(z.string()), date: z.optional(z.string()), characters: z.number() }))),
    /** Number of keys and dates that are not listed. */
    more: z.optional(z.number()),
    origin: z.optional(z.string()),
    cursor: z.optional(z.string()),
    warning: z.optional(z.string()),
  }),
  example: { agent_id: "web" },
  async run(world, input) {
    const part = requireOwner(world, input.agent_id);
    const content = readMemory(world, part);
    const origin = broughtField(memoryOrigin(world, part));
    // Nobody's memory is mostly a name that was mistyped.
    const problem = content === null && part !== null ? meantPart(world, part).warning : (conflictProblem(content ?? "") ?? undefined);
    const rest = { ...origin, ...(problem === undefined ? {} : { warning: problem }) };
    if (input.keys === true) return { content: null, ...listOf(content ?? ""), ...rest };
    if (part === null) noteMemoryKnown(world, input.key);
    if (input.key === undefined) {
      if (content === null) return { content, ...rest };
      // Who prints it shows what there is: no text that came with a push floods who looks.
      const isLong = input.all !== true && !world.connection.lasting && content.length > ANSWER_CHARACTERS;
      return { ...textPage(world, content, input.cursor), ...(isLong ? listOf(content) : {}), ...rest };
    }
    const section = readSection(content ?? "", input.key);
    if (section !== null) return { ...textPage(world, section, input.cursor), ...rest };
    const { listed, more } = contentsOf(content ?? "");
    const there = [...listed.flatMap(({ key }) => key ?? []), ...(more === 0 ? [] : [`and ${more} more`])];
    const warning = `no section ${JSON.stringify(input.key)}; there ${there.length === 0 ? "is none" : `are: ${there.join(", ")}`}`;
    return { content: null, ...rest, warning };
  },
});

/** What there is in a memory, as an answer lists it. */
function listOf(content: string): { keys: ReturnType<typeof contentsOf>["listed"]; more?: number } {
  const { listed, more } = contentsOf(content);
  return { keys: listed, ...(more === 0 ? {} : { more }) };
}
