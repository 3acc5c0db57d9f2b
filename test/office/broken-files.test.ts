/** Files of an office that are not as they should be: every fault of a file is told at once, with line, field and value. */
import { expect, test } from "vitest";
import { actingFirst, isLayout } from "../../protocol/core/tree/layout.ts";
import { formatAgentFile, parseAgentFile } from "../../protocol/office/nouns/agent-file.ts";
import { fileSlug, nameProblem, slugOf } from "../../protocol/office/nouns/name.ts";
import { parseUnit } from "../../protocol/office/nouns/unit.ts";
import { agentText, faultsOf, OFFICE_FILES, officeOf } from "../rig/office.ts";
import { character, fc, runs } from "../rig/properties.ts";

const OFFICE = "org/office.yml";
const TEAPARTY = "org/projects/teaparty/project.yml";
const CODING = "org/projects/teaparty/workgroups/coding.yml";
const office = OFFICE_FILES[OFFICE] as string;
const coding = OFFICE_FILES[CODING] as string;

const BROKEN: readonly [what: string, changes: Record<string, string | null>, faults: string[]][] = [
  ["no office", { [OFFICE]: null }, [`${OFFICE}:1: file: (missing): expected the office's own file; \`relay office init\` makes one`]],
  ["an empty file", { [CODING]: "" }, [`${CODING}:1: file: (missing): expected a map with "name" and "lead"`]],
  ["a file of comments", { [CODING]: "# later\n" }, [`${CODING}:1: file: (missing): expected a map with "name" and "lead"`]],
  ["a list for a map", { [CODING]: "- coding\n" }, [`${CODING}:1: file: ["coding"]: expected a map with "name" and "lead"`]],
  ["no name", { [CODING]: coding.replace("name: Coding\n", "") }, [`${CODING}:1: name: (missing): expected a text`]],
  ["an empty name", { [CODING]: coding.replace("Coding", '""') }, [`${CODING}:1: name: "": expected a name, it is empty`]],
  [
    "a scalar for a list",
    { [CODING]: coding.replace(/\[.*\]/, "developer") },
    [`${CODING}:5: members.agents: "developer": expected a list`],
  ],
  ["a number for a name", { [CODING]: coding.replace("architect", "7") }, [`${CODING}:5: members.agents.2: 7: expected a text`]],
  [
    "a member twice, in another case",
    { [CODING]: coding.replace("architect", "Developer") },
    [`${CODING}:5: members.agents: "Developer": expected each name once: line 5 has developer`],
  ],
  ["an empty member", { [CODING]: coding.replace("architect", '""') }, [`${CODING}:5: members.agents: "": expected a name, it is empty`]],
  [
    "the lead among its members",
    { [CODING]: coding.replace("architect", "Coding Lead") },
    [`${CODING}:5: members.agents: "Coding Lead": expected members beside the lead, who is not a member`],
  ],
  [
    "an agent without a file",
    { [CODING]: coding.replace("architect", "nobody") },
    [`${CODING}:5: members.agents: "nobody": expected a file org/projects/teaparty/agents/nobody.md or org/agents/nobody.md`],
  ],
  [
    "a path for a name",
    { [CODING]: coding.replace("architect", "../x") },
    [`${CODING}:5: members.agents: "../x": expected a name, not a path`],
  ],
  [
    "a worker called lead",
    { [CODING]: coding.replace("architect", "Lead") },
    [`${CODING}:5: members.agents: "Lead": expected another name: "lead" is in the ids of leads`],
  ],
  [
    "a project called as the office's lead",
    { [OFFICE]: office.replaceAll("pybayes", "OM") },
    [
      `${OFFICE}:6: projects: "OM": expected another name: "om" is the office itself`,
      `${OFFICE}:8: members.projects: "OM": expected another name: "om" is the office itself`,
    ],
  ],
  [
    "two keys with one slug",
    { [TEAPARTY]: `name: T\nlead: teaparty-lead\nworkgroups: [coding, { ref: CODING }]\n` },
    [`${TEAPARTY}:3: workgroups: "CODING": expected each name once: line 3 has coding`],
  ],
  [
    "two projects with one lead",
    {
      "org/projects/pybayes/project.yml": "name: pybayes\nlead: teaparty-lead\n",
      "org/agents/teaparty-lead.md": agentText("teaparty-lead"),
    },
    [`${OFFICE}:8: members.projects: "pybayes": expected other names in one roster: teaparty-lead is that of TeaParty as well`],
  ],
  [
    "a project with the lead of the office",
    { "org/projects/pybayes/project.yml": "name: pybayes\nlead: office-manager\n" },
    [`${OFFICE}:8: members.projects: "pybayes": expected other names in one roster: office-manager is its lead as well`],
  ],
  [
    "a member with the name of the lead who gives the work",
    { [CODING]: coding.replace("architect", "teaparty-lead") },
    [
      `${CODING}:5: members.agents: "teaparty-lead": expected other names in one roster: teaparty-lead is the lead who gives it work as well`,
    ],
  ],
  [
    "two files of one name",
    { "org/projects/teaparty/workgroups/CODING.yml": coding },
    [`${CODING}:1: file: "${CODING}": expected one file of a name, org/projects/teaparty/workgroups/CODING.yml has the same`],
  ],
  [
    "a list that does not end",
    { [CODING]: coding.replace("]", "") },
    [
      `${CODING}:5: yaml: "agents: [developer, reviewer, architect": Flow sequence in block collection must be sufficiently indented and end with a ]`,
    ],
  ],
  [
    "a tag",
    { [CODING]: coding.replace("Coding", "!!js/function x") },
    [`${CODING}:1: yaml: "name: !!js/function x": Unresolved tag: tag:yaml.org,2002:js/function`],
  ],
  ["an alias", { [CODING]: coding.replace("Coding", "&a Coding").replace("architect", "*a") }, []],
  [
    "another repository's path",
    { [OFFICE]: office.replace('"."', "/home/me/x") },
    [`${OFFICE}:5: projects.path: "/home/me/x": expected a folder of this repository; where another one lies is each machine's`],
  ],
  [
    "an agent file without front matter",
    { "org/agents/auditor.md": "You audit.\n" },
    [`org/agents/auditor.md:1: front matter: "You audit.": expected the first line to be exactly "---", it is "You audit."`],
  ],
  [
    "an agent file with five faults",
    { "org/agents/auditor.md": "---\nname: other\nrunner: emacs\nmodel: --yolo\ntools: Read\nmax_turns: 0\nisolation: moon\n---\n" },
    [
      'org/agents/auditor.md:2: name: "other": expected the name of the file, auditor',
      'org/agents/auditor.md:3: runner: "emacs": expected one of claude, codex, gemini, copilot, opencode, qwen, pi, command',
      'org/agents/auditor.md:4: model: "--yolo": expected the name of a model',
      'org/agents/auditor.md:5: tools: "Read": expected a list',
      "org/agents/auditor.md:6: max_turns: 0: expected a number of at least 1",
      'org/agents/auditor.md:7: isolation: "moon": expected one of none, worktree',
    ],
  ],
];

