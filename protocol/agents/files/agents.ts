/**
 * One agent: what its session's team or the pool says of it, and the tools of the board that it may use here. Its definition restricts
 * it only as far as a person accepted that on this machine. spec/agents.md, "Team files".
 */

import { hasTeamFile } from "../../board/files/team-files.ts";
import { orElse } from "../../core/format/file-error.ts";
import { faultOf } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { namesOf } from "../../mail/files/members.ts";
import { sha256 } from "../../store/digest.ts";
import { facts, isFresh } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { absolute } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import { findMachineStore, machineStore, readMachine } from "../../trust/files/machine.ts";
import { noteOnMachine } from "../../trust/files/machine-notes.ts";
import type { ResolvedAgent, ResolvedTeam } from "../nouns/agent.ts";
import { POOL_PATH } from "../nouns/team.ts";
import { findPool, NOBODY, noteUnreadable, openTeams, readTeam } from "./teams.ts";

/** What was found of an agent. */
export interface FoundAgent {
  /** As the session's team has it, else as the pool has it; null when neither does. */
  agent: ResolvedAgent | null;
  /** Whether all that may say something of it could be read. */
  isWhole: boolean;
}

/**
 * Looks for an agent. What cannot be read, a file or one agent of it, says nothing, and each call that met it says so.
 * @param session as the call names it; a named session without a team leads on to the pool
 * @throws Refusal `bad_session`
 */
export function lookForAgent(world: World, part: string, session?: string): FoundAgent {
  const teamless = session !== undefined && !hasTeamFile(world.home().store, session);
  let isWhole = true;
  for (const find of [() => (teamless ? NOBODY : readTeam(world, session)), () => findPool(world) ?? NOBODY]) {
    const team = readable(world, find);
    if (team === null) isWhole = false;
    // A part that was renamed has what was written for it, until somebody writes it under the new name.
    for (const id of team === null ? [] : namesOf(world, part)) {
      const agent = team?.agents.find((each) => each.id === id);
      if (agent !== undefined) return { agent, isWhole };
      const broken = team?.problems.find((problem) => problem.agent === id);
      if (broken === undefined) continue;
      noteUnreadable(world, broken);
      isWhole = false;
    }
  }
  return { agent: null, isWhole };
}

/** One agent; null when there is none. @throws Refusal as `lookForAgent` */
export const findAgent = (world: World, part: string, session?: string): ResolvedAgent | null => lookForAgent(world, part, session).agent;

/** A team; null where its file cannot be read, which is noted for the answer. */
function readable(world: World, read: () => ResolvedTeam): ResolvedTeam | null {
  try {
    return read();
  } catch (error) {
    noteUnreadable(world, faultOf(error, POOL_PATH));
    return null;
  }
}

/** The ids of the agents of a session's team; none when it has no team, or one that cannot be read. */
export function teamIds(world: World, session: string): string[] {
  const team = !hasTeamFile(world.home().store, session) ? NOBODY : (readable(world, () => readTeam(world, session)) ?? NOBODY);
  return team.agents.map(({ id }) => id);
}

/** The names of tools; null where nobody restricts them. */
export type Tools = readonly string[] | null;

const ACCEPTED_BYTES = 65_536;
const toolsPath = (agent: string): string => `agents/${agent}.json`;

/** Accepted tools that were read, by the absolute path, with the sign of each file: a server asks with each call. */
const toolsRead = new Map<string, { sign: string; tools: Tools }>();

/** The tools that a person accepted for an agent here; null where nobody did. */
function acceptedTools(world: World, agent: string): Tools {
  return orElse(null, () => {
    const store = findMachineStore(world);
    const fact = store === null ? null : facts(store, toolsPath(agent));
    if (store === null || fact === null) return null;
    const [at, sign] = [absolute(store, toolsPath(agent)), `${fact.inode} ${fact.size} ${fact.modifiedMs}`];
    const before = toolsRead.get(at);
    if (before?.sign === sign) return before.tools;
    const said = JSON.parse(readMachine(world, toolsPath(agent), ACCEPTED_BYTES) ?? "{}") as { tools?: unknown };
    const tools = Array.isArray(said.tools) && said.tools.every((tool) => typeof tool === "string") ? said.tools : null;
    if (!isFresh(fact)) toolsRead.set(at, { sign, tools });
    return tools;
  });
}

/**
 * The tools of the board that this connection may use; null where nobody restricts them. Only a connection that is bound to its part
 * is held to them: any other could call itself something else.
 */
export function allowedTools(world: World): Tools {
  const { part, how } = world.me;
  if (how !== "bound" || part === null) return null;
  for (const name of namesOf(world, part)) {
    const tools = acceptedTools(world, name);
    if (tools !== null) return tools;
  }
  return null;
}

const isSameTools = (one: Tools, other: Tools): boolean =>
  one === null || other === null ? one === other : one.length === other.length && one.every((tool) => other.includes(tool));

/** An agent whose definition says other tools than were accepted here. */
export interface ChangedTools {
  agent: string;
  before: Tools;
  now: Tools;
  /** What stands for the change: the SHA-256 of agent and tools. */
  digest: string;
}

/** Every agent whose tools are others than were accepted here. */
export function changedTools(world: World): ChangedTools[] {
  const store = findMachineStore(world);
  const walk = (folder: string): string[] =>
    store === null
      ? []
      : entries(store, folder).flatMap(({ name, kind }) => (kind === "folder" ? walk(`${folder}/${name}`) : [`${folder}/${name}`]));
  const accepted = walk("agents").map((at) => at.slice("agents/".length).replace(/\.json$/, ""));
  const defined = [...openTeams(world), readable(world, () => findPool(world) ?? NOBODY) ?? NOBODY].flatMap(({ agents }) => agents);
  return [...new Set([...accepted, ...defined.map(({ id }) => id)])].flatMap((agent) => {
    const [before, now] = [acceptedTools(world, agent), nowOf(world, agent)];
    if (now === undefined || isSameTools(before, now)) return [];
    return [{ agent, before, now, digest: sha256(JSON.stringify({ version: 1, purpose: "tools", agent, tools: now })) }];
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
  place(store, toolsPath(agent), `${JSON.stringify({ tools: now })}\n`);
  noteOnMachine(world, store, { parts: [agent], digest, subject: `granted: tools of ${agent}`, argv: now ?? ["all tools"] });
}
