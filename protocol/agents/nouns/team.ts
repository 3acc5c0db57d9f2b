/** The files that describe agents: `agents.pool.yml`, and one `session-agents-<session>.yml` a session. spec/agents.md, "Team files". */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { hiddenIn } from "../../core/format/hidden.ts";
import { FILE_BYTES, once } from "../../core/format/schema.ts";
import { lineOf, plainOf, readBareYaml } from "../../core/format/yaml.ts";
import { HUMAN, partProblem } from "../../core/names.ts";

const text = (description: string) => z.optional(z.string().check(z.minLength(1), z.describe(description)));
/** A text that may be empty, which says nothing. */
const maybeText = (description: string) => z.optional(z.string().check(z.describe(description)));

/** A command that a person is to judge must be all that they see, so it holds nothing that a terminal hides. */
const command = () =>
  z.string().check(
    z.minLength(1),
    z.maxLength(4_096),
    z.refine((given) => hiddenIn(given) === null, "a command without hidden characters"),
  );
const commands = (description: string) => z.optional(z.union([command(), z.array(command())]).check(z.describe(description)));

/** One agent of a file. */
const entrySchema = once(() =>
  z.looseObject({
    name: text("Name for people"),
    emoji: text("One sign for lists"),
    description: z.optional(z.string().check(z.describe("What the agent is for, one line"))),
    tools: z.optional(
      z
        .array(z.string())
        .check(
          z.describe(
            "Tools of Relay's board that the agent may use, once `relay trust` accepted them; enforced where the connection is bound to it",
          ),
        ),
    ),
    systemPrompt: text("What the agent is told; {{name}} stands for a shared block, {agent_id} for the agent's own id"),
    tags: z.optional(z.array(z.string()).check(z.describe("Words that `relay team suggest` finds the agent by"))),
    extends: text("Another agent of this file or of the pool; it gives what is left out here"),
    disabled: z.optional(z.boolean().check(z.describe("Left out of the team; may still be extended"))),
    language: maybeText("Language the agent writes in"),
    hooks: z.optional(
      z
        .union([
          z.literal(false),
          z.looseObject({
            before_task: commands("Must pass before a task is claimed; 30 s"),
            after_task: commands("Must pass before a task is done; 120 s"),
          }),
        ])
        .check(z.describe("Commands that must pass, once `relay trust` allowed them on this machine; false removes inherited ones")),
    ),
    validate_prompt: text("How the agent checks its own result"),
    review_checklist: text("What a reviewer of the agent's work looks at"),
  }),
);

/** What a map says: a key without a value, or with an empty text, says nothing. Anything that is no map stays as it is. */
export function said(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      value === null || value === "" ? [] : [[key, key === "hooks" || key === "shared_blocks" ? said(value) : value]],
    ),
  );
}

/** One agent as a file has it. */
export type AgentEntry = z.infer<ReturnType<typeof entrySchema>>;

/** What a team file says beside its agents. */
const shared = () => ({
  language: maybeText("Language of every agent that names none"),
  shared_blocks: z.optional(z.record(z.string(), z.string()).check(z.describe("Texts that prompts take in as {{name}}"))),
  review_checklist: text("Checklist for every agent that has none"),
});
/** A whole file but for its agents, each of which is read by itself. */
const frameSchema = once(() => z.looseObject({ agents: z.record(z.string(), z.unknown()), ...shared() }));

/** The schema of both files; `templates/agents.schema.json` is made from it. */
export const teamSchema = once(() =>
  z.looseObject({
    agents: z.record(z.string(), z.nullish(entrySchema())).check(z.describe("Every agent by its id")),
    ...shared(),
  }),
);

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
  const read = readBareYaml(source, undefined, "; write the text out, or use shared_blocks or extends");
  const lineAt = (...at: PropertyKey[]): number => lineOf(read, at) ?? 1;
  const frame = frameSchema().safeParse(said(plainOf(read)));
  if (!frame.success) {
    const at = frame.error.issues[0]?.path ?? [];
    const problem = at.length === 0 || at[0] === "agents" ? 'expected a map "agents" of ids and agents' : `${at.join(".")} is not a text`;
    throw new FileError(problem, lineAt(...at));
  }
  const agents = new Map<string, { entry: AgentEntry; line: number }>();
  const problems: TeamProblem[] = [];
  const ids = Object.keys(frame.data.agents);
  for (const id of ids) {
    const line = lineAt("agents", id);
    const bad = entryProblem(id, ids);
    const parsed = entrySchema().safeParse(said(frame.data.agents[id] ?? {}));
    if (bad !== null) problems.push({ path, line, problem: bad, agent: id });
    else if (parsed.success) agents.set(id, { entry: parsed.data, line });
    else {
      const issue = parsed.error.issues[0] as z.core.$ZodIssue;
      const at = ["agents", id, ...issue.path];
      const problem = `agent "${id}": ${issue.path.join(".") || "it"} is not as expected (${wrong(issue)})`;
      problems.push({ path, line: lineAt(...at), problem, agent: id });
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
