/** Who may give work to whom, derived from the files of an office. */
import { describe, expect, test } from "vitest";
import {
  deriveOfficeRoster,
  deriveProjectRoster,
  deriveRoster,
  deriveWorkgroupRoster,
  hasSubRoster,
  positionMap,
  readOffice,
} from "../../protocol/office/nouns/roster.ts";
import { agentText, faultsOf, OFFICE_FILES, officeOf, officeWith } from "../rig/office.ts";

const OFFICE = "org/office.yml";
const TEAPARTY = "org/projects/teaparty/project.yml";
const CODING = "org/projects/teaparty/workgroups/coding.yml";
const textOf = (path: string): string => OFFICE_FILES[path] as string;

describe("the office's lead", () => {
  test("may give work to the leads of its projects, then to its agents, in the order of the file", () => {
    const roster = deriveOfficeRoster(officeOf());
    expect(JSON.stringify(roster)).toBe(
      JSON.stringify({
        "teaparty-lead": { description: "Platform for coordinating long-lived agents." },
        "pybayes-lead": { description: "Bayesian inference toolkit." },
        auditor: { description: "What auditor does." },
        researcher: { description: "What researcher does." },
        strategist: { description: "What strategist does." },
      }),
    );
    const turned = textOf(OFFICE).replace(/( {2}projects: .*\n)( {2}agents: .*\n)/, "$2$1");
    expect(Object.keys(deriveOfficeRoster(officeOf({ [OFFICE]: turned })))[0]).toBe("auditor");
  });

  test("may give no work to a project that is known and no member", () => {
    const office = officeOf({ [OFFICE]: textOf(OFFICE).replace("[TeaParty, pybayes]", "[pybayes]") });
    expect(Object.keys(deriveOfficeRoster(office))).toEqual(["pybayes-lead", "auditor", "researcher", "strategist"]);
    expect([...positionMap(office).keys()].some((id) => id.startsWith("teaparty/"))).toBe(false);
  });

  test.each([
    [
      "no entry",
      { [OFFICE]: textOf(OFFICE).replace("  - { name: pybayes }\n", "") },
      `${OFFICE}:7: members.projects: "pybayes": expected one of "projects": TeaParty`,
    ],
    [
      "no file",
      { "org/projects/pybayes/project.yml": null },
      `${OFFICE}:8: members.projects: "pybayes": expected a file org/projects/pybayes/project.yml`,
    ],
  ])("a member project with %s is named with its file, field and value", (_what, changes, fault) => {
    expect(faultsOf(changes as Record<string, string | null>)).toEqual([fault]);
  });

  test.each(["members: { projects: [], agents: [] }", "members: { projects: null, agents: null }", "members:", ""])(
    "without members may give no work: %j",
    (members) => {
      const office = officeOf({ [OFFICE]: `name: Head Office\nlead: office-manager\n${members}\n` });
      expect([deriveOfficeRoster(office), [...positionMap(office).keys()]]).toEqual([{}, ["om"]]);
    },
  );
});

describe("a project's lead", () => {
  test("may give work to the leads of member workgroups, each for what its workgroup is for", () => {
    expect(deriveProjectRoster(officeOf(), "TeaParty")).toEqual({ "coding-lead": { description: "Builds features and repairs defects." } });
  });

  test.each(["Quality Control", "quality-control", "QUALITY_CONTROL", "Quálity  Control"])(
    "finds a workgroup by its name in any case: %s",
    (name) => {
      const office = officeOf({
        [TEAPARTY]: `name: TeaParty\nlead: teaparty-lead\nworkgroups: [{ ref: quality-control }]\nmembers: { workgroups: ["${name}"] }\n`,
        "org/projects/teaparty/workgroups/Quality-Control.yml":
          "name: Quality Control\nlead: Coding Lead\nmembers: { agents: [Developer] }\n",
      });
      expect(deriveProjectRoster(office, "teaparty")).toEqual({ "coding-lead": { description: "Quality Control" } });
      expect(Object.keys(deriveWorkgroupRoster(office, "TEAPARTY", name))).toEqual(["developer"]);
      expect(office.positions.get("teaparty/quality-control/developer")?.agent).toBe("org/projects/teaparty/agents/developer.md");
    },
  );

  test("has the project's own file before the office's, and both are named where there is neither", () => {
    const shared = { "org/workgroups/coding.yml": textOf(CODING).replace("Builds features", "Shared") };
    expect(deriveProjectRoster(officeOf(shared), "teaparty")["coding-lead"]?.description).toMatch(/^Builds/);
    expect(deriveProjectRoster(officeOf({ ...shared, [CODING]: null }), "teaparty")["coding-lead"]?.description).toMatch(/^Shared/);
    expect(faultsOf({ [CODING]: null })).toEqual([
      `${TEAPARTY}:6: members.workgroups: "Coding": expected a file org/projects/teaparty/workgroups/coding.yml or org/workgroups/coding.yml`,
    ]);
  });
});

test("a workgroup that many projects borrow has its positions in each, up to a limit that is told", () => {
  const names = (letter: string): string[] => Array.from({ length: 120 }, (_, n) => `${letter}${n}`);
  const projects = names("p").map((name) => [
    `org/projects/${name}/project.yml`,
    `name: ${name}\nlead: auditor\nworkgroups: [shared]\nmembers: { workgroups: [shared] }\n`,
  ]);
  const faults = faultsOf({
    [OFFICE]: `name: x\nlead: office-manager\nprojects: [${names("p")}]\nmembers: { projects: [${names("p")}] }\n`,
    "org/workgroups/shared.yml": `name: shared\nlead: researcher\nmembers: { agents: [${names("a")}] }\n`,
    ...Object.fromEntries(projects),
  });
  expect(faults).toContain("org/workgroups/shared.yml:1: members: 10001: expected at most 10000 positions in the office");
});

