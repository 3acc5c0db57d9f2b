/** What check finds of dispatches: a thread that is gone, and files of turns whose dispatch, turn or turn before is missing; what doctor finds. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { closeDispatch } from "../../protocol/office/files/close-dispatch.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { act } from "../rig/clones.ts";
import { officeHome, playTurn } from "../rig/dispatches.ts";
import { officeFolder, worldAt } from "../rig/home.ts";

let folder = "";
let dispatch = "";
beforeEach(async () => {
  folder = await officeHome("web");
  const world = worldAt(folder);
  const { dispatch: made } = createDispatch(world, { initiator: "web", recipient: "om", text: "Build it.", parent: null });
  playTurn(world, made.id, "long ".repeat(13_000));
  closeDispatch(world, made.id, "web");
  dispatch = `dispatches/${made.id.slice(2, 6)}-${made.id.slice(6, 8)}-${made.id.slice(8, 10)}/${made.id.slice(11)}`;
});
const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
const found = async (): Promise<string[]> =>
  (await act(folder, undefined, "check")).findings.map((each: { code: string; path: string }) => `${each.code} ${each.path}`);

test("a dispatch whose thread is gone, and nothing before", async () => {
  expect(await found()).toEqual([]);
  const id = dispatch.slice(-8);
  fs.rmSync(at("threads"), { recursive: true });
  for (const name of fs.readdirSync(at("inbox"), { recursive: true }) as string[])
    if (name.includes(id)) fs.rmSync(at("inbox", name), { recursive: true, force: true });
  expect(await found()).toEqual([`dangling_dispatch ${dispatch}/dispatch.md`]);
});

test("a turn, an end, a text and a close without a dispatch", async () => {
  fs.rmSync(at(dispatch, "dispatch.md"));
  const left = ["closed.md", "turns/1.end.md", "turns/1.md", "turns/1.text.md"];
  expect(await found()).toEqual(left.map((name) => `dangling_turn ${dispatch}/${name}`));
});

test("an end and a text without their turn, and a turn after a missing one", async () => {
  const text = fs.readFileSync(at(dispatch, "turns/1.md"), "utf8");
  fs.writeFileSync(at(dispatch, "turns/3.md"), text.replace("turn: 1", "turn: 3"));
  expect(await found()).toEqual([`dangling_turn ${dispatch}/turns/3.md`]);
  fs.rmSync(at(dispatch, "turns/1.md"));
  expect(await found()).toEqual(["1.end", "1.text", "3"].map((name) => `dangling_turn ${dispatch}/turns/${name}.md`));
});

test("doctor names untrusted files, missing programs, a killed runner, and an abandoned start", async () => {
  const codes = async (): Promise<string[]> =>
    (await act(folder, undefined, "doctor")).findings
      .map(({ code }: { code: string }) => code)
      .filter((code: string) => /office|program|runner|launch|worktree/.test(code));
  expect(await codes()).toEqual(["program_missing"]);
  const bin = path.join(folder, "claude");
  fs.writeFileSync(bin, "#!/bin/sh\n", { mode: 0o755 });
  await act(folder, undefined, "office_runner", { program: "claude", argv: [bin] });
  expect(await codes()).toEqual([]);
  const run = officeFolder(folder);
  fs.mkdirSync(path.join(run, "launches/t-20260131-k3f9x2ab.1.1"), { recursive: true });
  fs.writeFileSync(path.join(run, "runner"), "999999999-1-0-0\n");
  fs.appendFileSync(path.join(folder, ".relay/org/agents/auditor.md"), "More.\n");
  fs.utimesSync(path.join(run, "runner"), 0, 0);
  expect((await codes()).sort()).toEqual(["launch_left", "office_untrusted", "runner_lost"]);
});
