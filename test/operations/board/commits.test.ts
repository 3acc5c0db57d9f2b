/** Artifacts know the commit that they are about, and whether their branch went on. */
import path from "node:path";
import { expect, test } from "vitest";
import { answer, newConnection, operations } from "../../../protocol/index.ts";
import { worldAt } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { git, repository } from "../../rig/scratch.ts";

test("an approval that the branch has left is named in lists, at done and at the end", async () => {
  const folder = repository();
  await relay(folder, ["init", "web", "api"]);
  git(folder, "commit", "-q", "--allow-empty", "-m", "one");
  const world = worldAt(folder, { cwd: folder, home: path.join(folder, ".relay"), connection: newConnection(false) });
  const call = async (agent: string, name: keyof typeof operations, input: object = {}): Promise<Record<string, unknown>> =>
    (await answer(world, operations[name], { agent_id: agent, ...input })) as Record<string, unknown>;
  const { task_id } = await call("web", "create_task", { title: "Refund", assignee: "web" });
  const { commit } = await call("web", "submit_task", { task_id, reviewer: "api" });
  expect(commit).toBe(git(folder, "rev-parse", "HEAD").trim());
  await call("api", "submit_review", { review_id: "Refund", status: "approved" });
  git(folder, "commit", "-q", "--allow-empty", "-m", "two");
  const branch = git(folder, "branch", "--show-current").trim();
  expect(await call("api", "list_reviews")).toMatchObject({ reviews: [{ commit, branch, ahead: 1 }] });
  expect(await call("api", "list_artifacts")).toMatchObject({ artifacts: [{ commit, branch, ahead: 1 }] });
  const warning = `Refund: approved ${String(commit).slice(0, 7)}, ${branch} is 1 ahead`;
  expect(await call("web", "update_task", { task_id, status: "done" })).toMatchObject({ warning });
  expect(await call("web", "end_session")).toMatchObject({ ended: true, warning });
});
