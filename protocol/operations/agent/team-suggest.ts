import * as z from "zod/mini";
import { readPool } from "../../home/agent/teams.ts";
import { suggest } from "../../objects/agent/suggest-agents.ts";
import { LIMITS, prose } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { Faults } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";

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