test.each(BROKEN)("%s", (what, changes, faults) => {
  const found = faultsOf(changes);
  if (what === "an alias") expect(found).toMatchObject([expect.stringContaining("aliases are not read")]);
  else expect(found).toEqual(faults);
});

test("all faults of a file are named at once, in the order of its lines", () => {
  const text = "description: [7]\nlead: ''\nmembers:\n  agents: [a, A, ../b, '', lead]\nworkgroups: 3\n";
  expect(faultsOf({ [TEAPARTY]: text })).toEqual([
    `${TEAPARTY}:1: name: (missing): expected a text`,
    `${TEAPARTY}:1: description: [7]: expected a text`,
    `${TEAPARTY}:2: lead: "": expected a name, it is empty`,
    `${TEAPARTY}:4: members.agents: "../b": expected a name, not a path`,
    `${TEAPARTY}:4: members.agents: "": expected a name, it is empty`,
    `${TEAPARTY}:4: members.agents: "lead": expected another name: "lead" is in the ids of leads`,
    `${TEAPARTY}:4: members.agents: "A": expected each name once: line 4 has a`,
    `${TEAPARTY}:5: workgroups: 3: expected a list`,
  ]);
});

test("known workgroups that are not members are checked as well, once for each place that knows them", () => {
  expect(faultsOf({ "org/projects/teaparty/agents/docs-writer.md": null })).toEqual([
    'org/projects/teaparty/workgroups/docs.yml:4: members.agents: "docs-writer": expected a file org/projects/teaparty/agents/docs-writer.md or org/agents/docs-writer.md',
  ]);
});

test("keys that this version does not know have no effect, and are named with the nearest that it knows", () => {
  const unit = parseUnit("project", "name: a\nlead: b\nworkgruops: [c]\nmembers:\n  agents: []\n  skills: [d]\n");
  expect(unit.unknown).toEqual([
    { key: "workgruops", line: 3, near: "workgroups" },
    { key: "members.skills", line: 6, near: undefined },
  ]);
});

