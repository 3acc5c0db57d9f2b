/**
 * The agents of a home: the pool, and the team of each session. Their files cost one check while nothing changes. Of a file that
 * cannot be read nothing counts. spec/agents.md, "Team files".
 */
import path from "node:path";
import { findSession, readSession } from "../../board/files/sessions.ts";
import { sessionsWithTeams } from "../../board/files/team-files.ts";
import { sessionOfTeam, teamPath } from "../../board/nouns/session.ts";
import { faultOf, mustRead } from "../../core/home/broken-files.ts";
import { type FileFault, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { openStore, type Store } from "../../store/root.ts";
import { finishReplacing } from "../../store/write/replace.ts";
import { type ResolvedTeam, resolveTeam } from "../nouns/agent.ts";
import { POOL_PATH, parseTeam, TEAM_BYTES, type TeamFile } from "../nouns/team.ts";

/** What was read of a file, and the facts that it was read under. */
interface ReadFile {
  sign: string;
  file: TeamFile;
}

/** What each folder's files held when they were last read, by path, so that an unchanged file costs one look. */
const filesRead = new Map<string, Map<string, ReadFile>>();
/** Each home's project, by the home's root, as a store of its own: the pool may lie there. Only reads. */
const projects = new Map<string, Store>();
function projectOf(store: Store): Store {
  const project = projects.get(store.root) ?? openStore(path.dirname(store.root));
  projects.set(store.root, project);
  return project;
}

/**
 * A team file as it is now; null when there is none.
 * @param shown the path that people know
 * @throws Refusal `malformed_file`
 */
function fileAt(world: World, store: Store, target: string, shown = target): TeamFile | null {
  world.home().store.notes.delete(shown);
  // Beside the home nothing is replaced by Relay.
  if (store.root === world.home().store.root) finishReplacing(store, target);
  const fact = facts(store, target);
  if (fact === null) return null;
  const files = filesRead.get(store.root) ?? new Map<string, ReadFile>();
  filesRead.set(store.root, files);
  const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const before = files.get(target);
  if (before?.sign === sign) return before.file;
  const file = mustRead(shown, () => {
    const text = readText(store, target, TEAM_BYTES);
    return text === null ? null : parseTeam(text, shown);
  });
  if (file !== null) files.set(target, { sign, file });
  return file;
}

/** A session's team file; null when it has none. @throws Refusal as `fileAt` */
export const teamFile = (world: World, session: string): TeamFile | null => fileAt(world, world.home().store, teamPath(session));

/** Notes for the answer that nothing of a file, or of one agent of it, counts, because it cannot be read. */
export function noteUnreadable(world: World, { path: shown, line, problem }: FileFault): void {
  const where = line === undefined ? shown : `${shown}:${line}`;
  world.home().store.notes.set(shown, `${where}: ${problem.replace(/\.$/, "")}. Until it is corrected, nothing of it counts`);
}

/**
 * The pool's file: that of the home, else the one beside it, also where that of the home cannot be read; null when
 * there is none.
 * @throws Refusal as `fileAt`
 */
export function poolFile(world: World): TeamFile | null {
  const { store } = world.home();
  const beside = (): TeamFile | null =>
    // Nothing lies beside an earlier record.
    store.recorded === undefined ? fileAt(world, projectOf(store), POOL_PATH, `../${POOL_PATH}`) : null;
  try {
    return fileAt(world, store, POOL_PATH) ?? beside();
  } catch (error) {
    const other = beside();
    if (other === null) throw error;
    noteUnreadable(world, faultOf(error, POOL_PATH));
    return other;
  }
}

/** Whether a path is that of a file of agents. */
export const isTeamFile = (target: string): boolean => target === POOL_PATH || sessionOfTeam(target) !== null;

/** What is wrong with a file of agents in the home; null where it can be read. */
export function teamFault(store: Store, target: string): FileFault | null {
  try {
    parseTeam(readText(store, target, TEAM_BYTES) ?? "", target);
    return null;
  } catch (error) {
    return faultOf(error, target);
  }
}

/** A team of nobody. */
export const NOBODY: ResolvedTeam = { agents: [], problems: [] };

/** What a file resolved to, beside which pool. */
const resolvedTeams = new WeakMap<TeamFile, { pool: TeamFile | null; team: ResolvedTeam }>();

function resolvedTeam(file: TeamFile, pool: TeamFile | null): ResolvedTeam {
  const before = resolvedTeams.get(file);
  if (before !== undefined && before.pool === pool) return before.team;
  const team = resolveTeam(file, pool);
  resolvedTeams.set(file, { pool, team });
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
  // Which session is the current one takes reading all of them, and none may have a team.
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
