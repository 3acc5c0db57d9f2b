/** A renamed part keeps all that it had on the board: each place where names are compared, asked before and after. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { answer, newConnection, operations, type World } from "../../protocol/index.ts";
import { type Answer, act, cloneOf, shop } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";

let folder: string;
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const as = (part: string): World => worldAt(folder, { part });
const run = (part: string, name: keyof typeof operations, input: Record<string, unknown> = {}, over: World = as(part)): Promise<Answer> =>
  answer(over, operations[name], input);
const task = async (input: Record<string, unknown> = {}): Promise<string> =>
  (await run("main", "create_task", { title: "Work", ...input })).task_id;
/** A task that a part holds. */
const heldBy = async (part: string): Promise<string> => {
  const id = await task();
  await run(part, "claim_task", { task_id: id });
  return id;
};
/** An artifact of a part: its id. */
const made = async (part: string): Promise<string> =>
  (await run(part, "post_artifact", { name: "n", type: "design", content: "x" })).artifact_id;
/** A review that `api` asked `web` for: its id. */
const asked = async (): Promise<string> =>
  (await run("api", "request_review", { artifact_id: await made("api"), reviewer: "web" })).review_id;
const rename = (): Promise<Answer> => run("main", "part_rename", { from: "web", to: "shop" });

beforeEach(async () => {
  folder = await homeWith("web", "api");
  await run("main", "start_session", { session_id: "s-1" });
});

/** Acts of the part on a task, by either of its names. */
const does =
  (name: keyof typeof operations, input: Record<string, unknown> = {}) =>
  (task_id: string, shop: string): Promise<Answer> =>
    run(shop, name, { task_id, ...input });
/** Questions of the part, in any state of the board. */
const asks =
  (name: keyof typeof operations, input: Record<string, unknown> = {}) =>
  (_: unknown, shop: string): Promise<Answer> =>
    run(shop, name, input);
const assigned = (): Promise<string> => task({ assignee: "web" });
const letter = { to: ["api"], subject: "s", body: "b", idempotency_key: "k" };
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** What is done before the rename, and what `shop` does after it; the answer is what it must have. */
const PLACES: [what: string, before: () => Promise<Answer>, after: (made: Answer, shop: string) => Promise<Answer>, has: Answer][] = [
  ["finish a task that it holds", () => heldBy("web"), does("update_task", { status: "done" }), { success: true, status: "done" }],
  ["finish a task by its fence", () => heldBy("web"), does("update_task", { status: "done", fence: 1 }), { success: true, status: "done" }],
  ["give back a task that it holds", () => heldBy("web"), does("release_task"), { success: true, status: "todo" }],
  [
    "change a task that it made and another holds",
    async () => {
      const { task_id } = await run("web", "create_task", { title: "Mine" });
      await run("api", "claim_task", { task_id });
      return task_id;
    },
    does("update_task", { status: "in_review" }),
    { success: true, status: "in_review" },
  ],
  ["claim a task that is assigned to it", assigned, does("claim_task"), { claimed: true }],
  ["see that task as ready", assigned, asks("get_all_tasks", { ready: true }), { total: 1, tasks: [{ assignee: "shop" }] }],
  ["find its tasks by its name", assigned, asks("get_all_tasks", { assignee: "shop" }), { total: 1 }],
  ["see itself as holder", () => heldBy("web"), does("show_task"), { task: { assignee: "shop" }, claim: { agent: "shop" } }],
  [
    "hand over what it holds, also by its former name as the assignee",
    () => heldBy("api"),
    (task_id) => run("main", "update_task", { task_id, assignee: "web" }),
    { success: true, assignee: "shop" },
  ],
  [
    "be handed a task by its former name",
    () => heldBy("api"),
    (task_id) => run("main", "release_task", { task_id, to: "web" }),
    { success: true, assignee: "shop" },
  ],
  [
    "answer a review that it was asked for",
    asked,
    (review_id, shop) => run(shop, "submit_review", { review_id, status: "approved" }),
    { review: { status: "approved", reviewer: "shop" } },
  ],
  ["find the review by its name", asked, asks("list_reviews", { reviewer: "shop", open: true }), { reviews: [{ reviewer: "shop" }] }],
  [
    "not review what it made",
    () => made("web"),
    (artifact_id) => run("api", "request_review", { artifact_id, reviewer: "shop" }),
    { code: "self_review" },
  ],
  [
    "read its memory",
    () => run("web", "append_memory", { content: "the price is in cents" }),
    asks("read_memory", { agent_id: "shop" }),
    { content: expect.stringContaining("the price is in cents") },
  ],
  [
    "get the session's messages that went to it",
    () => run("api", "send_message", { to: "web", content: "for you" }),
    asks("get_messages"),
    { messages: [{ content: "for you", to_agent: "shop" }] },
  ],
  ["not get its own broadcast", () => run("web", "send_message", { content: "to all" }), asks("get_messages"), { messages: [] }],
  [
    "send once by one key",
    async () => (await run("web", "send", letter)).messageId,
    async (messageId, shop) => ({ same: (await run(shop, "send", letter)).messageId === messageId }),
    { same: true },
  ],
  [
    "not be woken before the time that it gave",
    () => run("web", "event", { type: "limited", resetAt: inAnHour() }),
    asks("event", { type: "idle" }),
    { lifted: true },
  ],
];

