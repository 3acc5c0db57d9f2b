import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { readPool } from "../files/teams.ts";
import { withKnownTools } from "../nouns/agent.ts";
import { agentAnswer, agentAnswerFields, toolNames } from "./agent-answer.ts";

/** Lists the agents that a team can be made of. */
export const list_pool_agents = defineOperation({
  name: "list_pool_agents",
  tool: "board",
  command: "pool",
  summary: "List the agents of the pool, which teams are made from",
  when: "See the agents of the pool.",
  effect: "read",
  identity: "optional",
  output: () => ({ agents: z.array(z.object({ ...agentAnswerFields, tags: z.array(z.string()) })), problems: Faults }),
  async run(world) {
    const { agents, problems } = withKnownTools(readPool(world), toolNames());
    return withFaults({ agents: agents.map((agent) => ({ ...agentAnswer(agent), tags: [...agent.tags] })) }, [...problems]);
  },
});
