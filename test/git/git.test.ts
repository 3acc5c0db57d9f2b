/** Git in the code's repository: what it prints, and what it says by its exit code alone. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Refusal } from "../../protocol/core/refusal.ts";
import { askGit, git } from "../../protocol/git/git.ts";
import { repository } from "../rig/scratch.ts";

const refusalOf = (promise: Promise<string>): Promise<Refusal> => promise.then(String, (error) => error as Refusal) as Promise<Refusal>;

test("a command that fails without a word has failed", async () => {
  const folder = repository();
  const quiet = ["rev-parse", "--verify", "--quiet", "refs/heads/none"];
  expect(await askGit(folder, quiet)).toBeNull();
  const refusal = await refusalOf(git(folder, quiet));
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal.data).toMatchObject({ command: "git rev-parse --verify --quiet", reason: "it ended with 1" });
});

test("git's own words are in the refusal", async () => {
  const refusal = await refusalOf(git(repository(), ["rev-parse", "none"]));
  expect(refusal.code).toBe("git_failed");
  expect(refusal.data["reason"]).toContain("unknown revision");
});

test("the variables of a hook lead git nowhere else", async () => {
  const [folder, other] = [repository(), repository()];
  process.env["GIT_DIR"] = path.join(other, ".git");
  try {
    expect((await git(folder, ["rev-parse", "--absolute-git-dir"])).trim()).toBe(path.join(fs.realpathSync(folder), ".git"));
  } finally {
    delete process.env["GIT_DIR"];
  }
});

test("a git that has answered keeps no process from ending", async () => {
  const folder = repository();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  await git(folder, ["config", "relay.test", "x"]);
  expect(timers()).toBeLessThanOrEqual(before);
});
