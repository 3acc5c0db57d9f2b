import * as z from "zod/mini";
import { LIMITS, prose } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { readPool } from "../files/teams.ts";
import { suggest } from "../nouns/suggest-agents.ts";

/** Proposes agents of the pool for a task. Reads nothing but the pool: the same question has the same answer. */
export const team_suggest = defineOperation({
  name: "team_suggest",
  summary: "Propose agents of the pool for a task, with reasons",
  effect: "read",
  identity: "none",
  positionals: ["task"],
  input: () => ({ task: prose(LIMITS.taskDescription, "the work, in your words") }),
  output: () => ({
    agents: z.array(z.object({ id: z.string(), name: z.string(), emoji: z.string(), reason: z.string() })),
    problems: Faults,
  }),
  example: { task: "an API for prices, with tests" },
  async run(world, { task }) {
    const { agents, problems } = readPool(world);
    return withFaults({ agents: suggest(task, agents) }, [...problems]);
  },
});
