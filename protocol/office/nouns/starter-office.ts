/** The smallest useful office: a lead and two who work for it. spec/office.md, "Office files". */
import { type AgentFile, formatAgentFile } from "./agent-file.ts";
import { OFFICE_PATH, orgPath } from "./org-files.ts";

const AGENTS: readonly [name: string, description: string, prompt: string][] = [
  [
    "office-manager",
    "Divides the work, and answers for the whole.",
    "You lead this office. You do no work yourself. Divide a goal into pieces. Send each piece to the agent of your roster that fits. Then join their answers. An agent sees only what you send, so send all that it needs.",
  ],
  [
    "developer",
    "Writes code and tests, and repairs defects.",
    "You write code in this repository. Your lead sends you one piece of work. Do it and run the tests. Then say in a few sentences what you changed and what is left.",
  ],
  [
    "reviewer",
    "Reads changes, runs them, and finds what is wrong.",
    "You review changes in this repository. Read them, run the tests, and use what they add. Change nothing. Then list each fault with its file and line, the gravest first.",
  ],
];

/**
 * The files of the smallest useful office, in the order in which they are written: an office without the last is none yet.
 * @param name of the office
 * @param runner the program of its agents; the default where it is not given
 * @returns path in the home and text of each
 */
export const starterOffice = (name: string, runner?: AgentFile["runner"]): readonly (readonly [path: string, text: string])[] => [
  ...AGENTS.map(
    ([agent, description, prompt]) =>
      [orgPath({ kind: "agent", project: null, agent }), formatAgentFile({ name: agent, description, runner, prompt })] as const,
  ),
  [
    OFFICE_PATH,
    `# The office: who may give work to whom. \`relay office check\` says whether it is whole, \`relay office show\` shows it.
name: ${JSON.stringify(name)}
description: "The agents that work on this repository."
lead: office-manager
members:
  # Each has a file in org/agents/.
  agents: [developer, reviewer]
`,
  ],
];
