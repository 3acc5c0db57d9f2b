/** Every operation of the board asked in the ways that people ask it: by ids cut short, by guests, after parts were removed, beside broken files. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { answer, operations } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put } from "../rig/scratch.ts";

let folder: string;
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
/** A connection that is bound to nobody, as an agent of a team has it. */
const run = (part: string | undefined, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  answer(worldAt(folder), operations[name], part === undefined ? input : { ...input, agent_id: part });
const create = async (input: Record<string, unknown> = {}): Promise<string> =>
  (await run("main", "create_task", { title: "Work", ...input })).task_id;
const review = async (): Promise<string> => {
  const { artifact_id } = await run("web", "post_artifact", { name: "n", type: "design", content: "x" });
  return (await run("web", "request_review", { artifact_id, reviewer: "api" })).review_id;
};

beforeEach(async () => {
  folder = await homeWith("web", "api");
  await run(undefined, "start_session", { session_id: "s-1" });
});

test.each([
  ["show_task", {}],
  ["claim_task", {}],
  ["update_task", { status: "done" }],
  ["release_task", {}],
  ["post_artifact", { name: "n", type: "design", content: "x" }],
  ["create_task", { title: "t" }],
] as const)("%s takes the beginning of a task's id", async (name, input) => {
  const id = await create();
  const piece = id.slice("task-".length, -3);
  if (name === "release_task") await run("web", "claim_task", { task_id: id });
  const given = name === "create_task" ? { depends_on: [piece], parent_task_id: piece } : { task_id: piece };
  expect(await run("web", name, { ...input, ...given })).toMatchObject({ success: true });
});

test.each([
  ["create_task", async () => ({ title: "t" })],
  ["claim_task", async () => ({ task_id: await create() })],
  ["update_task", async () => ({ task_id: await create(), status: "done" })],
  ["release_task", async () => ({ task_id: await create({ assignee: "newcomer" }) })],
  ["send_message", async () => ({ content: "hello" })],
  ["post_artifact", async () => ({ name: "n", type: "design", content: "x" })],
  ["start_session", async () => ({})],
  ["save_orchestrator_state", async () => ({ state: "{}" })],
  ["save_session_summary", async () => ({ session_id: "s-1", summary: "# Done" })],
  ["write_memory", async () => ({ key: "k", content: "c" })],
] as const)("a guest whose first call is %s gets mail afterwards", async (name, input) => {
  expect(await run("newcomer", name, await input())).toMatchObject({ success: true });
  expect(await run("main", "send_message", { to: "newcomer", content: "welcome" })).toMatchObject({ success: true });
  expect(await run("newcomer", "get_messages")).toMatchObject({ messages: [{ content: "welcome" }] });
});

test("a task of parts that were removed is no dead end: main puts it back", async () => {
  const { task_id } = await run("web", "create_task", { title: "t", assignee: "web" });
  const held = await create({ assignee: "web" });
  await run("web", "claim_task", { task_id: held });
  await run(undefined, "part_remove", { part: "web" });
  expect(await run("api", "claim_task", { task_id })).toMatchObject({ claimed: false });
  expect(await run("api", "update_task", { task_id, status: "done" })).toMatchObject({ code: "not_your_task" });
  for (const id of [task_id, held]) {
    expect(await run("main", "release_task", { task_id: id })).toMatchObject({ success: true, assignee: null });
    expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: true });
  }
});

test("requests to a removed part, or for it, make no inbox for it", async () => {
  const id = await review();
  await run(undefined, "part_remove", { part: "web", force: true });
  expect(await run("api", "submit_review", { review_id: id, status: "approved" })).toMatchObject({ success: true });
  const task_id = await create();
  await run("api", "claim_task", { task_id });
  expect(await run("api", "release_task", { task_id, to: "web" })).toMatchObject({ success: true, assignee: "web" });
  expect(await run(undefined, "doctor")).toMatchObject({ ok: true });
  expect((await run(undefined, "roster")).parts.map(({ part }: Answer) => part)).not.toContain("web");
});

test("beside files that are broken, one of each kind, every other is worked on", async () => {
  const id = await create();
  for (const file of [
    ...["tasks/task-0000000000.md", "reviews/review-0000000000.md", "artifacts/n-1b16b1df538b/9.artifact.md", "session.md", "state.json"],
    "labels/000000000000000000000000.txt",
  ]) {
    put(home("sessions/s-1", file), Buffer.from([0xff, 0x00, 0x2d]));
  }
  expect(await run("web", "claim_task", { task_id: id })).toMatchObject({ claimed: true });
  expect(await run("web", "show_task", { task_id: id })).toMatchObject({ success: true });
  expect(await run("web", "get_all_tasks")).toMatchObject({ total: 1 });
  expect(await run("web", "post_artifact", { name: "other", type: "design", content: "x", task_id: id })).toMatchObject({ success: true });
  expect((await run("web", "list_artifacts")).artifacts).toMatchObject([{ name: "other" }]);
  expect(await run("web", "list_reviews")).toMatchObject({ success: true });
  expect(await run("web", "send_message", { content: "hello", thread_id: "a name" })).toMatchObject({ success: true });
  expect(await run("api", "get_messages")).toMatchObject({ messages: [{ content: "hello" }] });
  expect(await run("web", "update_task", { task_id: id, status: "done" })).toMatchObject({ success: true });
  expect(await run("web", "list_sessions")).toMatchObject({ sessions: ["s-1"] });
  expect(await run("main", "end_session", { session_id: "s-1", force: true })).toMatchObject({ ended: true });
});

test("an artifact may belong to a task whose file, or whose last claim, is broken", async () => {
  const id = await create();
  fs.writeFileSync(home(`sessions/s-1/tasks/${id}.md`), "broken\n");
  expect(await run("web", "post_artifact", { name: "n", type: "design", content: "x", task_id: id })).toMatchObject({ success: true });
  expect(await run("web", "post_artifact", { name: "n", type: "design", content: "x", task_id: "task-0000000000" })).toMatchObject({
    code: "unknown_task",
  });
});
