/** `relay office runner`: what the programs of agents are on this machine, and who may say so. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { officeLimits } from "../../../protocol/home/office/office-limits.ts";
import { homeWith, relay, worldAt } from "../../rig/rig.ts";

test("a program is said once, shown, and forgotten", async () => {
  const folder = await homeWith("web");
  const said = await relay(folder, ["office", "runner", "command", "--json", "--", "node", "my agent.mjs", "--fast"]);
  expect(said.json.runners).toEqual({ command: ["node", "my agent.mjs", "--fast"] });
  await relay(folder, ["office", "runner", "codex", "--", "/opt/codex"]);
  expect((await relay(folder, ["office", "runner"])).stdout).toContain("node 'my agent.mjs' --fast");
  expect((await relay(folder, ["office", "runner", "command", "--forget", "--json"])).json.runners).toEqual({ codex: ["/opt/codex"] });
});

test("an agent of the office may not say which programs are run, and a name that is none is refused", async () => {
  const folder = await homeWith("web");
  const env = { RELAY_OFFICE_TOKEN: "some" };
  expect((await relay(folder, ["office", "runner", "claude", "--json", "--", "/tmp/mine"], { env })).json.code).toBe("people_only");
  expect((await relay(folder, ["office", "runner", "bash", "--json", "--", "/bin/bash"])).code).toBe(2);
  expect((await relay(folder, ["office", "runner", "--json"])).json.runners).toEqual({});
});

test("limits that are no positive numbers count as not given", async () => {
  const folder = await homeWith("web");
  const standard = officeLimits(worldAt(folder));
  const file = path.join(folder, ".relay/local/office/limits.json");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (const text of ["{", "[]", "null", '{"turn_s":-1,"open_children":"9","silence_s":0}']) {
    fs.writeFileSync(file, text);
    expect(officeLimits(worldAt(folder))).toEqual(standard);
  }
  fs.writeFileSync(file, '{"turn_s":1.5,"open_children":2}');
  expect(officeLimits(worldAt(folder))).toEqual({ ...standard, turnMs: 1_500, openChildren: 2 });
});
