/** The office by its commands: made, shown, checked, extended, and what each prints when something is wrong. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deriveOfficeRoster } from "../../protocol/index.ts";
import { homeWith } from "../rig/home.ts";
import { OFFICE_FILES, officeOf, officeWith } from "../rig/office.ts";
import { relay, relayProcess } from "../rig/processes.ts";
import { putAll, tree } from "../rig/scratch.ts";

const officeHome = async (changes: Record<string, string | null> = {}): Promise<string> => {
  const folder = await homeWith("web");
  putAll(path.join(folder, ".relay"), officeWith(changes));
  return folder;
};
const org = (folder: string): Record<string, string> => tree(path.join(folder, ".relay/org"));

describe("a first office", () => {
  test("is a lead and two agents, is whole, and is made once", async () => {
    const folder = await homeWith("web");
    const made = await relay(folder, ["office", "init", "--json"]);
    expect(made.json).toMatchObject({
      created: ["org/agents/office-manager.md", "org/agents/developer.md", "org/agents/reviewer.md", "org/office.yml"],
      kept: [],
    });
    expect(await relay(folder, ["office", "check"])).toMatchObject({ code: 0, stderr: "" });
    expect((await relay(folder, ["check"])).code).toBe(0);
    const before = org(folder);
    fs.rmSync(path.join(folder, ".relay/org/agents/reviewer.md"));
    fs.appendFileSync(path.join(folder, ".relay/org/office.yml"), "# mine\n");
    expect((await relay(folder, ["office", "init", "--json"])).json).toMatchObject({ created: [], kept: ["org/office.yml"] });
    expect(Object.keys(org(folder))).toHaveLength(Object.keys(before).length - 1);
    expect(org(folder)["office.yml"]).toBe(`${before["office.yml"]}# mine\n`);
  });
});

describe("check", () => {
  test("of a whole office prints its ids and rosters", async () => {
    const ran = await relay(await officeHome(), ["office", "check", "--json"], { env: { PATH: "/nowhere" } });
    expect(ran).toMatchObject({ code: 0, json: { ok: true, faults: [], unknown: [], missing: ["claude"] } });
    const { positions, rosters } = ran.json as unknown as {
      positions: { id: string; hasSubRoster: boolean }[];
      rosters: Record<string, object>;
    };
    expect(positions.map(({ id }) => id)).toEqual([...officeOf().positions.keys()]);
    expect(positions.filter(({ hasSubRoster }) => hasSubRoster)).toHaveLength(3);
    expect(rosters["om"]).toEqual(deriveOfficeRoster(officeOf()));
    expect(Object.keys(rosters)).toEqual(["om", "teaparty/lead", "teaparty/coding/lead", "pybayes/lead"]);
  });

  test("names every fault with file, line, field, value and reason, and so does check of the home", async () => {
    const changes = {
      "org/projects/teaparty/workgroups/coding.yml": "lead: coding-lead\nmembers:\n  agents: [developer, Developer, ../x]\n",
      "org/agents/auditor.md": null,
      "org/projects/teaparty/project.yml": `${OFFICE_FILES["org/projects/teaparty/project.yml"]}colour: red\n`,
    };
    const folder = await officeHome(changes);
    const ran = await relay(folder, ["office", "check"]);
    const lines = [
      "org/projects/teaparty/workgroups/coding.yml:1: name: (missing): expected a text",
      'org/projects/teaparty/workgroups/coding.yml:3: members.agents: "../x": expected a name, not a path',
      'org/projects/teaparty/workgroups/coding.yml:3: members.agents: "Developer": expected each name once: line 3 has developer',
      'org/office.yml:9: members.agents: "auditor": expected a file org/agents/auditor.md',
    ];
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout.split("\n").slice(0, 4)).toEqual(lines);
    expect(ran.stdout).toContain("project.yml:7: the office has a key, or names a tool, that has no effect: colour, which has no effect");
    const whole = await relay(folder, ["check", "--json"]);
    const { findings, warnings } = whole.json as unknown as Record<string, { code: string; path: string; line: number; found: string }[]>;
    const told = findings?.map(({ path: at, line, found }) => `${at}:${line}: ${found}`);
    expect([...(told ?? [])].sort()).toEqual([...lines].sort());
    expect(findings?.map(({ code }) => code)).toEqual(["office_fault", "malformed", "malformed", "malformed"]);
    expect(warnings).toMatchObject([{ code: "unknown_key", path: "org/projects/teaparty/project.yml", line: 7 }]);
  });

  test("of a home without an office says how to make one; the home itself has no fault", async () => {
    const folder = await homeWith("web");
    const ran = await relay(folder, ["office", "check"]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("`relay office init` makes one");
    expect((await relay(folder, ["check"])).code).toBe(0);
    const none = await relay(folder, ["office"]);
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining("there is no office here yet. Make one: `relay office init`.")]);
  });
});

describe("show", () => {
  test("has each position below the one that may give it work, and the roster of one in any case", async () => {
    const folder = await officeHome();
    const { stdout } = await relay(folder, ["office", "show"]);
    expect(stdout).toMatch(/^office-manager +om +Head Office$/m);
    expect(stdout).toMatch(/^ {4}coding-lead +teaparty\/coding\/lead +Builds features and repairs defects\.$/m);
    expect(stdout).toMatch(/^ {6}developer +teaparty\/coding\/developer +What developer does\.$/m);
    const shown = await relay(folder, ["office", "show", "--position", "TeaParty/Coding/Lead", "--json"]);
    expect(Object.keys((shown.json as unknown as { roster: object }).roster)).toEqual(["developer", "reviewer", "architect"]);
    expect((await relay(folder, ["office", "show", "--position", "pybayes/lead"])).stdout).toContain("nobody");
  });

  test("an unknown position is refused with the nearest, and a broken office with its first fault", async () => {
    const unknown = await relay(await officeHome(), ["office", "show", "--position", "om/auditer", "--json"]);
    expect(unknown).toMatchObject({ code: 3, json: { code: "unknown_position", nearest: ["om/auditor"] } });
    const broken = await relay(await officeHome({ "org/projects/pybayes/project.yml": "lead: [\n" }), ["office", "show", "--json"]);
    expect(broken).toMatchObject({ code: 4, json: { code: "roster_unavailable", path: "org/projects/pybayes/project.yml" } });
  });
});

describe("add", () => {
  test("puts an agent into a roster, keeps comments, and makes its file once", async () => {
    const folder = await officeHome();
    const added = await relay(folder, ["office", "add", "Tester", "--to", "teaparty/lead", "--description", "Tests.", "--json"]);
    expect(added.json).toMatchObject({
      position: "teaparty/tester",
      added: true,
      agent: "org/projects/teaparty/agents/tester.md",
      created: true,
    });
    expect(org(folder)["projects/teaparty/project.yml"]).toContain("# docs rests");
    expect((await relay(folder, ["office", "add", "tester", "--to", "teaparty/lead", "--json"])).json).toMatchObject({
      added: false,
      created: false,
    });
    const shown = await relay(folder, ["office", "show", "--position", "teaparty/lead", "--json"]);
    expect((shown.json as unknown as { roster: object }).roster).toMatchObject({ "coding-lead": {}, tester: { description: "Tests." } });
  });

  test("an agent that is new is run by its lead's program, or by the one that is named", async () => {
    const folder = await homeWith("web");
    await relay(folder, ["office", "init", "--runner", "command"]);
    await relay(folder, ["office", "add", "tester"]);
    await relay(folder, ["office", "add", "critic", "--runner", "gemini"]);
    expect(org(folder)["agents/tester.md"]).toMatch(/^runner: "command"$/m);
    expect(org(folder)["agents/critic.md"]).toMatch(/^runner: "gemini"$/m);
    // Nothing is given to a lead that this machine cannot run.
    const started = await relay(folder, ["office", "start", "Go.", "--json"]);
    expect(started).toMatchObject({ code: 4, json: { code: "program_missing", position: "om", program: "command" } });
    expect((await relay(folder, ["office", "tree", "--json"])).json["conversations"]).toEqual([]);
  });

  test("refuses who cannot be there, and changes nothing", async () => {
    const folder = await officeHome();
    const before = org(folder);
    for (const [args, words] of [
      [["office-manager"], "beside the lead"],
      [["teaparty-lead", "--to", "teaparty/coding/lead"], "the lead who gives it work"],
      [["../x"], "not a path"],
      [["Lead"], "in the ids of leads"],
      [["x", "--to", "om/auditor"], "the position of a lead"],
    ] as const) {
      const ran = await relay(folder, ["office", "add", ...args]);
      expect([ran.code, ran.stderr.includes(words)], ran.stderr).toEqual([2, true]);
      expect(org(folder)).toEqual(before);
    }
  });

  test("of many at once none is lost", async () => {
    const folder = await officeHome();
    const names = Array.from({ length: 5 }, (_, at) => `extra-${"abcdefgh"[at]}`);
    const ran = await Promise.all(names.map((name) => relayProcess(folder, ["office", "add", name, "--json"])));
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
    const shown = await relay(folder, ["office", "show", "--position", "om", "--json"]);
    expect(Object.keys((shown.json as unknown as { roster: object }).roster)).toEqual(expect.arrayContaining(names));
    expect(org(folder)["office.yml"]).toContain("# Who may give work to whom.");
  });
});
