/** Agents, as a package: the pool, teams, hooks, and the programs in which agents run. */
import { findSession } from "../board/files/sessions.ts";
import type { Package } from "../core/package.ts";
import { allowedTools, teamIds } from "./files/agents.ts";

/** What agents give to the core. */
export const agents: Package = {
  knownIds(world, given) {
    const session = findSession(world, typeof given === "string" ? given : undefined);
    return session === null ? [] : teamIds(world, session);
  },
  allowedTools: (world) => allowedTools(world),
};