describe.each(["shop", "web"])("a renamed part, by its name or its former one: %s", (name) => {
  test.each(PLACES)("can %s", async (_, before, after, has) => {
    const given = await before();
    await rename();
    expect(await after(given, name)).toMatchObject(has);
  });
});

test("a claim over a connection stays the part's after the rename, and another's claim does not become its own", async () => {
  const shared = worldAt(folder, { connection: newConnection(true) });
  const id = await task();
  await run("web", "claim_task", { task_id: id, agent_id: "web" }, shared);
  await rename();
  expect(await run("shop", "update_task", { task_id: id, status: "in_review", agent_id: "shop" }, shared)).toMatchObject({ fence: 1 });
  await run("main", "update_task", { task_id: id, assignee: "api" });
  expect(await run("shop", "update_task", { task_id: id, status: "done", agent_id: "shop" }, shared)).toMatchObject({ success: false });
});

test("the memory of a renamed part is continued, and what each name wrote is read", async () => {
  await run("web", "append_memory", { content: "first" });
  await rename();
  await run("shop", "append_memory", { content: "second" });
  await run("main", "write_memory", { agent_id: "shop", key: "rules", content: "third" });
  // A clone that has not heard of the rename goes on under the old name.
  fs.appendFileSync(home("memory/agents/web.md"), "\n---\n_2026-01-31_\n\nfourth\n");
  const { content } = await run("shop", "read_memory", { agent_id: "shop" });
  for (const each of ["first", "second", "third", "fourth"]) expect(content.split(each)).toHaveLength(2);
  expect(await run("api", "read_memory", { agent_id: "web" })).toMatchObject({ content });
});

test("hooks, tools and prompt of a renamed agent stay its own", async () => {
  const persona = 'name: "W", emoji: "x", systemPrompt: "p"';
  fs.writeFileSync(home("agents.pool.yml"), `agents:\n  web: { ${persona}, tools: [claim_task], hooks: { before_task: "false" } }\n`);
  const id = await task();
  await run("main", "trust", { all: true });
  expect((await run("web", "claim_task", { task_id: id })).reason).toContain("hook failed");
  await rename();
  expect((await run("shop", "claim_task", { task_id: id })).reason).toContain("hook failed");
});

test("a former name that a new part took is not the renamed part", async () => {
  const id = await task({ assignee: "web" });
  await rename();
  const config = home("relay.yml");
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^parts:\n/m, "parts:\n  web: {}\n"));
  expect(await run("shop", "claim_task", { task_id: id })).toMatchObject({ claimed: false });
  expect(await run("web", "claim_task", { task_id: id })).toMatchObject({ claimed: true });
});

test("nothing of this is a finding", async () => {
  const id = await task();
  await run("web", "claim_task", { task_id: id });
  await run("web", "append_memory", { content: "x" });
  await rename();
  await run("shop", "update_task", { task_id: id, status: "done" });
  expect(await run("main", "doctor")).toMatchObject({ ok: true });
  await run("main", "save_session_summary", { session_id: "s-1", summary: "# Done\n\nThe work." });
  expect(await run("main", "check")).toMatchObject({ ok: true, findings: [] });
});

test("the memory of a renamed part says that a sync brought it, whichever of its names the sync wrote", async () => {
  const { hub, code } = await shop("web");
  const other = await cloneOf(hub);
  await act(other, "web", "append_memory", { content: "a stranger's word" });
  const { session_id } = await act(other, "web", "start_session", {});
  await act(other, "web", "post_artifact", { name: "design", type: "design", content: "c" });
  await act(other, "web", "save_session_summary", { session_id, summary: "# Done" });
  await act(other, undefined, "sync");
  await act(code, undefined, "sync");
  const { origin } = await act(code, "main", "read_memory", { agent_id: "web" });
  expect(origin).toMatch(/^by sync, [0-9a-f]{8}$/);
  expect([
    (await act(code, "main", "list_artifacts", {}))["artifacts"],
    [(await act(code, "main", "get_artifact", { name: "design" }))["artifact"]],
    [await act(code, "main", "get_session_summary", {})],
  ]).toMatchObject([[{ origin }], [{ origin }], [{ origin }]]);
  await act(code, "main", "part_rename", { from: "web", to: "shop" });
  expect(await act(code, "main", "read_memory", { agent_id: "shop" })).toMatchObject({
    origin,
    content: expect.stringContaining("a stranger's word"),
  });
});
