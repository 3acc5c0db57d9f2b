/** What this machine keeps for one copy of a project: found by that copy, and by no other, however it came to be. */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform, type World } from "../../../protocol/index.ts";
import { notSafeAbove } from "../../../protocol/store/beside/own-folder.ts";
import { place } from "../../../protocol/store/write/publish.ts";
import { machineStore, readMachine } from "../../../protocol/trust/files/machine.ts";
import { stateFolder } from "../../../protocol/trust/files/state-folder.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { cleanEnv, git, repository, scratch } from "../../rig/scratch.ts";

const kept = (world: World): string | null => readMachine(world, "config.json", 100);

/** A code repository with a home, for which this machine keeps something. */
async function keeping(): Promise<string> {
  const code = repository();
  await perform(worldAt(code), operations.init, { parts: ["web"] });
  place(machineStore(worldAt(code)), "config.json", "kept");
  return code;
}

test("a stored file is found from each worktree, lies outside of project and home, and is this user's alone", async () => {
  const code = await keeping();
  expect(kept(worldAt(code))).toBe("kept");
  const tree = path.join(path.dirname(code), "tree");
  git(code, "worktree", "add", "--quiet", tree);
  expect(kept(worldAt(tree))).toBe("kept");
  const { root } = machineStore(worldAt(code));
  expect(root.startsWith(path.join(cleanEnv()["XDG_STATE_HOME"] as string, "relay", "places"))).toBe(true);
  for (const folder of [root, path.dirname(root), path.dirname(path.dirname(root))]) expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(git(code, "status", "--short")).toBe("");
});

test("a clone, a copy, another repository at the same path, and a home outside of git that is copied have nothing", async () => {
  const code = await keeping();
  const beside = path.dirname(code);
  git(beside, "clone", "--quiet", code, "clone");
  await perform(worldAt(path.join(beside, "clone")), operations.init, {});
  execFileSync("cp", ["-a", code, path.join(beside, "copy")]);
  expect([kept(worldAt(path.join(beside, "clone"))), kept(worldAt(path.join(beside, "copy")))]).toEqual([null, null]);
  fs.renameSync(code, path.join(beside, "moved"));
  expect(kept(worldAt(path.join(beside, "moved")))).toBeNull();
  fs.renameSync(path.join(beside, "clone"), code);
  place(machineStore(worldAt(code)), "config.json", "of another");
  fs.rmSync(code, { recursive: true });
  fs.renameSync(path.join(beside, "moved"), code);
  expect(kept(worldAt(code))).toBe("kept");
  const plain = await homeWith("web");
  place(machineStore(worldAt(plain)), "config.json", "plain");
  expect(kept(worldAt(plain))).toBe("plain");
  execFileSync("cp", ["-a", plain, `${plain}-copy`]);
  expect(kept(worldAt(`${plain}-copy`))).toBeNull();
});

test("a link to the id of another copy is no id of this one", async () => {
  const code = await keeping();
  const linked = await homeWith("web");
  fs.mkdirSync(path.join(linked, ".relay", "local"), { recursive: true });
  fs.rmSync(path.join(linked, ".relay", "local", "relay-place"));
  fs.symlinkSync(path.join(code, ".git", "relay-place"), path.join(linked, ".relay", "local", "relay-place"));
  expect(() => machineStore(worldAt(linked))).toThrow(/has no id of Relay/);
});

test("XDG_STATE_HOME counts only where no arriving file can lie and no other user can write", async () => {
  const code = await keeping();
  const place = scratch();
  const at = (state: string, cwd = code): ReturnType<typeof stateFolder> => stateFolder(worldAt(cwd, { env: { XDG_STATE_HOME: state } }));
  expect(at(place)).toEqual({ folder: path.join(place, "relay"), problem: null });
  expect(at(path.join(place, "not", "there"))).toEqual({ folder: path.join(place, "not", "there", "relay"), problem: null });
  const ready = machineStore(worldAt(code)).root;
  const inside = path.join(code, "state");
  execFileSync("cp", ["-a", path.dirname(path.dirname(path.dirname(ready))), inside]);
  expect(readMachine(worldAt(code, { env: { XDG_STATE_HOME: inside } }), "config.json", 100)).toBeNull();
  const other = repository();
  const wide = scratch();
  fs.chmodSync(wide, 0o770);
  const unsafe = path.join(scratch(), "state");
  fs.mkdirSync(unsafe, { mode: 0o700 });
  fs.chmodSync(path.dirname(unsafe), 0o777);
  const link = path.join(scratch(), "link");
  fs.symlinkSync(inside, link);
  for (const [state, said] of [
    [inside, /lies in the project/],
    ["state", /not an absolute path/],
    [path.join(code, ".relay", "local"), /lies in the project/],
    [path.join(other, "state"), /working tree of git/],
    [path.join(other, ".git", "state"), /working tree of git/],
    [link, /lies in the project/],
    [wide, /can be written by others \(mode 770\)/],
    [unsafe, /can be written by everybody/],
  ] as const) {
    const { folder, problem } = at(state);
    expect(problem, state).toMatch(said);
    expect(folder === null || !folder.startsWith(state), state).toBe(true);
  }
  const plain = await homeWith("web");
  expect(at(path.join(plain, "state"), plain).problem).toMatch(/lies in the project/);
});

test("a link below the user's home folder, or a state folder with others' rights, is not trusted", async () => {
  const top = scratch();
  fs.mkdirSync(path.join(top, "elsewhere/state"), { recursive: true });
  fs.symlinkSync("elsewhere", path.join(top, ".local"));
  expect(notSafeAbove(path.join(top, ".local/state/relay"), top)).toMatch(/\.local is a symbolic link/);
  const shared = path.join(top, "shared");
  fs.mkdirSync(shared);
  if (process.getuid?.() === 0) fs.chownSync(shared, 12_345, 12_345);
  if (process.getuid?.() === 0) expect(notSafeAbove(path.join(shared, "state"), top)).toMatch(/shared belongs to another user \(12345\)/);
  const code = await keeping();
  const state = path.dirname(path.dirname(machineStore(worldAt(code)).root));
  fs.chmodSync(path.join(state, "places"), 0o777);
  expect(kept(worldAt(code))).toBeNull();
  machineStore(worldAt(code));
  expect(kept(worldAt(code))).toBe("kept");
});

test("where nothing can be kept it says so, and what to do; a file that is no text is named", async () => {
  const code = await keeping();
  fs.rmSync(path.join(code, ".git", "relay-place"));
  fs.mkdirSync(path.join(code, ".git", "relay-place"));
  expect(() => machineStore(worldAt(code))).toThrow(/no safe folder to keep what you allow: .* Remove it\..*XDG_STATE_HOME/s);
  fs.rmdirSync(path.join(code, ".git", "relay-place"));
  place(machineStore(worldAt(code)), "config.json", "x".repeat(101));
  expect(() => kept(worldAt(code))).toThrow(/at most 100 bytes/);
});
