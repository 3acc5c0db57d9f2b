/** Which tools of its program an agent's file can give it. What it names besides has no effect, and `office check` says so. */
import type { AgentFile, RUNNERS } from "./agent-file.ts";
import { DEFAULT_RUNNER } from "./what-runs.ts";

/** The tools of Claude Code that may be named. All others are further channels to agents, or ask a person. */
export const CLAUDE_TOOLS =
  "Read Edit Write Bash Glob Grep MultiEdit NotebookEdit WebFetch WebSearch TodoWrite LS BashOutput KillShell".split(" ");
/** Codex does all by its shell, which is all that can be taken from it. */
const OF_CODEX = ["shell", "bash"];
/** The tools of Gemini CLI that are a further channel to agents, or ask a person. */
export const GEMINI_CHANNELS = ["invoke_agent", "ask_user"];

interface Tools {
  isUsable(tool: string): boolean;
  /** What may be named, in words. */
  expected: string;
}

const TOOLS: Readonly<Record<(typeof RUNNERS)[number], Tools>> = {
  claude: { isUsable: (tool) => CLAUDE_TOOLS.includes(tool), expected: `of Claude Code ${CLAUDE_TOOLS.join(", ")}` },
  codex: {
    isUsable: (tool) => OF_CODEX.includes(tool.toLowerCase()),
    expected: "of Codex `shell`, or an empty list for an agent without one",
  },
  gemini: { isUsable: (tool) => !GEMINI_CHANNELS.includes(tool), expected: "a tool of Gemini CLI that asks neither agents nor people" },
  command: { isUsable: () => false, expected: "no `tools`: the command itself decides" },
};

/** Those of some tools that a program is given. */
export const usableTools = (program: (typeof RUNNERS)[number], tools: readonly string[]): string[] => tools.filter(TOOLS[program].isUsable);

/** The tools of an agent's file that have no effect, each with what may be named. */
export function toolsWithoutEffect({ runner = DEFAULT_RUNNER, tools = [] }: AgentFile): { tool: string; expected: string }[] {
  const { isUsable, expected } = TOOLS[runner ?? DEFAULT_RUNNER];
  return tools.filter((tool) => !isUsable(tool)).map((tool) => ({ tool, expected }));
}
