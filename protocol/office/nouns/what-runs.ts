/** What an office would run: which program each position is, with what it may use. For a person who is asked to trust it. spec/office.md, "Trust". */
import type { AgentFile } from "./agent-file.ts";
import type { OrgFile } from "./org-files.ts";
import type { Office } from "./positions.ts";

/** The program of an agent whose file names none. */
export const DEFAULT_RUNNER: NonNullable<AgentFile["runner"]> = "claude";

/** What runs as a position. */
export interface Run {
  position: string;
  /** The name of its agent. */
  name: string;
  program: NonNullable<AgentFile["runner"]>;
  /** Null where the agent's file does not say it. */
  model: string | null;
  /** Null where the agent's file does not say it: those that the program has by itself. */
  tools: readonly string[] | null;
  isolation: NonNullable<AgentFile["isolation"]>;
}

/** What each position of an office would run, in the order of the positions. @param files those that the office was laid out from */
export function whatRuns(office: Office, files: readonly OrgFile[]): Run[] {
  const agents = new Map(files.flatMap(({ path, place, value }) => (place.kind === "agent" ? [[path, value as AgentFile | null]] : [])));
  return [...office.positions.values()].map(({ id, name, agent }) => {
    const { runner = DEFAULT_RUNNER, model = null, tools = null, isolation = "none" } = agents.get(agent) ?? {};
    return { position: id, name, program: runner, model, tools, isolation };
  });
}
