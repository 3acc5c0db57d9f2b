/** The published schemas. A test holds `templates/*.schema.json` to them. */
import * as z from "zod/mini";
import { teamSchema } from "../protocol/agents/nouns/team.ts";
import { SummarySchema } from "../protocol/board/nouns/summary.ts";
import { homeConfigSchema } from "../protocol/core/config/config-schema.ts";

/** The JSON schema (draft 2020-12) of `relay.yml`. */
export function configSchema(): Record<string, unknown> {
  return {
    title: "relay.yml",
    description: "Configuration of a Relay home, formats 1 and 2",
    ...(z.toJSONSchema(homeConfigSchema()) as Record<string, unknown>),
  };
}

/** The JSON schema (draft 2020-12) of a summary's front matter. */
export function summarySchema(): Record<string, unknown> {
  return {
    title: "Front matter of a summary",
    description: "sessions/<session>/summary.md of a Relay home",
    ...(z.toJSONSchema(SummarySchema) as Record<string, unknown>),
  };
}

/** The JSON schema (draft 2020-12) of `agents.pool.yml` and of every `session-agents-<session>.yml`. */
export function agentsSchema(): Record<string, unknown> {
  return {
    title: "Agents of Relay",
    description: "agents.pool.yml and session-agents-<session>.yml",
    ...(z.toJSONSchema(teamSchema()) as Record<string, unknown>),
  };
}
