import * as z from "zod/mini";
import { currentSession, openSession } from "../../board/files/sessions.ts";
import { teamPath } from "../../board/nouns/session.ts";
import { flag, LIMITS, line, maybe } from "../../core/format/schema.ts";
import { HUMAN, nearest } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { AGENTS_POOL } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { publish } from "../../store/write/publish.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { findPool, readPool } from "../files/teams.ts";
import type { ResolvedTeam } from "../nouns/agent.ts";
import { formatTeam, POOL_PATH, TEAM_BYTES } from "../nouns/team.ts";

/** Writes the team file of a session, which names agents of the pool; and the pool, where there is none. */
export const team_write = defineOperation({
  name: "team_write",
  summary: "Write a session's team from the pool; --pool makes a pool first",
  effect: "write",
  idempotent: true,
  identity: "optional",
  positionals: ["agents"],
  input: () => ({
    agents: maybe(z.array(z.string()).check(z.describe("ids of the pool, as `relay pool` lists them"))),
    session_id: maybe(line(LIMITS.sessionId, "default: the current session, else a new one")),
    force: flag("replace the session's team"),
    pool: flag("make agents.pool.yml with twelve roles, if there is none"),
  }),
  output: () => ({
    session_id: z.nullable(z.string()),
    path: z.nullable(z.string()),
    agents: z.array(z.string()),
    pool: z.nullable(z.string()),
  }),
  example: { agents: ["backend", "tests", "reviewer"] },
  async run(world, { agents = [], session_id: named, force, pool }, { part }) {
    const made = pool === true && findPool(world) === null && publish(world.home().store, POOL_PATH, AGENTS_POOL) === "created";
    const answer = { agents: [...new Set(agents)], pool: made ? POOL_PATH : null };
    if (agents.length === 0 && pool === true) return { session_id: null, path: null, ...answer };
    requireAgents(readPool(world), answer.agents);
    const session = currentSession(world, named);
    await writeTeam(world, session, answer.agents, force === true);
    openSession(world, session, part === "" ? HUMAN : part);
    return { session_id: session, path: teamPath(session), ...answer };
  },
});

/** Refuses an empty team, and ids that the pool does not have. */
function requireAgents(pool: ResolvedTeam, ids: readonly string[]): void {
  const known = pool.agents.map(({ id }) => id);
  const unknown = ids.filter((id) => !known.includes(id));
  if (ids.length > 0 && unknown.length === 0) return;
  const near = unknown.flatMap((id) => nearest(id, known));
  const broken = pool.problems.find(({ agent }) => unknown.includes(agent));
  throw refuse("invalid_argument", {
    argument: "agents",
    expected: `ids of the pool (${known.join(", ")})${broken === undefined ? "" : `; ${broken.path}:${broken.line}: ${broken.problem}`}`,
    given: unknown,
    example: near.length > 0 ? near : known.slice(0, 2),
  });
}

async function writeTeam(world: World, session: string, agents: readonly string[], force: boolean): Promise<void> {
  const content = formatTeam(session, agents);
  await replaceFile(world.home().store, teamPath(session), TEAM_BYTES, (before) => {
    if (before === content) return null;
    if (before === null || force) return content;
    throw refuse("invalid_argument", {
      argument: "force",
      expected: `force (--force) to replace ${teamPath(session)}, which exists already; or edit that file by hand`,
      given: force,
      example: true,
    });
  });
}
