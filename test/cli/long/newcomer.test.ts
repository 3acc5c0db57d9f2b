/** What somebody reads in the first hour, in words that need no second reading. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, shop } from "../../rig/clones.ts";
import { relay } from "../../rig/processes.ts";

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

test("a missing thing is not printed, and each refusal names what there is", async () => {
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

test("an unknown name, a thing of another session and a message that cannot be read each say what to type", async () => {
  const { code } = await shop("web", "api");
  expect(await relay(code, ["memory", "read", "wbe"])).toMatchObject({ code: 0, stderr: expect.stringContaining('did you mean "web"?') });
  const { session_id: first } = await act(code, "main", "start_session");
  await act(code, "web", "post_artifact", { name: "Checkout", type: "design", content: "Here." });
  await act(code, "main", "end_session", { session_id: first });
  await act(code, "main", "start_session");
  const refused = await relay(code, ["review", "request", "Checkout", "api", "--part", "web"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`add \`--session ${first}\` to the command`)]);
  const { messageId } = await act(code, "web", "send", { to: ["api"], subject: "Price?", body: "Which?" });
  const [, thread, place] = /^m-(\d+-[a-z0-9]+)-(.+)$/.exec(messageId) as unknown as [string, string, string];
  const folder = path.join(code, ".relay/threads", `${thread.slice(0, 4)}-${thread.slice(4, 6)}-${thread.slice(6, 8)}`, `t-${thread}`);
  fs.writeFileSync(path.join(folder, `${place}.md`), "no message");
  expect((await relay(code, ["doctor"])).stdout).toContain(`relay forget ${messageId}`);
});
