/** A TeaParty tree becomes an office; what cannot be taken is listed. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { homeWith } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { putAll, scratch, tree } from "../../rig/scratch.ts";

const AGENT =
  '---\nname: x\ndescription: "Does it.\\nWell."\ntools: Read, Bash\nmodel: sonnet\nmaxTurns: 20\npermissionMode: acceptEdits\n---\n\nYou do it.\n';

/** A tree as TeaParty keeps one: a management folder, a project here, one elsewhere, one that is gone. */
function teaparty(changes: Record<string, string | null> = {}): string {
  const folder = scratch();
  const files: Record<string, string | null> = {
    ".teaparty/management/teaparty.yaml": `name: Management
description: Everything.
lead: office-manager
humans: { decider: dana, advisors: [omar] }
projects:
- { name: Tea Party, path: ., config: .teaparty/project/project.yaml }
- { name: bayes, path: ${folder}/bayes }
- { name: gone, path: /nowhere }
members:
  projects: [Tea Party, bayes, gone, never]
  agents: [auditor]
  skills: [writing]
  workgroups: []
workgroups:
- { name: Coding, config: workgroups/coding.yaml }
stats: { storage: x.json }
`,
    ".teaparty/management/workgroups/coding.yaml":
      "name: Coding\ndescription: Builds.\nlead: coding-lead\nmembers:\n  agents: [developer]\n  hooks: []\nagents:\n- name: developer\nartifacts: [a]\n",
    ".teaparty/project/project.yaml":
      "name: Tea Party\ndescription: The platform.\nlead: tea-lead\nworkgroups:\n- ref: coding\nmembers:\n  workgroups: [Coding]\n",
    "bayes/.teaparty/project/project.yaml": "name: bayes\nlead: bayes-lead\n",
    "bayes/.teaparty/project/agents/bayes-lead/agent.md": AGENT,
    ".teaparty/project/agents/tea-lead/agent.md": AGENT,
    ...Object.fromEntries(
      ["office-manager", "auditor", "coding-lead", "developer"].map((name) => [`.teaparty/management/agents/${name}/agent.md`, AGENT]),
    ),
    ...changes,
  };
  putAll(folder, files);
  return folder;
}

test("its units, members and agents are taken, and all else is listed", async () => {
  const from = teaparty();
  const before = tree(from);
  const folder = await homeWith("web");
  const ran = await relay(folder, ["office", "import", from, "--json"]);
  expect(ran).toMatchObject({ code: 0, json: { ok: true, faults: [], kept: [] } });
  const { created, leftOut } = ran.json as unknown as { created: string[]; leftOut: { path: string; problem: string }[] };
  expect(created.at(-1)).toBe("org/office.yml");
  const said = leftOut.map(({ problem }) => problem).join("\n");
  for (const words of [
    "stats has no place",
    "members.skills",
    "gone: no project.yaml was found at /nowhere",
    "never is no project",
    "artifacts",
    "permissionMode",
    `the path ${from}/bayes is not of this repository`,
  ])
    expect(said).toContain(words);
  const shown = await relay(folder, ["office", "check", "--json"]);
  expect(shown.json).toMatchObject({
    rosters: {
      om: {
        "tea-lead": { description: "The platform." },
        "bayes-lead": { description: "bayes" },
        auditor: { description: "Does it.\nWell." },
      },
      "tea-party/lead": { "coding-lead": { description: "Builds." } },
      "tea-party/coding/lead": { developer: {} },
    },
  });
  const agent = fs.readFileSync(path.join(folder, ".relay/org/agents/developer.md"), "utf8");
  expect(agent).toContain('tools: ["Read", "Bash"]\nmax_turns: 20\n');
  expect(agent).toContain("You do it.");
  expect(fs.readFileSync(path.join(folder, ".relay/org/office.yml"), "utf8")).not.toContain(from);
  expect(tree(from)).toEqual(before);
  // Again, and from the folder of the file: everything is there.
  const again = await relay(folder, ["office", "import", path.join(from, ".teaparty/management"), "--json"]);
  expect(again.json).toMatchObject({ created: [], kept: expect.arrayContaining(["org/office.yml"]) });
  // What it wrote came from elsewhere: a person sees it whole before it runs.
  expect((await relay(folder, ["office", "start", "Go.", "--json"])).json).toMatchObject({ code: "office_untrusted" });
});

test("an office that is there is not replaced, and nothing is written beside it", async () => {
  const folder = await homeWith("web");
  await relay(folder, ["office", "init"]);
  const before = tree(path.join(folder, ".relay/org"));
  const ran = await relay(folder, ["office", "import", teaparty(), "--json"]);
  expect(ran).toMatchObject({ code: 4, json: { code: "office_exists", paths: expect.arrayContaining(["org/office.yml"]) } });
  expect(tree(path.join(folder, ".relay/org"))).toEqual(before);
});

test("a folder without a tree is refused, and a broken file of one is listed", async () => {
  const folder = await homeWith("web");
  expect(await relay(folder, ["office", "import", scratch(), "--json"])).toMatchObject({ code: 2, json: { code: "invalid_argument" } });
  const from = teaparty({
    ".teaparty/management/workgroups/coding.yaml": "name: [\n",
    ".teaparty/management/workgroups/evil.yaml": "name: ../../evil\nlead: x\n",
    ".teaparty/management/agents/.../agent.md": AGENT,
    ".teaparty/management/agents/auditor/agent.md": "No front matter.\n",
  });
  const ran = await relay(folder, ["office", "import", from, "--json"]);
  const { leftOut } = ran.json as unknown as { leftOut: { path: string; problem: string }[] };
  const said = leftOut.map(({ path: at, problem }) => `${at}: ${problem}`).join("\n");
  for (const words of [
    "coding.yaml: it cannot be read",
    'evil.yaml: "../../evil": expected a name, not a path',
    '".": expected a name',
    "all of it is the prompt",
  ])
    expect(said).toContain(words === '".": expected a name' ? '"...": expected a name' : words);
  expect(Object.keys(tree(path.join(folder, ".relay"))).filter((at) => at.includes("evil"))).toEqual([]);
});