test("a name has one slug, on every system, and a slug is a name of itself", () => {
  const name = fc.oneof(
    fc.string({ unit: character, maxLength: 40 }),
    fc.string({ maxLength: 80 }),
    fc.constantFrom("Quálity  Control", "ﬁx", "İx", "A.B"),
  );
  fc.assert(
    fc.property(name, (given) => {
      const slug = slugOf(given);
      expect([slugOf(slug), slugOf(given.normalize("NFD")), slugOf(given.normalize("NFC"))]).toEqual([slug, slug, slug]);
      if (nameProblem(given) !== null) return;
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect([nameProblem(slug), fileSlug(slug)]).toEqual([null, slug]);
    }),
    { numRuns: runs(10_000) },
  );
  for (const bad of ["", " ", ".", "..", "a/b", "a\\b", "../a", "con", "new", "NUL", "7", "-", "日本", "a\nb", "a\u200bb", "x".repeat(65)])
    expect([bad, nameProblem(bad) !== null]).toEqual([bad, true]);
});

test.each(["agents", "claude", "CLAUDE", "gemini", "codex", "copilot-instructions", "cursor", "skill"])(
  "no agent is called %s: agents take a file of that name for their instructions",
  (name) => {
    const at = `org/agents/${name}.md`;
    expect(actingFirst([at]).acting).toEqual([at]);
    expect([isLayout(at), isLayout(`org/projects/shop/agents/${name}.md`)]).toEqual([false, false]);
    expect(faultsOf({ [CODING]: coding.replace("architect", name) })).toEqual([expect.stringContaining("for their instructions")]);
  },
);

test("positions and places are one to one, whatever an office looks like", () => {
  const name = fc.constantFrom(..."a b c d-e lead-x q1 Quality-Control".split(" "));
  const some = fc.uniqueArray(name, { maxLength: 4, selector: slugOf });
  const group = fc.record({ name, agents: some });
  const shape = fc.record({
    agents: some,
    projects: fc.uniqueArray(
      fc.record({ name, agents: some, groups: fc.uniqueArray(group, { selector: (g) => slugOf(g.name), maxLength: 3 }) }),
      { selector: (p) => slugOf(p.name), maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(shape, ({ agents, projects }) => {
      const files: Record<string, string> = {
        [OFFICE]: `name: O\nlead: boss\nprojects: ${list(projects.map((p) => p.name))}\nmembers: { projects: ${list(projects.map((p) => p.name))}, agents: ${list(agents)} }\n`,
      };
      const people = new Set(["boss", ...agents]);
      for (const [p, project] of projects.entries()) {
        files[`org/projects/${project.name}/project.yml`] =
          `name: P\nlead: p${p}\nworkgroups: ${list(project.groups.map((g) => g.name))}\nmembers: { workgroups: ${list(project.groups.map((g) => g.name))}, agents: ${list(project.agents)} }\n`;
        for (const each of [`p${p}`, ...project.agents]) people.add(each);
        for (const [g, { name: called, agents: members }] of project.groups.entries()) {
          files[`org/projects/${project.name}/workgroups/${called}.yml`] =
            `name: G\nlead: p${p}g${g}\nmembers: { agents: ${list(members)} }\n`;
          for (const each of [`p${p}g${g}`, ...members]) people.add(each);
        }
      }
      for (const each of people) files[`org/agents/${each}.md`] = agentText(each);
      const all = Object.fromEntries([...Object.keys(OFFICE_FILES).map((path) => [path, null] as const), ...Object.entries(files)]);
      const { positions } = officeOf(all);
      const workers =
        agents.length + projects.reduce((sum, p) => sum + p.agents.length + p.groups.reduce((n, g) => n + g.agents.length, 0), 0);
      const leads = 1 + projects.length + projects.reduce((sum, p) => sum + p.groups.length, 0);
      expect(positions.size).toBe(workers + leads);
      // Each but the first is below exactly one, and named by it.
      const below = [...positions.values()].flatMap(({ id, members }) => members.map((member) => [member, id]));
      expect(new Map(below as [string, string][])).toEqual(
        new Map([...positions.values()].flatMap(({ id, parent }) => (parent === null ? [] : [[id, parent]]))),
      );
      expect(below).toHaveLength(positions.size - 1);
    }),
    { numRuns: runs(2_000) },
  );
});

const list = (names: readonly string[]): string => JSON.stringify(names);

test("the file of an agent comes back as it was written", () => {
  const text = fc.string({ unit: character, maxLength: 200 }).map((each) => each.toWellFormed().replaceAll("\0", "").trim());
  const agent = fc.record(
    {
      name: fc.constantFrom("Data Lead", "data-lead"),
      description: text,
      runner: fc.constantFrom("claude", "codex", "gemini", "command"),
      model: fc.constantFrom("opus", "gpt-5.4"),
      tools: fc.array(text),
      maxTurns: fc.integer({ min: 1, max: 1_000 }),
      isolation: fc.constantFrom("none", "worktree"),
      prompt: text,
    },
    { requiredKeys: ["name", "description", "prompt"] },
  );
  fc.assert(
    fc.property(agent, (written) => {
      expect(parseAgentFile(formatAgentFile(written as never), "data-lead")).toEqual(written);
    }),
  );
});
