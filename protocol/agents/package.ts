/** Agents, as a package: the pool, teams, hooks, and the programs in which agents run. */
import { findSession } from "../board/files/sessions.ts";
import type { Package } from "../core/package.ts";
import { allowedTools, teamIds } from "./files/agents.ts";
import { runHooks } from "./files/hooks.ts";
import { isTeamFile, teamFault } from "./files/teams.ts";
import { isTerminalGone } from "./hosts/host.ts";
import { AGENT_MARKS, hostOfClient } from "./hosts/index.ts";
import { resolveTeam } from "./nouns/agent.ts";
import type { TeamFile } from "./nouns/team.ts";

/** The values of agents for the core, mail, the board, sync and `check`. */
export const agents: Package = {
  hosts: () => ({
    marks: AGENT_MARKS,
    sessionVariable: (client) => hostOfClient(client)?.sessionVariable,
    callSeconds: (client) => hostOfClient(client)?.callSeconds,
    isTerminalGone(client, processes) {
      const host = hostOfClient(client);
      return host?.sharedProcess !== undefined && isTerminalGone(host, ...processes());
    },
  }),
  knownIds(world, given) {
    const session = findSession(world, typeof given === "string" ? given : undefined);
    return session === null ? [] : teamIds(world, session);
  },
  allowedTools: (world) => allowedTools(world),
  runHooks: (world, agentId, hook, taskId, sessionId) => runHooks(world, agentId, hook, taskId, sessionId),
  teamIds: (world, session) => teamIds(world, session),
  checkFiles() {
    let pool: TeamFile | null = null;
    return {
      brokenLines(parsed) {
        if (parsed.kind === "pool") return resolveTeam(parsed.value, null).problems;
        // A pool may also lie beside the home, in the project: what a team leaves out may be there.
        if (parsed.kind === "team") return pool === null ? parsed.value.problems : resolveTeam(parsed.value, pool).problems;
        return [];
      },
      take(_path, _place, parsed) {
        if (parsed?.kind === "pool") pool = parsed.value;
        return [];
      },
    };
  },
  probes: {
    async *grants(world) {
      yield* (await import("./files/examine-grants.ts")).examineGrants(world);
    },
  },
  teamFault: (store, path) => (isTeamFile(path) ? teamFault(store, path) : null),
};
