import * as z from "zod/mini";
import type { ResolvedAgent } from "../../objects/agent/agent.ts";
import { withoutUndefined } from "../../objects/format/frontmatter.ts";

/** What every list of agents says of one. */
export const agentAnswerFields = {
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

/** The names of every tool that a server can offer. */
export async function toolNames(): Promise<string[]> {
  // Who answers it is in the list of all operations itself.
  const { operationList } = await import("../list.ts");
  return operationList.flatMap(({ tool }) => tool?.name ?? []);
}

/** An agent, as every list of agents shows it. */
export function agentAnswer(agent: ResolvedAgent) {
  const { id, name, emoji, description, tools, basePersonaId, language } = agent;
  const spoken = { validate_prompt: agent.validatePrompt, review_checklist: agent.reviewChecklist };
  return withoutUndefined({ id, name, emoji, description, tools: [...tools], basePersonaId, language, ...spoken });
}
