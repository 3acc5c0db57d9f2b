/** Tools of agents that are imported: never more than the source allows. spec/office.md, "Importing". */
import { expect, test } from "vitest";
import { CLAUDE_TOOLS } from "../../protocol/agents/hosts/claude.ts";
import { fromTeaparty } from "../../protocol/office/nouns/from-teaparty.ts";

/** An office with one agent. @returns its tools, null where it may use all, and what was left out */
function imported(header: string, settings: Record<string, string> = {}, others: string[] = []): { tools: string[] | null; left: string } {
  const texts = new Map([
    ["teaparty.yaml", "name: Team\nlead: om\nmembers: { agents: [reader] }\n"],
    ["agents/reader/agent.md", `---\nname: reader\n${header}---\nYou read.\n`],
    ...Object.entries(settings),
  ]);
  const { files, leftOut } = fromTeaparty({ name: "m", texts, others }, () => null);
  const said = /^tools: (\[.*\])$/m.exec(files.get("org/agents/reader.md") ?? "")?.[1];
  return {
    tools: said === undefined ? null : JSON.parse(said),
    left: leftOut.map(({ path, problem }) => `${path}: ${problem}`).join("\n"),
  };
}
const without = (...gone: string[]): string[] => CLAUDE_TOOLS.filter((tool) => !gone.includes(tool));
const EDITING = ["Edit", "MultiEdit", "NotebookEdit", "Write"];
const OWN = "agents/reader/settings.yaml";

test.each<[what: string, header: string, settings: Record<string, string>, tools: string[] | null]>([
  ["nothing", "", {}, null],
  ["a list", "tools: Read, Grep\n", {}, ["Read", "Grep"]],
  ["an empty list", "tools: []\n", {}, []],
  ["disallowed tools", "disallowedTools: [Edit, Write]\n", {}, without(...EDITING)],
  ["disallowed tools as a text", "disallowedTools: Edit, Write\n", {}, without(...EDITING)],
  ["permissions of its own file", "", { [OWN]: "permissions: { allow: [Read, Grep] }\n" }, ["Read", "Grep"]],
  ["permissions in JSON", "", { "agents/reader/settings.json": '{"permissions":{"allow":["Read"]}}' }, ["Read"]],
  ["both", "tools: [Read, Edit]\n", { [OWN]: "permissions: { allow: [Read, Grep] }\n" }, ["Read"]],
  ["a part of a tool", "", { [OWN]: "permissions: { allow: [Read, 'Bash(git log:*)'] }\n" }, ["Read"]],
  ["a tool with all of it", "tools: ['Read', 'Bash(*)']\n", {}, ["Read", "Bash"]],
  ["a denied part", "tools: [Read, Bash]\n", { [OWN]: "permissions: { deny: ['Bash(sudo:*)'] }\n" }, ["Read"]],
  ["a denied part alone", "", { [OWN]: "permissions: { deny: ['Bash(sudo:*)'] }\n" }, without("Bash")],
  ["questions before a tool", "", { [OWN]: "permissions: { ask: [Write] }\n" }, without("Write")],
  ["a mode that only reads", "tools: Read, Bash\npermissionMode: plan\n", {}, ["Read"]],
  ["settings of all agents", "tools: [Read, Edit]\n", { "settings.yaml": "permissions: { deny: [Edit] }\n" }, ["Read"]],
  ["permissions that are no map", "", { [OWN]: "permissions: all\n" }, []],
  ["settings that cannot be read", "tools: [Read]\n", { [OWN]: "permissions: [\n" }, []],
  ["front matter that cannot be read", "tools: [\n", {}, []],
])("of an agent with %s", (_what, header, settings, tools) => {
  expect(imported(header, settings).tools).toEqual(tools);
});

test("rules that a list of tools cannot say, unknown settings and unknown files are named", () => {
  const { left } = imported("", { [OWN]: "permissions: { allow: [Read, 'Bash(git:*)'] }\nenv: { A: b }\n" }, ["agents/reader/pins.yaml"]);
  for (const words of ["Bash(git:*)", `${OWN}: env`, "agents/reader/pins.yaml: nothing is taken"]) expect(left).toContain(words);
});
