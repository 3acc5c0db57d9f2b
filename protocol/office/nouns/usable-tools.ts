/** Which tools of its program an agent's file can give it. What it names besides has no effect, and `office check` says so. */
import type { OfficeTools } from "../../agents/hosts/host.ts";
import { hostOf, isHost } from "../../agents/hosts/index.ts";
import type { AgentFile, ProgramName } from "./agent-file.ts";
import { DEFAULT_RUNNER } from "./what-runs.ts";

/** A command of this machine's decides by itself. */
const NONE: OfficeTools = { isUsable: () => false, expected: "no `tools`: the command itself decides" };

const toolsOf = (program: ProgramName): OfficeTools => (isHost(program) ? hostOf(program).officeTools : undefined) ?? NONE;

/** Those of some tools that a program is given. */
export const usableTools = (program: ProgramName, tools: readonly string[]): string[] => tools.filter(toolsOf(program).isUsable);

/** The tools of an agent's file that have no effect, each with what may be named. */
export function toolsWithoutEffect({ runner = DEFAULT_RUNNER, tools = [] }: AgentFile): { tool: string; expected: string }[] {
  const { isUsable, expected } = toolsOf(runner ?? DEFAULT_RUNNER);
  return tools.filter((tool) => !isUsable(tool)).map((tool) => ({ tool, expected }));
}

/**
 * The program of an agent's file that cannot commit in a linked worktree, as its makers write it; null for one that can. A sandbox keeps
 * the git directory of such a worktree read-only, also where that is among its writable roots.
 */
export function cannotCommit({ runner }: AgentFile): string | null {
  const { sandbox, title = null } = runner !== undefined && isHost(runner) ? hostOf(runner) : {};
  return sandbox === undefined ? null : title;
}
