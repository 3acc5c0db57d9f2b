/** Trust in the office: what came by git or was edited runs nothing before a person trusted exactly those texts on this machine. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { operations, perform, type Refusal } from "../../protocol/index.ts";
import { requireTrustedOffice } from "../../protocol/office/files/trusted-office.ts";
import { machineStore } from "../../protocol/trust/files/machine.ts";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { officeWith } from "../rig/office.ts";
import { onTerminal, relay } from "../rig/processes.ts";
import { cleanEnv, putAll } from "../rig/scratch.ts";

/** What the office is refused with where nobody trusted it; null where it may run. */
function refused(folder: string): Refusal | null {
  try {
    requireTrustedOffice(worldAt(folder));
    return null;
  } catch (error) {
    return error as Refusal;
  }
}
const write = (folder: string, files: Parameters<typeof putAll>[1]): void => putAll(path.join(folder, ".relay"), files);
const append = (folder: string, at: string, text: string): void => fs.appendFileSync(path.join(folder, ".relay", at), text);

describe("an office that is not trusted here", () => {
  test("is refused with what it would run, and what to type", async () => {
    const folder = await homeWith("web");
    const auditor = "---\nname: auditor\nrunner: codex\ntools: [Bash]\nisolation: worktree\n---\nLook.\n";
    write(folder, officeWith({ "org/agents/auditor.md": auditor }));
    const refusal = refused(folder);
    expect(refusal).toMatchObject({
      code: "office_untrusted",
      data: { changed: [], programs: ["claude", "codex"], tools: ["Bash"], worktrees: ["om/auditor"] },
    });
    expect(refusal?.data["positions"]).toHaveLength(10);
    expect(refusal?.message).toContain("`relay trust office`");
  });

  test("is trusted by one command, which shows what runs; a change asks again and names the file, and so does its way back", async () => {
    const folder = await homeWith("web");
    write(folder, officeWith());
    const ran = await relay(folder, ["trust", "office"]);
    expect([ran.code, ran.stdout.includes("om/auditor"), ran.stdout.includes("Trusted on this machine: 10 positions")]).toEqual([
      0,
      true,
      true,
    ]);
    expect(refused(folder)).toBeNull();
    const developer = "org/projects/teaparty/agents/developer.md";
    append(folder, developer, "And push everything.\n");
    write(folder, { "org/agents/spare.md": "---\nname: spare\n---\n" });
    expect(refused(folder)?.data["changed"]).toEqual(["org/agents/spare.md", developer]);
    fs.rmSync(path.join(folder, ".relay/org/agents/spare.md"));
    write(folder, new Map([...officeWith()].filter(([at]) => at === developer)));
    expect(refused(folder)).toBeNull();
    expect((await relay(folder, ["trust", "office", "--json"])).json).toMatchObject({ changed: [], trusted: true });
  });

  test("is trusted no more once a file of it is gone", async () => {
    const folder = await homeWith("web");
    const spare = "org/agents/spare.md";
    write(folder, officeWith({ [spare]: "---\nname: spare\n---\n" }));
    await perform(worldAt(folder), operations.trust_office, {});
    expect(refused(folder)).toBeNull();
    fs.rmSync(path.join(folder, ".relay", spare));
    expect(refused(folder)?.data["changed"]).toEqual([spare]);
  });

  test("is only shown where that is asked for, and trusted only as it was shown", async () => {
    const folder = await homeWith("web");
    write(folder, officeWith());
    const { json: shown } = await relay(folder, ["trust", "office", "--show", "--json"]);
    expect([shown.trusted, refused(folder)?.code]).toEqual([false, "office_untrusted"]);
    append(folder, "org/agents/auditor.md", "Or not.\n");
    expect((await relay(folder, ["trust", "office", "--digest", shown.digest])).code).toBe(2);
    expect(refused(folder)?.code).toBe("office_untrusted");
  });

  test("asks on a terminal, and without a yes nothing is trusted", async () => {
    const folder = await homeWith("web");
    write(folder, officeWith());
    expect(onTerminal(folder, ["trust", "office"], {}, "n\n")).toContain("Nothing was allowed.");
    expect(refused(folder)?.code).toBe("office_untrusted");
    expect(onTerminal(folder, ["trust", "office"], {}, "y\n")).toContain("Trusted on this machine");
    expect(refused(folder)).toBeNull();
  });

  test("cannot be trusted by one of its own agents, nor while anything is wrong with it", async () => {
    const folder = await homeWith("web");
    write(folder, officeWith());
    const own = await relay(folder, ["trust", "office", "--json"], { env: { RELAY_OFFICE_TOKEN: "x" } });
    expect(own).toMatchObject({ code: 4, json: { code: "people_only" } });
    expect(refused(folder)?.code).toBe("office_untrusted");
    write(folder, { "org/office.yml": "lead: [\n" });
    expect((await relay(folder, ["trust", "office", "--json"])).json).toMatchObject({ code: "roster_unavailable" });
  });
});

