/** The agents of a home: the pool, and the team of each session. spec/agents.md, "Team files". */
import { type ResolvedAgent, type ResolvedTeam, resolveTeam } from "../../objects/agent/agent.ts";
import { POOL_PATH, type TeamFile } from "../../objects/agent/team.ts";
import { teamPath } from "../../objects/session/session.ts";
import { Refusal, refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { faultOf } from "../broken-files.ts";
import { namesOf } from "../part/members.ts";
import { findSession, readSession } from "../session/sessions.ts";
import { hasTeamFile, noteUnreadable, poolFile, sessionsWithTeams, teamFile } from "../session/team-files.ts";
import { isAsArrived } from "./arrived-teams.ts";

/** A team of nobody. */
const NOBODY: ResolvedTeam = { agents: [], problems: [] };

/** What a file resolved to, beside which pool. */
const resolved = new WeakMap<TeamFile, { pool: TeamFile | null; team: ResolvedTeam }>();

function resolvedTeam(file: TeamFile, pool: TeamFile | null): ResolvedTeam {
  const before = resolved.get(file);
  if (before !== undefined && before.pool === pool) return before.team;
  const team = resolveTeam(file, pool);
  resolved.set(file, { pool, team });
  return team;
}

/** The agents of the pool; null when there is none. @throws Refusal `malformed_file` */
export function findPool(world: World): ResolvedTeam | null {
  const file = poolFile(world);
  return file === null ? null : resolvedTeam(file, null);
}

/** The agents of the pool. @throws Refusal `no_pool`, `malformed_file` */
export function readPool(world: World): ResolvedTeam {
  const pool = findPool(world);
  if (pool === null) throw refuse("no_pool", { path: POOL_PATH });
  return pool;
}

/**
 * The team of a session; without one named, that of the current session, which may have none.
 * @param session as the call names it
 * @throws Refusal `no_team` when the session was named and has none; `malformed_file`, `bad_session`
 */
export function readTeam(world: World, session: string | undefined): ResolvedTeam {
  const { store } = world.home();
  // Which session is the current one is a look at all of them, and none may have a team.
  if (session === undefined && sessionsWithTeams(store).length === 0) return NOBODY;
  const id = findSession(world, session);
  const file = id === null ? null : teamFile(world, id);
  if (file !== null) return besidePool(world, file);
  if (session !== undefined) throw refuse("no_team", { path: teamPath(session) });
  return NOBODY;
}

/** A team as it resolves: beside a pool that cannot be read it has the agents that need none, and says so. */
function besidePool(world: World, file: TeamFile): ResolvedTeam {
  try {
    return resolvedTeam(file, poolFile(world));
  } catch (error) {
    const { agents, problems } = resolvedTeam(file, null);
    return { agents, problems: [{ ...faultOf(error, POOL_PATH), agent: "" }, ...problems] };
  }
}

/**
 * The team of every session that has not ended: what may ask for trust. A file that cannot be read is a problem of its
 * own, and hides no other.
 */
export function openTeams(world: World): ResolvedTeam[] {
  const { store } = world.home();
  const open = sessionsWithTeams(store).filter((id) => readSession(store, id)?.endedAt === undefined);
  return open.map((id) => {
    try {
      return readTeam(world, id);
    } catch (error) {
      return { agents: [], problems: [{ ...faultOf(error, teamPath(id)), agent: "" }] };
    }
  });
}

/** What was found of an agent. */
export interface FoundAgent {
  /** As the session's team has it, else as the pool has it; null when neither does. */
  agent: ResolvedAgent | null;
  /** Whether all that may say something of it could be read. */
  isWhole: boolean;
}

/**
 * Looks for an agent. A file of which no version could ever be read says nothing, so that no push stops anybody; each call that
 * met it says so. Nor does an agent that a push broke; one that somebody broke here is no missing one, because what it forbids
 * would be allowed then.
 * @param session as the call names it; a named session without a team leads on to the pool
 * @throws Refusal `malformed_file` of an agent that was broken here; `bad_session`
 */
export function lookForAgent(world: World, part: string, session?: string): FoundAgent {
  const teamless = session !== undefined && !hasTeamFile(world.home().store, session);
  let isWhole = true;
  for (const find of [() => (teamless ? NOBODY : readTeam(world, session)), () => findPool(world) ?? NOBODY]) {
    const place = readable(world, find);
    if (place === null) isWhole = false;
    // A part that was renamed is held to what was written for it, until somebody writes it under the new name.
    for (const id of place === null ? [] : namesOf(world, part)) {
      const agent = place?.agents.find((each) => each.id === id);
      if (agent !== undefined) return { agent, isWhole };
      const broken = place?.problems.find((problem) => problem.agent === id);
      if (broken === undefined) continue;
      if (!isAsArrived(world, broken.path))
        throw refuse("malformed_file", { path: broken.path, line: broken.line, problem: broken.problem });
      isWhole = false;
    }
  }
  return { agent: null, isWhole };
}

/** One agent; null when there is none. @throws Refusal as `lookForAgent` */
export const findAgent = (world: World, part: string, session?: string): ResolvedAgent | null => lookForAgent(world, part, session).agent;

/** A team; null where no version of its file could ever be read, which is noted for the answer. */
function readable(world: World, read: () => ResolvedTeam): ResolvedTeam | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "malformed_file") throw error;
    noteUnreadable(world, faultOf(error, POOL_PATH));
    return null;
  }
}

/** The ids of the agents of a session's team; none when it has no team, or one that nobody could ever read. */
export function teamIds(world: World, session: string): string[] {
  const team = !hasTeamFile(world.home().store, session) ? NOBODY : (readable(world, () => readTeam(world, session)) ?? NOBODY);
  return team.agents.map(({ id }) => id);
}
