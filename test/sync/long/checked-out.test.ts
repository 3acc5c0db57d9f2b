/** A clone that begins with the home's branch, because the remote's HEAD is on it: it is no home, and what is to be typed makes it right. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { shop } from "../../rig/clones.ts";
import { relay } from "../../rig/processes.ts";
import { cleanEnv, git, scratch } from "../../rig/scratch.ts";

/** The first command that a sentence has between back quotes, as a shell runs it. */
function type(sentence: string): void {
  const command = /`(git [^`]+)`/.exec(sentence)?.[1] as string;
  execFileSync("sh", ["-c", command], { cwd: scratch(), env: cleanEnv(), stdio: "pipe" });
}

test("relay clone, init and sync say that the checkout is the home's, and how to come to the code", async () => {
  const { hub } = await shop("web", "api");
  git(hub, "symbolic-ref", "HEAD", "refs/heads/relay");
  const folder = path.join(scratch(), "it's here");
  fs.mkdirSync(folder);
  git(folder, "clone", "--quiet", hub, "by git");
  const code = path.join(folder, "by git");
  for (const args of [["init"], ["sync"], ["status"]]) {
    const { code: exit, json } = await relay(code, [...args, "--json"]);
    expect([exit, json]).toEqual([4, expect.objectContaining({ code: "home_checked_out", folder: code, branch: "relay" })]);
  }
  expect(fs.existsSync(path.join(code, ".relay"))).toBe(false);
  const ran = await relay(folder, ["clone", hub, "by relay"]);
  expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining("switch main")]);
  for (const name of ["by git", "by relay"]) {
    const at = path.join(folder, name);
    type((await relay(at, ["status"])).stderr);
    expect((await relay(at, ["init", "--json"])).json).toMatchObject({ created: false, joined: "origin", repository: "own" });
    expect((await relay(at, ["sync", "--json"])).json.success).toBe(true);
    expect(git(at, "status", "--porcelain")).toBe("");
  }
});

test("where the remote has no code yet, it says how to begin; a home's own folder is as it was, and a worktree with that branch has the home of the code", async () => {
  const { hub, code } = await shop("web");
  git(hub, "symbolic-ref", "HEAD", "refs/heads/relay");
  git(hub, "update-ref", "-d", "refs/heads/main");
  const folder = scratch();
  git(folder, "clone", "--quiet", hub, "empty");
  const at = path.join(folder, "empty");
  const { stderr } = await relay(at, ["init"]);
  expect(stderr).toContain("The remote has no branch of code yet");
  type(stderr);
  git(at, "commit", "--quiet", "--allow-empty", "--message", "code");
  git(at, "push", "--quiet", "origin", "main");
  expect((await relay(at, ["init", "--json"])).json).toMatchObject({ created: false, joined: "origin" });
  expect((await relay(path.join(code, ".relay"), ["status", "--json"])).json.success).toBe(true);
  git(code, "fetch", "--quiet", "origin", "relay:looked-at");
  git(code, "worktree", "add", "--quiet", "../relay", "looked-at");
  // A worktree of the code is one, whatever is checked out in it.
  expect((await relay(path.join(code, "../relay"), ["status", "--json"])).json).toMatchObject({ home: path.join(code, ".relay") });
});
