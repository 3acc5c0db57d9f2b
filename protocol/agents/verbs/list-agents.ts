import * as z from "zod/mini";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { readTeam } from "../files/teams.ts";
import { promptToStart, withKnownTools } from "../nouns/agent.ts";
import { agentAnswer, agentAnswerFields, toolNames } from "./agent-answer.ts";

/** Lists the team of a session, with what each agent is told. */
export const list_agents = defineOperation({
  name: "list_agents",
  tool: "board",
  command: "agents",
  summary: "List the agents of a session's team; --json also has their prompts",
  when: "Get your session's team, with each agent's prompt.",
  effect: "read",
  identity: "optional",
  input: () => ({ session_id: maybe(line(LIMITS.sessionId, "default: the current session")) }),
  output: () => ({ agents: z.array(z.object({ ...agentAnswerFields, systemPrompt: z.string() })), problems: Faults }),
  async run(world, { session_id: session }) {
    const { agents, problems } = withKnownTools(readTeam(world, session), toolNames());
    return withFaults({ agents: agents.map((agent) => ({ ...agentAnswer(agent), systemPrompt: promptToStart(agent) })) }, [...problems]);
  },
});
