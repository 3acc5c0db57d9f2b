/**
 * The agents of a home: the pool, and the team of each session. Their files cost one check while nothing changes; of a file that cannot
 * be read the last good version counts. spec/agents.md, "Team files"; spec/trust.md, "The last good version".
 */
import path from "node:path";
import { type ResolvedTeam, resolveTeam } from "../../objects/agent/agent.ts";
import { POOL_PATH, parseTeam, TEAM_BYTES, type TeamFile } from "../../objects/agent/team.ts";
import { orElse } from "../../objects/format/file-error.ts";
import { sessionOfTeam, teamPath } from "../../objects/session/session.ts";
import { type FileFault, refuse } from "../../refusal.ts";
import { type FileFacts, facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { openStore, type Store } from "../../store/root.ts";
import { finishReplacing } from "../../store/write/replace.ts";
import type { World } from "../../world.ts";
import { asFileRefusal, faultOf, goodPath, goodVersion, keepGood } from "../broken-files.ts";
import { findSession, readSession } from "../session/sessions.ts";
import { sessionsWithTeams } from "../session/team-files.ts";

/** What was read of a file, and the facts that it was read under. */
interface ReadFile {
  sign: string;
  file: TeamFile;
  /** What is wrong with the file, where its last good version was read in its place. */
  fault: FileFault | null;
}

/** A file of agents: the store that it lies in, its path there, the path that people know, and where its good version is kept. */
interface Source {
  store: Store;
  target: string;
  shown: string;
  good: string;
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
 * A team file as it is now; where that cannot be read, its last good version, and the call says so. Null when there is none.
 * @throws Refusal `malformed_file` where no version could ever be read
 */
function fileAt(world: World, source: Source): TeamFile | null {
  const { store, target, shown, good } = source;
  const { outdated } = world.home().store;
  outdated.delete(shown);
  // Beside the home nothing is replaced by Relay.
  if (store.root === world.home().store.root) finishReplacing(store, target);
  const fact = facts(store, target);
  if (fact === null) return null;
  const files = filesRead.get(store.root) ?? new Map<string, ReadFile>();
  filesRead.set(store.root, files);
  const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const before = files.get(target);
  const read = before?.sign === sign ? before : readFile(world, source, fact, sign);
  if (read === null) return null;
  files.set(target, read);
  if (read.fault !== null) outdated.set(shown, { ...read.fault, good: goodPath(good) });
  return read.file;
}

function readFile(world: World, { store, target, shown, good }: Source, fact: FileFacts, sign: string): ReadFile | null {
  const home = world.home();
  // An earlier record is as it is; git and its people decide about a home that is files of the code.
  const keeps = world.past === undefined && !home.config().inTree;
  try {
    const text = readText(store, target, TEAM_BYTES);
    if (text === null) return null;
    const file = parseTeam(text, shown);
    if (keeps) keepGood(home.store, good, text, fact);
    return { sign, file, fault: null };
  } catch (error) {
    const fault = faultOf(error, shown);
    const file = keeps ? goodFile(home.store, good, shown) : null;
    if (file === null) throw asFileRefusal(error, shown);
    return { sign, file, fault };
  }
}

function goodFile(store: Store, good: string, shown: string): TeamFile | null {
  const text = goodVersion(store, good, TEAM_BYTES);
  // A version that another Relay took.
  return orElse(null, () => (text === null ? null : parseTeam(text, shown)));
}

/** A session's team file; null when it has none. @throws Refusal as `fileAt` */
export function teamFile(world: World, session: string): TeamFile | null {
  const target = teamPath(session);
  return fileAt(world, { store: world.home().store, target, shown: target, good: target });
}

/** Notes for the answer that nothing of a file counts, because no version of it could ever be read. */
export function noteUnreadable(world: World, { path: shown, line, problem }: FileFault): void {
  world.home().store.outdated.set(shown, { line, problem, good: null });
}

/**
 * The pool's file: that of the home, else the one beside it, also where no version of the home's could ever be read; null when
 * there is none.
 * @throws Refusal as `fileAt`
 */
export function poolFile(world: World): TeamFile | null {
  const { store } = world.home();
  const beside = (): TeamFile | null =>
    // Nothing lies beside an earlier record.
    store.recorded === undefined
      ? fileAt(world, { store: projectOf(store), target: POOL_PATH, shown: `../${POOL_PATH}`, good: `beside-${POOL_PATH}` })
      : null;
  try {
    return fileAt(world, { store, target: POOL_PATH, shown: POOL_PATH, good: POOL_PATH }) ?? beside();
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
