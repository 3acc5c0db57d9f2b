import * as z from "zod/mini";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { listedOperations } from "../../core/operation.ts";
import type { ResolvedAgent } from "../nouns/agent.ts";

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
export const toolNames = (): string[] => Object.values(listedOperations()).flatMap(({ tool }) => tool?.name ?? []);

/** An agent, as every list of agents shows it. */
export function agentAnswer(agent: ResolvedAgent) {
  const { id, name, emoji, description, tools, basePersonaId, language } = agent;
  const spoken = { validate_prompt: agent.validatePrompt, review_checklist: agent.reviewChecklist };
  return withoutUndefined({ id, name, emoji, description, tools: [...tools], basePersonaId, language, ...spoken });
}
