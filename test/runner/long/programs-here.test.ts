/** `relay office runner`: what the programs of agents are on this machine, and who may say so. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { officeLimits } from "../../../protocol/office/files/office-limits.ts";
import { homeWith, officeFolder, worldAt } from "../../rig/home.ts";
import { relay, relayFile } from "../../rig/processes.ts";
import { cleanEnv, put, repository, scratch, until } from "../../rig/scratch.ts";

test("a program is said once, shown, and forgotten", async () => {
  const folder = await homeWith("web");
  const said = await relay(folder, ["office", "runner", "command", "--json", "--", "node", "my agent.mjs", "--fast"]);
  expect(said.json.runners).toEqual({ command: ["node", "my agent.mjs", "--fast"] });
  await relay(folder, ["office", "runner", "codex", "--", "/opt/codex"]);
  expect((await relay(folder, ["office", "runner"])).stdout).toContain("node 'my agent.mjs' --fast");
  expect((await relay(folder, ["office", "runner", "command", "--forget", "--json"])).json.runners).toEqual({ codex: ["/opt/codex"] });
});

test("an agent of the office may not say which programs are run, and an unknown program is refused", async () => {
  const folder = await homeWith("web");
  const env = { RELAY_OFFICE_TOKEN: "some" };
  expect((await relay(folder, ["office", "runner", "claude", "--json", "--", "/tmp/mine"], { env })).json.code).toBe("people_only");
  expect((await relay(folder, ["office", "runner", "bash", "--json", "--", "/bin/bash"])).code).toBe(2);
  expect((await relay(folder, ["office", "runner", "--json"])).json.runners).toEqual({});
});

test("limits that are no positive numbers count as not given", async () => {
  const folder = await homeWith("web");
  const standard = officeLimits(worldAt(folder));
  const file = path.join(officeFolder(folder), "limits.json");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (const text of ["{", "[]", "null", '{"turn_s":-1,"open_children":"9","silence_s":0}']) {
    fs.writeFileSync(file, text);
    expect(officeLimits(worldAt(folder))).toEqual(standard);
  }
  fs.writeFileSync(file, '{"turn_s":1.5,"open_children":2}');
  expect(officeLimits(worldAt(folder))).toEqual({ ...standard, turnMs: 1_500, openChildren: 2 });
});

test("the page's program of one's own works as pasted: a lead gives work by a command, and each hears its prompt first", async () => {
  const page = fs.readFileSync("docs/office.md", "utf8");
  const [, block = ""] = /## A program of your own\n.*?```sh\n(.*?)```/s.exec(page) ?? [];
  const [before = "", start = ""] = block.split(/^(?=relay office start)/m);
  const [code, bin] = [repository(), scratch()];
  fs.writeFileSync(path.join(bin, "relay"), `#!/bin/sh\nRELAY_NO_RECORDER=1 exec "${process.execPath}" "${relayFile()}" "$@"\n`, {
    mode: 0o755,
  });
  const env = cleanEnv({ PATH: `${bin}${path.delimiter}${process.env["PATH"]}` });
  const paste = (lines: string): string => execFileSync("sh", ["-e", "-c", lines], { cwd: code, env, encoding: "utf8" });
  paste(before);
  const limits = path.join(officeFolder(code), "limits.json");
  put(limits, '{"idle_s":0.5}');
  expect(paste(start)).toMatch(/^om works on it$/m);
  const shown = async () => (await relay(code, ["office", "tree", "--json"])).json as unknown as { runner: boolean; conversations: Said[] };
  type Said = { position: string; context_id: string; outcome: string | null };
  await until("the lead answered", async () =>
    (await shown()).conversations.some((each) => each.position === "om" && each.outcome === "ok"),
  );
  const lead = (await shown()).conversations.find(({ position }) => position === "om");
  const [turn] = (await relay(code, ["office", "log", lead?.context_id ?? "", "--json"])).json["turns"] as unknown as { text: string }[];
  expect(turn?.text).toContain("om/developer was told: You write code in this repository.");
  await until("the runner ended", async () => !(await shown()).runner);
});
