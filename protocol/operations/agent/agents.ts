import * as z from "zod/mini";
import { readPool, readTeam } from "../../home/agent/agents.ts";
import { promptToStart, type ResolvedAgent, withKnownTools } from "../../objects/agent/agent.ts";
import { withoutUndefined } from "../../objects/format/header.ts";
import { LIMITS, line, maybe } from "../../objects/format/schema.ts";
import { definedOperations, defineOperation } from "../../operation.ts";
import { Faults, withFaults } from "../shapes.ts";

/** What every list of agents says of one. */
const shown = {
  id: z.string(),
  name: z.string(),
  emoji: z.string(),
  description: z.string(),
  tools: z.array(z.string()),
  basePersonaId: z.optional(z.string()),
  language: z.optional(z.string()),
  validate_prompt: z.optional(z.string()),
  review_checklist: z.optional(z.string()),
};

const common = { effect: "read", idempotent: true, identity: "optional", home: true, positionals: [] } as const;

/** The names of every tool that a server can offer. */
const toolNames = (): string[] => [...definedOperations.values()].flatMap(({ tool }) => tool?.name ?? []);

function summaryOf(agent: ResolvedAgent) {
  const { id, name, emoji, description, tools, basePersonaId, language } = agent;
  const spoken = { validate_prompt: agent.validatePrompt, review_checklist: agent.reviewChecklist };
  return withoutUndefined({ id, name, emoji, description, tools: [...tools], basePersonaId, language, ...spoken });
}

/** Lists the team of a session, with what each agent is told. */
export const listAgents = defineOperation({
  ...common,
  name: "list_agents",
  tool: { name: "list_agents", group: "board" },
  command: "agents",
  summary: "List the agents of a session's team; --json has their prompts too",
  when: "Get your session's team, with each agent's prompt.",
  input: () => z.object({ session_id: maybe(line(LIMITS.sessionId, "default: the current session")) }),
  output: () => z.object({ agents: z.array(z.object({ ...shown, systemPrompt: z.string() })), problems: Faults }),
  example: {},
  async run(world, { session_id: session }) {
    const { agents, problems } = withKnownTools(readTeam(world, session), toolNames());
    return withFaults({ agents: agents.map((agent) => ({ ...summaryOf(agent), systemPrompt: promptToStart(agent) })) }, [...problems]);
  },
});

/** Lists the agents that a team can be made of. */
export const listPoolAgents = defineOperation({
  ...common,
  name: "list_pool_agents",
  tool: { name: "list_pool_agents", group: "board" },
  command: "pool",
  summary: "List the agents that a team can be made of",
  when: "See which agents a team can be made of.",
  input: () => z.object({}),
  output: () => z.object({ agents: z.array(z.object({ ...shown, tags: z.array(z.string()) })), problems: Faults }),
  example: {},
  async run(world) {
    const { agents, problems } = withKnownTools(readPool(world), toolNames());
    return withFaults({ agents: agents.map((agent) => ({ ...summaryOf(agent), tags: [...agent.tags] })) }, [...problems]);
  },
});
