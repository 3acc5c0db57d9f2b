/** The files that describe agents: `agents.pool.yml`, and one `session-agents-<session>.yml` a session. spec/agents.md, "Team files". */

import * as YAML from "yaml";
import type * as z from "zod/mini";
import { FileError } from "../format/file-error.ts";
import { FORBIDDEN_KEYS } from "../format/frontmatter.ts";
import { FILE_BYTES } from "../format/size-limits.ts";
import { readYaml, type YamlText } from "../format/yaml.ts";
import { HUMAN, partProblem } from "../part/part.ts";
import { type AgentEntry, entrySchema, frameSchema, said } from "./team-schema.ts";

/** Where the pool lies: in the home, or beside it in the project. */
export const POOL_PATH = "agents.pool.yml";
/** Bytes of a team file at the most. */
export const TEAM_BYTES = FILE_BYTES.team;

/** Something wrong with a team file, or with one agent of it. */
export interface TeamProblem {
  path: string;
  line?: number | undefined;
  problem: string;
  /** The agent that is left out for it. */
  agent: string;
}

/** A team file as read. An agent that is not as it must be is a problem, and hides no other. */
export interface TeamFile {
  path: string;
  agents: ReadonlyMap<string, { entry: AgentEntry; line: number }>;
  problems: readonly TeamProblem[];
  blocks: ReadonlyMap<string, string>;
  language?: string | undefined;
  reviewChecklist?: string | undefined;
}

/** The document, without what could run, multiply or pretend: tags, aliases, keys of a prototype. @throws FileError */
function documentOf(source: string): YamlText {
  const { document, lineAt } = readYaml(source);
  const [fault] = document.warnings;
  if (fault !== undefined) throw new FileError(fault.message.split("\n")[0] as string, lineAt(fault.pos[0]));
  YAML.visit(document, {
    Alias: (_key, node) => {
      throw new FileError("aliases are not read; write the text out, or use shared_blocks or extends", lineAt(node.range?.[0] ?? 0));
    },
    Pair: (_key, { key }) => {
      const name = YAML.isScalar(key) ? String(key.value) : "";
      if (FORBIDDEN_KEYS.has(name)) {
        throw new FileError(`the key ${JSON.stringify(name)} is refused`, lineAt((key as YAML.Scalar).range?.[0] ?? 0));
      }
    },
  });
  return { document, lineAt };
}

/** The line of a value, or of the nearest that holds it. */
function lineOf(document: YAML.Document, path: readonly PropertyKey[], lineAt: (offset: number) => number): number {
  for (let length = path.length; length > 0; length -= 1) {
    const above = document.getIn(path.slice(0, length - 1), true);
    const last = String(path[length - 1]);
    const pair = YAML.isMap(above) ? above.items.find(({ key }) => YAML.isScalar(key) && String(key.value) === last) : undefined;
    const node = YAML.isSeq(above) ? above.items[Number(last)] : pair?.key;
    const range = YAML.isNode(node) ? node.range : null;
    if (range !== null && range !== undefined) return lineAt(range[0]);
  }
  return 1;
}

/** What is wrong with one entry; null when nothing is. */
function entryProblem(id: string, ids: readonly string[]): string | null {
  const problem = id === HUMAN ? `"${HUMAN}" stands for people` : partProblem(id);
  if (problem !== null) return `${JSON.stringify(id)} is not an agent id: ${problem}`;
  const twin = ids.find((other) => other !== id && other.toLowerCase() === id.toLowerCase());
  return twin !== undefined && ids.indexOf(twin) < ids.indexOf(id) ? `"${twin}" and "${id}" differ only in case` : null;
}

/**
 * Reads a team file.
 * @param path where it lies, for the problems
 * @throws FileError with the line, when it is not YAML, or has no map of agents
 */
export function parseTeam(source: string, path: string): TeamFile {
  const { document, lineAt } = documentOf(source);
  const frame = frameSchema().safeParse(said(document.toJS({ maxAliasCount: 0 })));
  if (!frame.success) {
    const at = frame.error.issues[0]?.path ?? [];
    const problem = at.length === 0 || at[0] === "agents" ? 'expected a map "agents" of ids and agents' : `${at.join(".")} is not a text`;
    throw new FileError(problem, lineOf(document, at, lineAt));
  }
  const agents = new Map<string, { entry: AgentEntry; line: number }>();
  const problems: TeamProblem[] = [];
  const ids = Object.keys(frame.data.agents);
  for (const id of ids) {
    const line = lineOf(document, ["agents", id], lineAt);
    const bad = entryProblem(id, ids);
    const parsed = entrySchema().safeParse(said(frame.data.agents[id] ?? {}));
    if (bad !== null) problems.push({ path, line, problem: bad, agent: id });
    else if (parsed.success) agents.set(id, { entry: parsed.data, line });
    else {
      const issue = parsed.error.issues[0] as z.core.$ZodIssue;
      const at = ["agents", id, ...issue.path];
      const problem = `agent "${id}": ${issue.path.join(".") || "it"} is not as expected (${wrong(issue)})`;
      problems.push({ path, line: lineOf(document, at, lineAt), problem, agent: id });
    }
  }
  const { language, review_checklist: reviewChecklist, shared_blocks: blocks = {} } = frame.data;
  return { path, agents, problems, blocks: new Map(Object.entries(blocks)), language, reviewChecklist };
}

/** What was expected, in a few words. */
function wrong(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `a value of type ${issue.expected}`;
  if (issue.code === "too_small") return "it is empty";
  if (issue.code === "invalid_union")
    return (
      issue.errors
        .flat()
        .map(wrong)
        .sort((a, b) => b.length - a.length)[0] ?? "another value"
    );
  return issue.code === "custom" ? issue.message : issue.code;
}

/** Writes a team file that takes each of its agents from the pool as it is. */
export function formatTeam(session: string, agents: readonly string[]): string {
  const entries = agents.map((id) => `  ${id}: {}`);
  return [
    `# The team of session ${session}: agents of ${POOL_PATH}. What is given here goes before what the pool says, as in`,
    '#   backend: { language: "de", hooks: false }',
    "#   backend-2: { extends: backend }",
    "agents:",
    ...entries,
    "",
  ].join("\n");
}
