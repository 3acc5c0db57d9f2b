/** An office as most tests have it: two projects, one with two workgroups, and an agent of each name. */
import type { FileError } from "../../protocol/core/format/file-error.ts";
import type { Office } from "../../protocol/office/nouns/positions.ts";
import { readOffice } from "../../protocol/office/nouns/roster.ts";

const agent = (name: string): string => `---\nname: "${name}"\ndescription: "What ${name} does."\n---\n\nYou are ${name}.\n`;

/** The names of the agents, by the folder of their files. */
const AGENTS: readonly [folder: string, names: string][] = [
  ["org/agents", "office-manager auditor researcher strategist pybayes-lead"],
  ["org/projects/teaparty/agents", "teaparty-lead coding-lead developer reviewer architect docs-lead docs-writer"],
];

/** Path in the home → text. */
export const OFFICE_FILES: Readonly<Record<string, string>> = {
  "org/office.yml": `# Who may give work to whom.
name: Head Office
lead: office-manager
projects:
  - { name: TeaParty, path: "." }
  - { name: pybayes }
members:
  projects: [TeaParty, pybayes]
  agents: [auditor, researcher, strategist]
humans: { decider: dana, advisors: [omar] }
`,
  "org/projects/teaparty/project.yml": `name: TeaParty
description: Platform for coordinating long-lived agents.
lead: teaparty-lead
workgroups: [coding, { ref: docs, status: paused }]
members:
  workgroups: [Coding] # docs rests
`,
  "org/projects/teaparty/workgroups/coding.yml": `name: Coding
description: Builds features and repairs defects.
lead: coding-lead
members:
  agents: [developer, reviewer, architect]
`,
  "org/projects/teaparty/workgroups/docs.yml": "name: Docs\nlead: docs-lead\nmembers:\n  agents: [docs-writer]\n",
  "org/projects/pybayes/project.yml": "name: pybayes\ndescription: Bayesian inference toolkit.\nlead: pybayes-lead\n",
  ...Object.fromEntries(AGENTS.flatMap(([folder, names]) => names.split(" ").map((name) => [`${folder}/${name}.md`, agent(name)]))),
};

/** The same files with some changed; null takes one away. */
export const officeWith = (changes: Readonly<Record<string, string | null>> = {}): Map<string, string> =>
  new Map(Object.entries({ ...OFFICE_FILES, ...changes }).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));

/** The office that they are. @throws FileError */
export const officeOf = (changes: Readonly<Record<string, string | null>> = {}): Office => readOffice(officeWith(changes));

/** What is wrong with them: `path:line: problem`, each. */
export function faultsOf(changes: Readonly<Record<string, string | null>>): string[] {
  try {
    officeOf(changes);
    return [];
  } catch (error) {
    const first = error as FileError;
    return [first, ...first.others].map(({ path, line, message }) => `${path}:${line}: ${message}`);
  }
}

/** The text of an agent's file. */
export const agentText = agent;

/**
 * The files of an office of several projects, each with a lead, a workgroup `coding` with a lead, and those who work in it.
 * @param workers what they are called, after their project and a dash
 */
export function bigOffice(projects: readonly string[], workers: readonly string[]): Record<string, string> {
  const list = `[${projects.join(", ")}]`;
  const of = (name: string): [string, string][] => {
    const at = `org/projects/${name}`;
    const members = workers.map((worker) => `${name}-${worker}`);
    return [
      [`${at}/project.yml`, `name: ${name}\nlead: ${name}-lead\nworkgroups: [coding]\nmembers:\n  workgroups: [coding]\n`],
      [`${at}/workgroups/coding.yml`, `name: coding\nlead: ${name}-coder\nmembers:\n  agents: [${members.join(", ")}]\n`],
      ...[`${name}-lead`, `${name}-coder`, ...members].map((who): [string, string] => [`${at}/agents/${who}.md`, agent(who)]),
    ];
  };
  const office = `name: Head Office\nlead: office-manager\nprojects: ${list}\nmembers:\n  projects: ${list}\n`;
  return { "org/office.yml": office, ...Object.fromEntries(projects.flatMap(of)) };
}