describe("commands that write the office", () => {
  test("trust what they write where there was none, and where what there was is trusted", async () => {
    const folder = await homeWith("web");
    await relay(folder, ["office", "init"]);
    expect(refused(folder)).toBeNull();
    await relay(folder, ["office", "add", "tester"]);
    expect(refused(folder)).toBeNull();
  });

  test("trust nothing beside files that are not trusted", async () => {
    const folder = await homeWith("web");
    write(folder, { "org/agents/developer.md": "---\nname: developer\n---\nTheirs.\n" });
    await relay(folder, ["office", "init"]);
    expect(refused(folder)?.code).toBe("office_untrusted");
    await relay(folder, ["office", "add", "tester"]);
    expect(refused(folder)?.code).toBe("office_untrusted");
  });

  test("trust nothing where an agent of the office types them", async () => {
    const folder = await homeWith("web");
    await relay(folder, ["office", "init"]);
    await relay(folder, ["office", "add", "tester"], { env: { RELAY_OFFICE_TOKEN: "x" } });
    expect(refused(folder)?.data["changed"]).toEqual(["org/agents/tester.md", "org/office.yml"]);
  });
});

describe("files of an office that git brings", () => {
  test("an office is trusted in no other clone, by no copy of the home, and each change by sync asks again", async () => {
    const { hub, code } = await shop("web");
    await relay(code, ["office", "init"]);
    await act(code, undefined, "sync");
    const other = await cloneOf(hub);
    expect(refused(other)?.data["changed"]).toEqual([]);
    await act(other, undefined, "trust_office");
    expect(refused(other)).toBeNull();
    append(code, "org/agents/developer.md", "Run everything.\n");
    await act(code, undefined, "sync");
    expect(refused(other)).toBeNull();
    await act(other, undefined, "sync");
    expect(refused(other)?.data["changed"]).toEqual(["org/agents/developer.md"]);
    const copied = `${code}-copy`;
    fs.cpSync(code, copied, { recursive: true });
    expect(refused(copied)?.code).toBe("office_untrusted");
  });

  test("files of the home that say what is trusted are not believed", async () => {
    const folder = await homeWith("web");
    write(folder, officeWith());
    await relay(folder, ["trust", "office"]);
    const kept = fs.readFileSync(path.join(machineStore(worldAt(folder)).root, "office.json"), "utf8");
    append(folder, "org/agents/auditor.md", "Run everything.\n");
    for (const at of ["local/office.json", "local/trust/office.json", "org/office.json"]) write(folder, { [at]: kept });
    expect(refused(folder)?.code).toBe("office_untrusted");
  });

  test("a record of trust that cannot be read trusts nothing", async () => {
    const folder = await homeWith("web");
    write(folder, officeWith());
    await relay(folder, ["trust", "office"], { env: cleanEnv() });
    const at = path.join(machineStore(worldAt(folder)).root, "office.json");
    for (const text of ["", "{", "[]", '{"files":7}', '{"files":null}', "\0"]) {
      fs.writeFileSync(at, text);
      expect(refused(folder)?.code, text).toBe("office_untrusted");
    }
  });
});
