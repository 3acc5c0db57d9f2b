/** Agents of an office: which program runs one, what it may use, and its prompt. spec/office.md, "Agent files". */
import * as z from "zod/mini";
import { HOSTS, type HostName } from "../../agents/hosts/index.ts";
import { FileError } from "../../core/format/file-error.ts";
import { formatFrontmatter, lineOfKey, parseFrontmatter } from "../../core/format/frontmatter.ts";
import { lineProblem } from "../../core/format/hidden.ts";
import { expectation, LIMITS, once, text } from "../../core/format/schema.ts";
import { fieldFault, nameProblem, slugOf, throwAll } from "./name.ts";

/** The name of a program that an agent's file can name: a host that runs one turn and ends, or a command of this machine's. */
export type ProgramName = HostName | "command";

/** The programs that a runner knows. */
export const RUNNERS: readonly ProgramName[] = [...HOSTS.flatMap(({ name, program }) => (program === undefined ? [] : [name])), "command"];

/** An agent. */
export interface AgentFile {
  name: string;
  /** Empty where the file says nothing. */
  description: string;
  runner?: ProgramName | undefined;
  model?: string | undefined;
  tools?: readonly string[] | undefined;
  maxTurns?: number | undefined;
  isolation?: "none" | "worktree" | undefined;
  /** The text below the front matter. */
  prompt: string;
}

const AgentHeader = once(() =>
  z.looseObject({
    name: z.string(),
    description: z.nullish(text(LIMITS.taskDescription, "What the agent is for; whoever may give it work reads this")),
    runner: z.nullish(z.enum(RUNNERS)),
    model: z.nullish(
      z.string().check(z.refine((given) => lineProblem(given, LIMITS.name) === null && !given.startsWith("-"), "the name of a model")),
    ),
    tools: z.nullish(z.array(z.string())),
    max_turns: z.nullish(z.int().check(z.gte(1))),
    isolation: z.nullish(z.enum(["none", "worktree"])),
  }),
);

/**
 * Reads the file of an agent.
 * @param slug of the file's name, which has to be that of the agent's
 * @throws FileError with everything that is wrong with it, each with its line, as `field: value: reason`
 */
export function parseAgentFile(source: string, slug: string): AgentFile {
  const { header, body } = headerOf(source);
  const parsed = AgentHeader().safeParse(header);
  const faults = (parsed.error?.issues ?? []).map((issue) => {
    const key = String(issue.path[0]);
    return fieldFault(lineOfKey(source, key), issue.path.join("."), header[key] ?? undefined, `expected ${expectation(issue)}`);
  });
  const { name } = header;
  if (typeof name === "string") {
    const problem = nameProblem(name) ?? (slugOf(name) === slug ? null : `expected the name of the file, ${slug}`);
    if (problem !== null) faults.push(fieldFault(lineOfKey(source, "name"), "name", name, problem));
  }
  throwAll(faults.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  const { description, runner, model, tools, max_turns: maxTurns, isolation } = parsed.data as z.infer<ReturnType<typeof AgentHeader>>;
  const said = { runner, model, tools, maxTurns, isolation };
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== null));
  return { name: name as string, description: (description ?? "").trim(), ...given, prompt: body };
}

function headerOf(source: string): ReturnType<typeof parseFrontmatter> {
  try {
    return parseFrontmatter(source);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const line = error.line ?? 1;
    throw fieldFault(line, "front matter", source.split("\n")[line - 1]?.trim() || undefined, error.message);
  }
}

/** Writes the file of an agent. */
export const formatAgentFile = ({ name, description, runner, model, tools, maxTurns, isolation, prompt }: AgentFile): string =>
  formatFrontmatter({ name, description, runner, model, tools, max_turns: maxTurns, isolation }, prompt);
