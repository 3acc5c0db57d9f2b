/** The limits of an office: how many may be at work at once, who may not be sent work at all, and what the file of limits says wrong. */
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { FileError } from "../../../protocol/core/format/file-error.ts";
import { createDispatch, requireRoute } from "../../../protocol/office/files/create-dispatch.ts";
import type { Dispatch } from "../../../protocol/office/nouns/dispatch.ts";
import { deriveRoster, readOffice } from "../../../protocol/office/nouns/roster.ts";
import { act } from "../../rig/clones.ts";
import { officeHome, playTurn, writeOffice } from "../../rig/dispatches.ts";
import { homeWith, officeFolder, worldAt } from "../../rig/home.ts";
import { agentText } from "../../rig/office.ts";
import { relay } from "../../rig/processes.ts";
import { fc, runs } from "../../rig/properties.ts";
import { put } from "../../rig/scratch.ts";
import { closeTeamServers, idOf, serverOf } from "../../rig/team-server.ts";

afterEach(closeTeamServers);

const started = (folder: string, recipient: string): string =>
  createDispatch(worldAt(folder), { initiator: "web", recipient, text: "Go.", parent: null }).dispatch.id;

const setLimits = (folder: string, text: string): void => put(path.join(officeFolder(folder), "limits.json"), text);

test("three may be at work; what ended is free, and so is going on with it; a limit that is changed counts at once", async () => {
  const folder = await officeHome("web");
  const server = (await serverOf(folder, started(folder, "om"))).server;
  const send = (member: string, more: object = {}) => server.call("Send", { member, message: `Part ${member}`, wait: false, ...more });
  const { context_id: first } = await send("auditor");
  for (const member of ["researcher", "strategist"]) expect(await send(member)).toMatchObject({ status: "queued" });
  const { code, open } = await send("pybayes-lead");
  expect([code, open.map((each: string) => each.split(" ")[0])]).toEqual(["slot_limit", ["om/auditor", "om/researcher", "om/strategist"]]);
  playTurn(worldAt(folder), idOf(folder, first), "Done.");
  expect(await send("pybayes-lead")).toMatchObject({ status: "queued" });
  // It has ended, and its slot is taken by now: it goes on all the same.
  expect(await send("auditor", { context_id: first, message: "More." })).toMatchObject({ status: "queued" });
  expect(await send("teaparty-lead")).toMatchObject({ code: "slot_limit", most: 3 });
  setLimits(folder, '{"open_children": 5}');
  expect(await send("teaparty-lead")).toMatchObject({ status: "queued" });
  expect(await send("auditor", { message: "Another." })).toMatchObject({ code: "slot_limit", most: 5 });
});

test("an agent above that waits for this very work cannot be sent any of it, and its giver is asked", async () => {
  const folder = await officeHome("web");
  const top = (await serverOf(folder, started(folder, "om"))).server;
  const { context_id: middle } = await top.call("Send", { member: "teaparty-lead", message: "Go.", wait: false });
  const lead = (await serverOf(folder, idOf(folder, middle))).server;
  const { context_id: lowest } = await lead.call("Send", { member: "coding-lead", message: "Go.", wait: false });
  const lower = (await serverOf(folder, idOf(folder, lowest))).server;
  const refused = await lower.call("Send", { member: "office-manager", message: "Do it yourself." });
  expect(refused).toMatchObject({ success: false, code: "cycle", given: "office-manager", requestor: "teaparty-lead" });
  expect(await lower.call("Send", { member: "office-manager", message: "And this.", context_id: middle })).toMatchObject({
    code: "not_permitted",
  });
  expect(await lower.call("Send", { member: "teaparty-lead", message: "Which?" })).toMatchObject({ status: "queued" });
  // Nobody above: then the name is just none of the roster.
  const alone = (await serverOf(folder, started(folder, "pybayes/lead"))).server;
  expect(await alone.call("Send", { member: "office-manager", message: "Go." })).toMatchObject({ code: "unknown_member" });
});

const NAMES = ["ann", "bob", "cid", "dot"];
const someOf = (names: readonly string[]) => fc.subarray([...names]);
/** Mostly one that nobody else leads by: names that are one in a roster are a fault, and then nobody gives work. */
const ledBy = (own: string) => fc.oneof({ weight: 4, arbitrary: fc.constant(own) }, { weight: 1, arbitrary: fc.constantFrom(...NAMES) });
const unitOf = (lead: string) =>
  fc
    .record({ lead: ledBy(lead), agents: someOf(NAMES) })
    .map((unit) => ({ ...unit, agents: unit.agents.filter((name) => name !== unit.lead) }));

