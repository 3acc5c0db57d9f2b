/**
 * One agent: what its session's team or the pool says of it, and the tools that it may use here, as this machine accepted them: a later
 * arrival neither widens them nor locks the agent out before a person said so. spec/agents.md, "Team files".
 */
import type { Hook, ResolvedAgent, ResolvedTeam } from "../../objects/agent/agent.ts";
import { POOL_PATH } from "../../objects/agent/team.ts";
import { orElse } from "../../objects/format/file-error.ts";
import { Refusal, refuse } from "../../refusal.ts";
import { sha256 } from "../../store/digest.ts";
import { facts, isFresh } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { absolute } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { faultOf } from "../broken-files.ts";
import { findMachineStore, machineStore, readMachine } from "../machine.ts";
import { noteOnMachine } from "../machine-notes.ts";
import { namesOf } from "../part/members.ts";
import { hasTeamFile } from "../session/team-files.ts";
import { forgetArrivals, hasArrived, isAsArrived } from "./arrived-teams.ts";
import { findPool, NOBODY, noteUnreadable, readTeam } from "./teams.ts";

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

/** Whether an agent has commands for a moment of its tasks. @throws Refusal as `lookForAgent` */
export const hasHook = (world: World, part: string, hook: Hook, session: string): boolean =>
  (findAgent(world, part, session)?.hooks[hook] ?? []).length > 0;

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

/** The names of tools; null where nobody restricts them. */
export type Tools = readonly string[] | null;

const SEAL_BYTES = 65_536;
const sealPath = (agent: string): string => `agents/${agent}.json`;

/** What was read of seals, by their absolute paths, and what each file was just before: a server asks with each call. */
const sealsRead = new Map<string, { sign: string; seal: { tools: Tools } | null }>();

/** What was sealed for an agent; null where nothing was. */
function sealOf(world: World, agent: string): { tools: Tools } | null {
  return orElse(null, () => {
    const store = findMachineStore(world);
    const fact = store === null ? null : facts(store, sealPath(agent));
    if (store === null || fact === null) return null;
    const [at, sign] = [absolute(store, sealPath(agent)), `${fact.inode} ${fact.size} ${fact.modifiedMs}`];
    const before = sealsRead.get(at);
    if (before?.sign === sign) return before.seal;
    const { tools } = JSON.parse(readMachine(world, sealPath(agent), SEAL_BYTES) ?? "{}") as { tools?: unknown };
    const isKnown = tools === null || (Array.isArray(tools) && tools.every((tool) => typeof tool === "string"));
    const seal = isKnown ? { tools } : null;
    if (!isFresh(fact)) sealsRead.set(at, { sign, seal });
    return seal;
  });
}

const isSameTools = (one: Tools, other: Tools): boolean =>
  one === null || other === null ? one === other : one.length === other.length && one.every((tool) => other.includes(tool));

/** What two restrictions leave together. */
const inBoth = (one: Tools, other: Tools): Tools =>
  one === null ? other : other === null ? one : one.filter((tool) => other.includes(tool));

/**
 * The tools that a bound agent may use.
 * @param seal what was sealed for it
 * @returns `pending` where its definition says something else, which does not count before `relay trust`
 * @throws Refusal `malformed_file` when somebody here broke what would restrict it, and nothing was sealed
 */
function toolsThatCount(world: World, agent: string, seal: { tools: Tools } | null): { tools: Tools; pending: boolean } {
  let found: FoundAgent;
  try {
    found = lookForAgent(world, agent);
  } catch (error) {
    if (seal === null) throw error;
    return { tools: seal.tools, pending: true };
  }
  const now = found.agent?.tools ?? null;
  if (seal === null || isSameTools(seal.tools, now)) return { tools: now, pending: false };
  // Somebody could lock an agent out by a push as well.
  if (hasArrived(world)) return { tools: seal.tools, pending: true };
  const left = inBoth(seal.tools, now);
  return { tools: left, pending: !isSameTools(left, now) };
}

/**
 * The tools that this connection may use; null where nobody restricts them. Only a connection that is bound to its part
 * is held to them: any other could call itself something else.
 * @param writes whether the call writes: the first such call takes the tools as they are
 * @throws Refusal `malformed_file` when somebody here broke what would restrict it
 */
export function allowedTools(world: World, writes = false): { tools: Tools; pending: boolean } {
  const { part, how } = world.me;
  if (how !== "bound" || part === null) return { tools: null, pending: false };
  const seal = sealOf(world, part);
  const counts = toolsThatCount(world, part, seal);
  if (writes && seal === null) sealAtFirst(world, part);
  return counts;
}

/** Takes an agent's tools as they are now, where nothing was taken yet: at the first call of its that writes, once they can be read. */
function sealAtFirst(world: World, agent: string): void {
  try {
    const now = nowOf(world, agent);
    if (now !== undefined) place(machineStore(world), sealPath(agent), `${JSON.stringify({ tools: now })}\n`);
  } catch {
    // Nothing can be kept here: then what is written counts as it is.
  }
}

/** An agent whose definition says other tools than were taken here. */
export interface ChangedTools {
  agent: string;
  before: Tools;
  now: Tools;
  /** What stands for the change: the SHA-256 of agent and tools. */
  digest: string;
}

/** Every agent whose tools are others than were taken here. */
export function changedTools(world: World): ChangedTools[] {
  const store = findMachineStore(world);
  if (store === null) return [];
  const walk = (folder: string): string[] =>
    entries(store, folder).flatMap(({ name, kind }) => (kind === "folder" ? walk(`${folder}/${name}`) : [`${folder}/${name}`]));
  return walk("agents").flatMap((at) => {
    const agent = at.slice("agents/".length).replace(/\.json$/, "");
    const seal = sealOf(world, agent);
    const now = nowOf(world, agent);
    if (seal === null || now === undefined || isSameTools(seal.tools, now)) return [];
    return [{ agent, before: seal.tools, now, digest: sha256(JSON.stringify({ version: 1, purpose: "tools", agent, tools: now })) }];
  });
}

/** What an agent's definition says; undefined where not all that may say it can be read. */
function nowOf(world: World, agent: string): Tools | undefined {
  return orElse(undefined, () => {
    const found = lookForAgent(world, agent);
    return found.isWhole ? (found.agent?.tools ?? null) : undefined;
  });
}

/** Takes changed tools as they were shown. @throws Refusal `no_state_folder` */
export function acceptTools(world: World, { agent, now, digest }: ChangedTools): void {
  const store = machineStore(world);
  place(store, sealPath(agent), `${JSON.stringify({ tools: now })}\n`);
  forgetArrivals(store);
  noteOnMachine(world, store, { parts: [agent], digest, subject: `granted: tools of ${agent}`, argv: now ?? ["all tools"] });
}
