/** Agents as they act: fields that a team file leaves out come from the agent that it extends, and from the pool. spec/agents.md, "Team files". */

import { FileError } from "../../core/format/file-error.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import type { Hook } from "../../trust/nouns/grant.ts";
import type { AgentEntry, TeamFile, TeamProblem } from "./team.ts";

/** An agent with nothing left open. */
export interface ResolvedAgent {
  id: string;
  name: string;
  emoji: string;
  description: string;
  tools: readonly string[];
  systemPrompt: string;
  tags: readonly string[];
  /** Commands of each hook, in the order in which they run. */
  hooks: Readonly<Record<Hook, readonly string[]>>;
  /** The agent that it extends. */
  basePersonaId?: string | undefined;
  language?: string | undefined;
  validatePrompt?: string | undefined;
  reviewChecklist?: string | undefined;
  /** Where it is written. */
  path: string;
  line: number;
}

/** The agents of a team that are as they must be, in the order of the file, and what is wrong with the others. */
export interface ResolvedTeam {
  agents: readonly ResolvedAgent[];
  problems: readonly TeamProblem[];
}

/** One link of what an agent is made from: itself first, then what it extends. */
interface Link {
  file: TeamFile;
  id: string;
  entry: AgentEntry;
}

/**
 * Fills in every agent of a file.
 * @param pool where bases and left-out fields are looked for after the file itself; null for the pool's own agents
 */
export function resolveTeam(file: TeamFile, pool: TeamFile | null): ResolvedTeam {
  const agents: ResolvedAgent[] = [];
  const problems: TeamProblem[] = [...file.problems];
  for (const [id, { entry, line }] of file.agents) {
    if (entry.disabled === true) continue;
    try {
      agents.push(resolved({ file, id, entry }, pool, line));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      problems.push({ path: file.path, line, problem: `agent "${id}": ${error.message}`, agent: id });
    }
  }
  return { agents, problems };
}

/** How Relay writes the names of its tools; others, such as `Read`, are a client's own. */
const TOOL_NAME = /^[a-z]+(_[a-z]+)*$/;

/** The team, with agents that name tools which are none among its problems: such a list allows less than it seems to. */
export function withKnownTools(team: ResolvedTeam, known: readonly string[]): ResolvedTeam {
  const unknown = ({ tools }: ResolvedAgent): string[] => tools.filter((tool) => TOOL_NAME.test(tool) && !known.includes(tool));
  const found = team.agents.filter((agent) => unknown(agent).length > 0);
  return {
    agents: team.agents,
    problems: [
      ...team.problems,
      ...found.map((agent) => ({
        path: agent.path,
        line: agent.line,
        problem: `agent "${agent.id}": unknown tools: ${unknown(agent).join(", ")}; known tools: ${known.join(", ")}`,
        agent: agent.id,
      })),
    ],
  };
}

function resolved(start: Link, pool: TeamFile | null, line: number): ResolvedAgent {
  const chain = lineage(start, pool);
  const first = <K extends keyof AgentEntry>(key: K): AgentEntry[K] | undefined =>
    chain.find(({ entry }) => entry[key] !== undefined && entry[key] !== "")?.entry[key];
  const [name, emoji, tools] = [first("name"), first("emoji"), first("tools")];
  const author = chain.find(({ entry }) => entry.systemPrompt !== undefined);
  if (name === undefined || emoji === undefined || tools === undefined || author === undefined) {
    const missing = (["name", "emoji", "tools", "systemPrompt"] as const).filter((key) => first(key) === undefined);
    throw new FileError(`it lacks ${missing.join(", ")}, and so does what it extends`);
  }
  // What the whole file says counts less than what any agent says, and the team's file before the pool's.
  const files = [...new Set(chain.map(({ file }) => file))];
  return withoutUndefined({
    id: start.id,
    name,
    emoji,
    description: first("description") ?? "",
    tools,
    systemPrompt: promptOf(start.id, author, pool),
    tags: first("tags") ?? [],
    hooks: { before_task: hookOf(chain, "before_task"), after_task: hookOf(chain, "after_task") },
    basePersonaId: start.entry.extends,
    language: [...chain.map(({ entry }) => entry), ...files].map(({ language }) => language?.trim()).find((language) => language),
    validatePrompt: first("validate_prompt"),
    reviewChecklist: first("review_checklist") ?? files.find(({ reviewChecklist }) => reviewChecklist !== undefined)?.reviewChecklist,
    path: start.file.path,
    line,
  });
}

/** What an agent is told when it is started: first in which language, which counts for all that follows, unless its prompt says that itself. */
export const promptToStart = ({ language, systemPrompt }: Pick<ResolvedAgent, "language" | "systemPrompt">): string =>
  language === undefined || /^## Language\s*$/m.test(systemPrompt)
    ? systemPrompt
    : `## Language\nYou MUST respond in ${language}.\n\n${systemPrompt}`;

/** What an agent is made from, itself first. @throws FileError for a base that is not there, or leads back */
function lineage(start: Link, pool: TeamFile | null): Link[] {
  const chain = [start];
  for (let base = baseOf(start, pool); base !== null; base = baseOf(base, pool)) {
    const { file, id } = base;
    const again = chain.some((link) => link.file === file && link.id === id);
    if (again) throw new FileError(`extends leads in a circle: ${[...chain.map((link) => link.id), id].join(" → ")}`);
    chain.push(base);
  }
  return chain;
}

/** What a link is made from: what it extends, else the pool's agent of the same id. */
function baseOf({ file, id, entry }: Link, pool: TeamFile | null): Link | null {
  const name = entry.extends ?? id;
  // A team's agent that extends its own id means the pool's.
  const places = [...(entry.extends === undefined || (name === id && pool !== null && file !== pool) ? [] : [file]), pool];
  for (const place of places) {
    if (place === null || (place === file && entry.extends === undefined)) continue;
    const found = place.agents.get(name);
    if (found !== undefined) return { file: place, id: name, entry: found.entry };
    if (place.problems.some(({ agent }) => agent === name))
      throw new FileError(`the agent that it extends, "${name}" in ${place.path}, is broken`);
  }
  if (entry.extends === undefined) return null;
  const known = [...new Set([...file.agents.keys(), ...(pool?.agents.keys() ?? [])])].filter((other) => other !== id);
  throw new FileError(`extends "${name}", which does not exist; known agents: ${known.join(", ") || "no others"}`);
}

/** A hook's commands: those of the nearest link that says anything about it. */
function hookOf(chain: readonly Link[], hook: Hook): string[] {
  for (const { entry } of chain) {
    if (entry.hooks === false) return [];
    const given = entry.hooks?.[hook];
    if (given !== undefined) return [given].flat();
  }
  return [];
}

/**
 * The prompt, with the blocks of the file that it is written in (and of the pool) put in once, and the agent's own id
 * wherever it says `{agent_id}`: so that a clone is told its own id, not that of its base.
 */
function promptOf(id: string, { file, entry }: Link, pool: TeamFile | null): string {
  const blocks = new Map([...(pool?.blocks ?? []), ...file.blocks]);
  const named = (given: string): string => given.replaceAll("{agent_id}", () => id);
  return (entry.systemPrompt as string).replace(/\{\{\s*([\w-]+)\s*\}\}|\{agent_id\}/g, (whole, name: string | undefined) => {
    if (name === undefined) return named(whole);
    const block = blocks.get(name);
    // Many languages of templates write so, and a prompt may speak of them.
    return block === undefined ? whole : named(block);
  });
}