test("no agent may give work to an agent above it, in any office, lent workgroups and promoted agents too", () => {
  const groups = ["one", "two"];
  let [whole, lent] = [0, 0];
  const laws = fc.property(
    fc.tuple(unitOf("gil"), someOf(groups)).map(([unit, workgroups]) => ({ ...unit, workgroups })),
    fc.tuple(
      ...["eve", "fay"].map((lead) => fc.tuple(unitOf(lead), someOf(groups)).map(([unit, workgroups]) => ({ ...unit, workgroups }))),
    ),
    fc.tuple(unitOf("hal"), unitOf("ida")),
    (office, projects, [one, two]) => {
      const list = (names: readonly string[]): string => `[${names.join(", ")}]`;
      const texts = new Map<string, string>([
        [
          "org/office.yml",
          `name: Office\nlead: ${office.lead}\nprojects: ${list(projects.map((_, n) => `p${n}`))}\n` +
            `members: { projects: ${list(projects.map((_, n) => `p${n}`))}, agents: ${list(office.agents)}, workgroups: ${list(office.workgroups)} }\n`,
        ],
        ...[...NAMES, "eve", "fay", "gil", "hal", "ida"].map((name) => [`org/agents/${name}.md`, agentText(name)] as const),
        ...[one, two].map(
          (group, n) =>
            [
              `org/workgroups/${groups[n]}.yml`,
              `name: ${groups[n]}\nlead: ${group.lead}\nmembers: { agents: ${list(group.agents)} }\n`,
            ] as const,
        ),
        ...projects.map(
          (project, n) =>
            [
              `org/projects/p${n}/project.yml`,
              `name: p${n}\nlead: ${project.lead}\nworkgroups: ${list(groups)}\nmembers: { workgroups: ${list(project.workgroups)}, agents: ${list(project.agents)} }\n`,
            ] as const,
        ),
      ]);
      let read: ReturnType<typeof readOffice>;
      try {
        read = readOffice(texts);
      } catch (error) {
        // An office with a fault gives no work at all.
        expect((error as FileError).name).toBe("FileError");
        return;
      }
      whole += 1;
      const { positions } = read;
      if (projects.filter(({ workgroups }) => workgroups.length > 0).length > 1) lent += 1;
      for (const { id, parent } of positions.values()) {
        const above: string[] = [];
        for (let at: string | null = id; at !== null; at = positions.get(at)?.parent ?? null) {
          expect(above).not.toContain(at);
          above.push(at);
        }
        const members = Object.entries(deriveRoster(read, id, parent ?? undefined)).filter(([, { type }]) => type !== "requestor");
        const own = positions.get(id)?.members.map((member) => positions.get(member)?.name);
        expect(members.map(([name]) => name)).toEqual(own ?? []);
        for (const member of positions.get(id)?.members ?? []) expect(above).not.toContain(member);
        const inTurn = { dispatch: {} as Dispatch, turn: 1 };
        for (const other of above) expect(() => requireRoute(read, worldAt("/"), id, other, inTurn)).toThrow("cannot give work");
      }
    },
  );
  fc.assert(laws, { numRuns: runs(10_000) });
  expect(whole).toBeGreaterThan(10);
  expect(lent).toBeGreaterThan(1);
});

test("an invalid limit is reported, and the default counts", async () => {
  const folder = await homeWith("web");
  writeOffice(folder);
  await act(folder, undefined, "trust_office");
  const warnings = async () => (await act(folder, undefined, "office_tree")).limitFaults;
  const findings = async () =>
    (await act(folder, undefined, "doctor")).findings.filter(({ code }: { code: string }) => code === "limit_ignored");
  expect([await warnings(), await findings()]).toEqual([[], []]);
  setLimits(folder, '{"open_children": "9", "turn_s": -1, "turns_at_once": 2.5, "open_childs": 4, "retries": 0, "silence_s": 0.5}');
  const said = await warnings();
  expect(said).toHaveLength(4);
  expect(said[0]).toBe(
    `${path.join(officeFolder(folder), "limits.json")}: open_children: expected a whole number above 0, given "9"; 3 counts`,
  );
  expect(said.join("\n")).toMatch(/turn_s: expected a number above 0, given -1; 3600 counts/);
  expect(said.join("\n")).toMatch(/turns_at_once: expected a whole number above 0, given 2\.5/);
  expect(said.join("\n")).toMatch(/open_childs: no such limit; expected one of turn_s, /);
  expect(await findings()).toHaveLength(4);
  const shown = await relay(folder, ["office"]);
  expect(shown.stdout).toContain('open_children: expected a whole number above 0, given "9"; 3 counts');
  for (const text of ["{", "[]", "3", "", "\u0000"]) {
    setLimits(folder, text);
    expect(await warnings(), text).toEqual([
      `${path.join(officeFolder(folder), "limits.json")}: expected one JSON object; the defaults count`,
    ]);
  }
});