describe("a workgroup's lead", () => {
  test("may give work to its members, whose description is never empty", () => {
    const office = officeOf({ "org/projects/teaparty/agents/reviewer.md": "---\nname: reviewer\ndescription: ' '\n---\n" });
    expect(deriveWorkgroupRoster(office, "teaparty", "coding")).toEqual({
      developer: { description: "What developer does." },
      reviewer: { description: "reviewer" },
      architect: { description: "What architect does." },
    });
  });

  test("also asks the giver of its work: once, and not where a person gave it", () => {
    const office = officeOf();
    const roster = deriveWorkgroupRoster(office, "teaparty", "coding", "teaparty/lead");
    expect(Object.entries(roster).filter(([, { type }]) => type === "requestor")).toEqual([
      ["teaparty-lead", { description: "Platform for coordinating long-lived agents.", type: "requestor" }],
    ]);
    expect(Object.keys(roster)).toHaveLength(4);
    expect(Object.values(deriveWorkgroupRoster(office, "teaparty", "coding")).some(({ type }) => type !== undefined)).toBe(false);
    expect(deriveRoster(office, "teaparty/coding/developer", "teaparty/coding/lead")).toEqual({});
    expect(() => deriveWorkgroupRoster(office, "teaparty", "coding", "om")).toThrow(/om cannot give work to teaparty\/coding\/lead/);
  });

  test("of a workgroup lent to two projects asks who gave it this work", () => {
    const office = officeOf({
      [CODING]: null,
      "org/workgroups/coding.yml": textOf(CODING),
      "org/projects/pybayes/project.yml": "name: pybayes\nlead: pybayes-lead\nworkgroups: [coding]\nmembers: { workgroups: [coding] }\n",
      ...Object.fromEntries(
        ["coding-lead", "developer", "reviewer", "architect"].map((name) => [`org/agents/${name}.md`, agentText(name)]),
      ),
    });
    const askers = ["teaparty", "pybayes"].map((project) =>
      Object.entries(deriveWorkgroupRoster(office, project, "coding", `${project}/lead`)).at(-1),
    );
    expect(askers.map((entry) => [entry?.[0], entry?.[1].type])).toEqual([
      ["teaparty-lead", "requestor"],
      ["pybayes-lead", "requestor"],
    ]);
    expect(office.positions.get("teaparty/coding/developer")?.agent).toBe("org/projects/teaparty/agents/developer.md");
    expect(office.positions.get("pybayes/coding/developer")?.agent).toBe("org/agents/developer.md");
  });
});

describe("positions", () => {
  test("are ten, by the place and never by the name", () => {
    const byName = Object.fromEntries([...positionMap(officeOf()).values()].map(({ id, name }) => [name, id]));
    expect(byName).toEqual({
      "office-manager": "om",
      "teaparty-lead": "teaparty/lead",
      "coding-lead": "teaparty/coding/lead",
      developer: "teaparty/coding/developer",
      reviewer: "teaparty/coding/reviewer",
      architect: "teaparty/coding/architect",
      "pybayes-lead": "pybayes/lead",
      auditor: "om/auditor",
      researcher: "om/researcher",
      strategist: "om/strategist",
    });
    expect(positionMap(officeOf())).toEqual(positionMap(readOffice([...officeWith()].reverse())));
  });

  test("a lead with another name keeps its id, and an agent of the management is no lead by its name", () => {
    const office = officeOf({
      [OFFICE]: textOf(OFFICE).replace("lead: office-manager", "lead: chief").replace("strategist", "data-lead"),
      "org/agents/chief.md": agentText("chief"),
      "org/agents/data-lead.md": agentText("data-lead"),
    });
    expect(office.positions.get("om")?.name).toBe("chief");
    expect(office.positions.get("om/data-lead")).toMatchObject({ leads: null, members: [] });
  });

  test("have others below them by the structure alone", () => {
    const office = officeOf();
    const those = [...positionMap(office).keys(), "nobody/lead", ""].filter((id) => hasSubRoster(office, id));
    expect(those).toEqual(["om", "teaparty/lead", "teaparty/coding/lead"]);
  });

  test("an agent that comes to lead a workgroup has its roster, whoever names it", () => {
    const quality = "name: Quality\ndescription: Finds what breaks.\nlead: auditor\nmembers: { agents: [researcher] }\n";
    const changes = { "org/workgroups/quality.yml": quality, [OFFICE]: textOf(OFFICE).replace("auditor, researcher,", "auditor,") };
    for (const listed of ["", "  workgroups: [quality]\n"]) {
      const office = officeOf({ ...changes, [OFFICE]: changes[OFFICE].replace("humans:", `${listed}humans:`) });
      expect(hasSubRoster(office, "om/quality/lead")).toBe(true);
      expect(Object.keys(deriveWorkgroupRoster(office, null, "quality"))).toEqual(["researcher"]);
      expect(Object.keys(deriveOfficeRoster(office))).toEqual(["teaparty-lead", "pybayes-lead", "auditor", "strategist"]);
    }
    const led = officeOf({ [CODING]: textOf(CODING).replace("coding-lead", "auditor") });
    expect(Object.keys(deriveProjectRoster(led, "teaparty"))).toEqual(["auditor"]);
    expect(hasSubRoster(led, "om/auditor")).toBe(false);
  });
});
