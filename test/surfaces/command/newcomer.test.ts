/** What somebody reads in the first hour, in words that need no second reading. */
import { expect, test } from "vitest";
import { act, shop } from "../../rig/clones.ts";
import { relay } from "../../rig/rig.ts";

test("a task that is done has no fence to say, and whoever may not change it reads that it is done", async () => {
  const { code } = await shop("web", "api");
  await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "web", "create_task", { title: "Parser" });
  const { fence } = await act(code, "web", "claim_task", { task_id: task });
  const done = await relay(code, ["task", "update", task, "done", "--fence", String(fence), "--part", "web"]);
  expect(done.stdout).toMatch(/: done, web\n?$/);
  const refused = await relay(code, ["task", "update", task, "todo", "--part", "api"]);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("the task is done, and only web can open it again. Ask web")]);
});

test("what is not there is not printed, and each refusal names what there is", async () => {
  const { code } = await shop("web");
  expect((await relay(code, ["info"])).stdout).not.toContain("dashboard");
  expect((await relay(code, ["stats"])).stdout).not.toContain("name in an inbox");
  const trusted = await relay(code, ["trust", "nope"]);
  expect(trusted.stderr).toContain("nothing waits to be allowed");
  const synced = await relay(code, ["sync", "--remote", "nope"]);
  expect(synced.stderr).toMatch(/no remote "nope"[\s\S]*its remotes \(origin\)[\s\S]*relay sync --remote origin/);
  expect(synced.stderr).not.toContain("git remote add");
  const { commit } = await act(code, undefined, "sync");
  expect((await relay(code, ["undo", commit])).stdout).not.toMatch(/stays: /);
});

test("every option of a command that people type has a text", async () => {
  const { code } = await shop("web");
  for (const [words, option] of [
    [["ack"], "--message-id"],
    [["ack"], "--thread"],
    [["task", "release"], "--fence"],
    [["wait"], "--timeout"],
  ] as const) {
    const { stdout } = await relay(code, ["help", ...words]);
    const line = stdout.split("\n").find((each) => each.trim().startsWith(option)) ?? "";
    expect(line.trim(), words.join(" ")).toMatch(/^--\S+ (<[^>]+>)? *\S+/);
    if (option === "--timeout") expect(line).toContain("seconds");
    else expect(line.replace(/^\s*--\S+( <[^>]+>)?/, "").trim(), words.join(" ")).not.toBe("");
  }
});
