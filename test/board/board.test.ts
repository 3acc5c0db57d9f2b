/** The tools of the board, row by row: names, fields and refusals that existing agents speak. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { answer, newConnection, operations, type World } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, settle, worldAt } from "../rig/home.ts";
import { held } from "../rig/scratch.ts";

let folder: string;
let world: World;
let clock: ReturnType<typeof held>;
const SESSION = "2026-01-31-007-TEST";

beforeEach(async () => {
  folder = await homeWith("web", "api");
  clock = held();
  world = open();
  await call("start_session", { session_id: SESSION });
});

/** A connection of its own that nobody is bound to, on a clock that the test holds. */
const open = (): World => worldAt(folder, { now: clock.now, connection: newConnection(false) });
const call = (name: keyof typeof operations, input: Record<string, unknown> = {}, over: World = world): Promise<Answer> =>
  answer(over, operations[name], { ...(name.endsWith("_memory") && name !== "append_memory" ? {} : { agent_id: "pm" }), ...input });
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const task = async (input: Record<string, unknown> = {}): Promise<string> =>
  (await call("create_task", { title: "Work", priority: "medium", ...input })).task_id;
const taskFile = (id: string): string => home("sessions", SESSION, "tasks", `${id}.md`);
const status = async (id: string): Promise<Answer> => (await call("get_all_tasks")).tasks.find((one: { id: string }) => one.id === id);

test("a session: begun, opened again, never moved by another connection", async () => {
  const id = await task();
  const other = open();
  const fresh = await call("start_session", {}, other);
  expect(fresh.session_id).toMatch(/^2026-01-31-008-[0-9A-Z]{4}$/);
  expect((await call("get_server_info")).sessionId).toBe(SESSION);
  expect(await call("get_all_tasks", {}, other)).toMatchObject({ tasks: [] });
  expect(await call("get_all_tasks", { session_id: SESSION }, other)).toMatchObject({ tasks: [{ id }] });
  await call("start_session", { session_id: SESSION }, other);
  expect(await call("get_all_tasks", {}, other)).toMatchObject({ tasks: [{ id }] });
  const before = fs.readdirSync(home("sessions"));
  for (const bad of ["", "a/b", "../x", "x".repeat(129)]) {
    expect(await call("start_session", { session_id: bad }, other), bad).toMatchObject({ success: false, code: "bad_session" });
  }
  expect(fs.readdirSync(home("sessions"))).toEqual(before);
});

test("a plan is applied once: a session with a title, tasks by keys, one message", async () => {
  const plan = (tasks: string): Promise<Answer> =>
    call(
      "apply_plan",
      { plan: `title: shop 0.1\nmemory: { money: Cents. }\nmessage: { subject: Go, body: Begin. }\ntasks:\n${tasks}` },
      open(),
    );
  expect((await call("create_task", { title: "t", assignee: "wbe" })).warning).toMatch(/^"wbe" is not a part .*; did you mean "web"\?$/);
  const api = "- { key: api, title: Refund, assignee: api, reviewer: web }\n";
  for (const [bad, why] of [
    ["- { key: a, titel: x }", "tasks[0].title"],
    ["- &a { key: a, title: A }\n- *a", "line 6: aliases are not read"],
    [`${api}- { key: page, title: Page, depends_on: nothing }`, "nothing"],
    ["- { key: a, title: A, depends_on: b }\n- { key: b, title: B, depends_on: a }", "waits for itself"],
    ["- { key: a, title: A, assignee: web, reviewer: web }", "web"],
  ] as const)
    expect(JSON.stringify(await plan(bad)), bad).toContain(why);
  const first = await plan(api);
  const others = (await call("list_sessions")).details.filter(({ ended_at, id }: Answer) => ended_at === null && id !== first.session_id);
  const warning = others.map(({ id }: Answer) => `session ${id} is open, too: \`relay session end --session ${id}\``);
  expect(first).toMatchObject({ tasks: [{ key: "api", created: true }], warning: warning.join("; ") });
  await call("write_memory", { key: "money", content: "Dollars.", append: true });
  const second = await plan("  api: { title: API }\n  page: { title: Page, depends_on: api }\n");
  expect(second).toMatchObject({ session_id: first.session_id, message_id: first.message_id });
  expect(second.tasks).toMatchObject([{ created: false }, { created: true }]);
  expect(await call("read_memory", { key: "money" })).toMatchObject({ content: "Cents.\n\nDollars." });
  expect((await call("get_all_tasks", { session_id: first.session_id })).tasks).toMatchObject([
    { title: "Refund", assignee: "api", reviewers: ["web"] },
    { title: "Page", blocked_by: [first.tasks[0].task_id] },
  ]);
  expect((await call("list_sessions")).details.filter(({ title }: { title?: string }) => title === "shop 0.1")).toHaveLength(1);
  expect(await call("start_session", { session_id: "shop 0.2" }, open())).toMatchObject({ success: true });
});

test("sessions are listed newest first by the time they began, ids with a prefix too", async () => {
  clock.advance(60_000);
  await call("start_session", { session_id: "a-prefix" }, open());
  clock.advance(60_000);
  await call("start_session", { session_id: "2020-01-01-001-OLD0" }, open());
  const listed = await call("list_sessions");
  expect(listed.sessions).toEqual(["2020-01-01-001-OLD0", "a-prefix", SESSION]);
  expect(listed.details[2]).toMatchObject({ id: SESSION, current: true, ended_at: null });
});

test("create_task refuses in its order; a key answers its task whatever else is given", async () => {
  const first = await call("create_task", { title: "One", priority: "high", idempotency_key: "k" });
  expect(first.task_id).toMatch(/^task-[0-9a-z]{10}$/);
  expect(await call("create_task", { title: "Other", priority: "low", depends_on: ["nope"], idempotency_key: "k" })).toMatchObject({
    task_id: first.task_id,
  });
  expect(
    await call("create_task", { title: "T", priority: "low", depends_on: ["a", first.task_id, "b"], parent_task_id: "c" }),
  ).toMatchObject({ success: false, error: "depends_on contains unknown task IDs: a, b" });
  expect(await call("create_task", { title: "T", priority: "low", parent_task_id: "c" })).toMatchObject({ error: "parent task not found" });
  const children: string[] = [];
  for (let number = 0; number < 3; number += 1) children.push(await task({ parent_task_id: first.task_id, derived_reason: "found" }));
  expect(await call("create_task", { title: "T", priority: "low", parent_task_id: children[0] as string })).toMatchObject({
    error: "max derived task depth exceeded (1)",
  });
  expect(await call("create_task", { title: "T", priority: "low", parent_task_id: first.task_id })).toMatchObject({
    error: "max derived siblings exceeded (3)",
  });
  expect(await status(children[0] as string)).toMatchObject({ depth: 1, parent_task_id: first.task_id, derived_reason: "found" });
  expect(await status(first.task_id)).toMatchObject({ depth: 0, parent_task_id: null, derived_reason: null, depends_on: [] });
  expect((await call("get_all_tasks")).total).toBe(4);
});

test("claim: one holder, with the reason for all others", async () => {
  const first = await task();
  const second = await task({ depends_on: [first] });
  expect(await call("claim_task", { task_id: second })).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${first}` });
  expect(await call("claim_task", { task_id: "task-0000000000" })).toMatchObject({ error: "task not found", claimed: false });
  expect(await call("claim_task", { task_id: first, agent_id: "web" })).toMatchObject({ success: true, claimed: true, fence: 1 });
  expect(await call("claim_task", { task_id: first, agent_id: "api" })).toMatchObject({ success: true, claimed: false });
  expect((await call("claim_task", { task_id: first, agent_id: "web" })).reason).toContain("held by you (fence 1)");
  expect(await status(first)).toMatchObject({ status: "in_progress", assignee: "web" });
  const assigned = await task({ assignee: "api" });
  expect((await call("claim_task", { task_id: assigned, agent_id: "web" })).reason).toContain("assigned to another agent: api");
  expect(await call("update_task", { task_id: first, status: "done", agent_id: "web" })).toMatchObject({ success: true });
  expect(await call("claim_task", { task_id: second })).toMatchObject({ claimed: true });
});

test("a lease that is over can be taken, and the old fence is refused", async () => {
  const id = await task();
  const [one, two] = [open(), open()];
  for (const over of [one, two]) await call("start_session", { session_id: SESSION }, over);
  expect(await call("claim_task", { task_id: id, agent_id: "web", lease_s: 60 }, one)).toMatchObject({ claimed: true, fence: 1 });
  clock.advance(59_000);
  expect((await call("claim_task", { task_id: id, agent_id: "api" }, two)).claimed).toBe(false);
  expect(await call("update_task", { task_id: id, agent_id: "web", status: "in_progress" }, one)).toMatchObject({ success: true });
  clock.advance(59_000);
  expect((await call("claim_task", { task_id: id, agent_id: "api" }, two)).claimed).toBe(false);
  clock.advance(2_000);
  expect(await call("get_all_tasks", { ready: true })).toMatchObject({ tasks: [{ id }] });
  expect(await call("claim_task", { task_id: id, agent_id: "api", lease_s: 60 }, two)).toMatchObject({ claimed: true, fence: 2 });
  expect(await call("update_task", { task_id: id, agent_id: "web", status: "done" }, one)).toMatchObject({ success: false });
  expect(await call("update_task", { task_id: id, agent_id: "pm", status: "done", fence: 1 })).toMatchObject({
    code: "stale_fence",
    fence: 2,
  });
  expect(await status(id)).toMatchObject({ status: "in_progress", assignee: "api" });
  const done = (agent_id: string, fence?: number): Promise<Answer> =>
    call("update_task", { task_id: id, agent_id, status: "done", fence }, two);
  expect(await done("api", 2)).toMatchObject({ fence: 3 });
  // Who held it may say so again.
  for (const fence of [undefined, 2, 3]) expect(await done("api", fence)).toMatchObject({ success: true, fence: 3, already: true });
  expect(await done("pm", 1)).toMatchObject({ code: "stale_fence", done: true });
});

test("the same agent over another connection is refused by the fence that its own connection remembers", async () => {
  const id = await task();
  const [one, two] = [open(), open()];
  for (const over of [one, two]) await call("start_session", { session_id: SESSION }, over);
  await call("claim_task", { task_id: id, agent_id: "web", lease_s: 1 }, one);
  clock.advance(2_000);
  expect(await call("claim_task", { task_id: id, agent_id: "web", lease_s: 60 }, two)).toMatchObject({ fence: 2 });
  expect(await call("update_task", { task_id: id, agent_id: "web", status: "done" }, one)).toMatchObject({ code: "stale_fence" });
  expect(await call("update_task", { task_id: id, agent_id: "web", status: "done" }, two)).toMatchObject({ success: true, fence: 3 });
});

test("update: fields, permission, transitions, dependencies", async () => {
  const id = await task({ title: "Keep me", description: "All of\n\nthis.", depends_on: [await task()] });
  expect(await call("update_task", { task_id: id })).toMatchObject({ error: "No valid fields to update" });
  expect(await call("update_task", { task_id: "nope", status: "done" })).toMatchObject({ error: "task not found" });
  expect(await call("update_task", { task_id: id, status: "done" })).toMatchObject({ success: false, code: "unmet_dependencies" });
  expect(await call("update_task", { task_id: id, assignee: "web" })).toMatchObject({ success: true, assignee: "web" });
  expect(await call("update_task", { task_id: id, assignee: "api", agent_id: "api" })).toMatchObject({
    error: "permission denied: not the task assignee or creator",
  });
  const shown = await call("show_task", { task_id: id });
  expect(shown.task).toMatchObject({ title: "Keep me", description: "All of\n\nthis.", assignee: "web", status: "todo" });
  expect(shown.task.depends_on).toHaveLength(1);
});

test("a task that is given up frees what depends on it, says so, and can be taken up again", async () => {
  const id = await task({ title: "A" });
  const waiting = await task({ title: "B", depends_on: [id] });
  await call("claim_task", { task_id: id });
  expect(await call("update_task", { task_id: id, status: "canceled" })).toMatchObject({
    status: "canceled",
    warning: `${waiting} waited for it, and no longer does`,
  });
  expect(await status(id)).toMatchObject({ status: "canceled" });
  expect(await call("claim_task", { task_id: waiting })).toMatchObject({ claimed: true });
  expect(await call("update_task", { task_id: id, status: "todo" })).toMatchObject({ status: "todo" });
});

test("a task is blocked for a reason, which lists have; who leads has mail, and another status or holder ends it", async () => {
  const id = await task({ title: "Pay", assignee: "web" });
  const set = (input: Answer, agent_id = "web"): Promise<Answer> => call("update_task", { task_id: id, agent_id, ...input });
  await call("claim_task", { task_id: id, agent_id: "web" });
  expect((await set({ status: "blocked" })).error).toContain("blocked with reason");
  expect(await set({ reason: "x" })).toMatchObject({ code: "invalid_argument" });
  const reason = 'no key, "assigned to api';
  for (const _ of [1, 2]) expect(await set({ status: "blocked", reason })).toMatchObject({ success: true, status: "blocked", fence: 1 });
  expect(await status(id)).toMatchObject({ status: "blocked", blocked_reason: reason });
  expect(await call("get_all_tasks", { ready: true })).toMatchObject({ tasks: [] });
  for (const agent_id of ["main", "pm"]) {
    const { messages } = await call("next", { agent_id });
    expect(messages).toMatchObject([{ subject: "Blocked: Pay", from: "web", body: expect.stringContaining(reason) }]);
    expect((await call("next", { agent_id })).happened).toBeUndefined();
  }
  expect(await set({ status: "blocked", reason: "r", assignee: "api" })).toMatchObject({ status: "blocked", assignee: "api", fence: 2 });
  expect(await call("next", { agent_id: "api" })).toMatchObject({ tasks: [{ state: "blocked", reason: "r" }] });
  expect((await call("claim_task", { task_id: id, agent_id: "api" })).reason).toContain("blocked (r)");
  expect(await set({ status: "in_progress" }, "pm")).toMatchObject({ status: "in_progress", fence: 3 });
  expect(await call("next", { agent_id: "api" })).toMatchObject({ tasks: [{ state: "held" }] });
  expect(await status(id)).not.toHaveProperty("blocked_reason");
});

test("release, hand-over, reopening: each has a record, and the fence only grows", async () => {
  const id = await task();
  await call("claim_task", { task_id: id, agent_id: "web" });
  expect(await call("release_task", { task_id: id, agent_id: "web" })).toMatchObject({ status: "todo", assignee: null });
  expect(await call("claim_task", { task_id: id, agent_id: "api" })).toMatchObject({ claimed: true, fence: 3 });
  expect(await call("release_task", { task_id: id, agent_id: "api", to: "web" })).toMatchObject({ status: "todo", assignee: "web" });
  expect((await call("claim_task", { task_id: id, agent_id: "api" })).claimed).toBe(false);
  expect(await call("claim_task", { task_id: id, agent_id: "web" })).toMatchObject({ claimed: true, fence: 5 });
  expect(await call("update_task", { task_id: id, agent_id: "web", assignee: "api" })).toMatchObject({ fence: 6, status: "in_progress" });
  expect(await call("update_task", { task_id: id, agent_id: "web", status: "done" })).toMatchObject({ success: false });
  expect(await call("update_task", { task_id: id, agent_id: "api", status: "in_review" })).toMatchObject({ success: true });
  // Handed over in review it stays in review; the record says so, should the hand-over die before the file.
  expect(await call("update_task", { task_id: id, agent_id: "pm", assignee: "web" })).toMatchObject({ status: "in_review", fence: 7 });
  const record = home("sessions", SESSION, "claims", id, "7.md");
  expect(fs.readFileSync(record, "utf8")).toContain('status: "in_review"');
  expect(await call("update_task", { task_id: id, agent_id: "pm", assignee: "api" })).toMatchObject({ status: "in_review", fence: 8 });
  const revisions = home("local/revisions/sessions", SESSION, "tasks", `${id}.md`);
  expect(fs.existsSync(revisions)).toBe(true);
  expect(await call("update_task", { task_id: id, agent_id: "api", status: "done" })).toMatchObject({ success: true, fence: 9 });
  // Nothing is left of it but its file and its records.
  expect([revisions, home("local/intents")].filter((at) => fs.existsSync(at) && fs.readdirSync(at).length > 0)).toEqual([]);
  expect(await call("update_task", { task_id: id, agent_id: "pm", status: "in_progress" })).toMatchObject({
    success: true,
    assignee: "api",
  });
  expect(fs.readdirSync(revisions).sort()).toEqual(["9000001", "9000002"]);
  expect(fs.readdirSync(home("sessions", SESSION, "claims", id)).sort()).toEqual(
    Array.from({ length: 10 }, (_, n) => `${n + 1}.md`).sort(),
  );
});

test("release of a free task unassigns it, a done task stays done, and the creator hands over a task that is not begun", async () => {
  const id = await task({ assignee: "web" });
  expect(await call("update_task", { task_id: id, status: "in_progress", assignee: "api" })).toMatchObject({
    success: true,
    assignee: "api",
  });
  await call("update_task", { task_id: id, status: "done" });
  expect(await call("release_task", { task_id: id })).toMatchObject({ success: false, code: "not_claimed" });
  expect(await status(id)).toMatchObject({ status: "done" });
  expect(await call("update_task", { task_id: id, status: "todo" })).toMatchObject({ status: "todo", assignee: "api" });
  expect(await call("release_task", { task_id: id })).toMatchObject({ status: "todo", assignee: null });
  expect(await call("release_task", { task_id: id })).toMatchObject({ status: "todo", assignee: null });
  expect(await call("claim_task", { task_id: id, agent_id: "web" })).toMatchObject({ claimed: true });
  const twice = await task({ depends_on: [id, id] });
  expect(await status(twice)).toMatchObject({ depends_on: [id], blocked_by: [id] });
});

test("a task that a person edited is taken as it is, or reported", async () => {
  const id = await task({ title: "By hand" });
  const source = fs.readFileSync(taskFile(id), "utf8");
  fs.writeFileSync(taskFile(id), source.replace('status: "todo"', "status: done\nnote: seen").replace('"By hand"', "Edited, by hand"));
  expect(await status(id)).toMatchObject({ status: "done", title: "Edited, by hand" });
  await call("update_task", { task_id: id, status: "todo" });
  expect(fs.readFileSync(taskFile(id), "utf8")).toContain("note: ");
  fs.writeFileSync(taskFile(id), source.replace('status: "todo"', "status: doing"));
  const listed = await call("get_all_tasks", { include_description: true });
  expect(listed.tasks).toEqual([]);
  expect(listed.problems).toMatchObject([{ path: `sessions/${SESSION}/tasks/${id}.md`, line: 4 }]);
  expect(listed.problems[0].problem).toContain("todo, in_progress, in_review, done");
  expect(await call("claim_task", { task_id: id })).toMatchObject({ code: "malformed_file" });
  expect(fs.readFileSync(taskFile(id), "utf8")).toContain("doing");
});

test("an ended session can be gone on with, and the answer says that it ended", async () => {
  expect((await call("start_session", { session_id: SESSION })).warning ?? "").not.toContain("ended");
  await call("end_session");
  expect((await call("end_session", {}, open())).error).toContain("no session is open");
  expect((await call("start_session", { session_id: SESSION })).warning).toContain("ended");
});

test("lists: by priority, then age; filters; what blocks; what is ready", async () => {
  const low = await task({ priority: "low" });
  clock.advance(1_000);
  const high = await task({ priority: "high", depends_on: [low], assignee: "web", description: "Why" });
  clock.advance(1_000);
  const later = await task({ priority: "high" });
  const all = await call("get_all_tasks");
  expect(all.tasks.map(({ id }: { id: string }) => id)).toEqual([high, later, low]);
  expect(all.tasks[0]).toMatchObject({ blocked_by: [low], created_at: Math.floor(clock.now() / 1_000) - 1 });
  expect(all.tasks[0]).not.toHaveProperty("description");
  expect(await call("get_all_tasks", { include_description: true })).toMatchObject({
    tasks: [{ description: "Why" }, { description: null }, {}],
  });
  expect(await call("get_all_tasks", { assignee: "web" })).toMatchObject({ tasks: [{ id: high }], total: 1 });
  expect(await call("get_all_tasks", { ready: true })).toMatchObject({ tasks: [{ id: later }, { id: low }] });
  await call("update_task", { task_id: low, status: "done" });
  expect(await call("get_all_tasks", { ready: true, agent_id: "web" })).toMatchObject({ tasks: [{ id: high }, { id: later }] });
  expect(await call("get_all_tasks", { status: "done" })).toMatchObject({ tasks: [{ id: low }] });
});

test("messages of a session are those of the inbox: one store, two views", async () => {
  const direct = await call("send_message", { agent_id: "web", to: "api", content: "Price?", thread_id: "prices", metadata: { a: "1" } });
  expect(direct).toMatchObject({
    success: true,
    message: { seq: 1, from_agent: "web", to_agent: "api", content: "Price?", thread_id: "prices", metadata: { a: "1" } },
  });
  expect(direct.message.created_at).toBe(Math.floor(clock.now() / 1_000));
  await call("send_message", { agent_id: "api", content: "Amount, to all", thread_id: "prices" });
  await call("send_message", { agent_id: "web", to: "web", content: "To myself" });
  const sent = await call("send", { agent_id: "main", to: ["api"], subject: "From the room", body: "Also here" });
  const got = await call("get_messages", { agent_id: "api" });
  expect(got.messages.map(({ content, seq }: Answer) => [seq, content])).toEqual([
    [1, "Price?"],
    [4, "Also here"],
  ]);
  expect(got.messages[1]).toMatchObject({ thread_id: sent.threadId, from_agent: "main", to_agent: "api" });
  expect((await call("get_messages", { agent_id: "web" })).messages.map(({ content, to_agent }: Answer) => [to_agent, content])).toEqual([
    [null, "Amount, to all"],
    ["web", "To myself"],
  ]);
  expect(await call("get_messages", { agent_id: "api", after_seq: 1 })).toMatchObject({ messages: [{ seq: 4 }] });
  expect(await call("get_messages", { agent_id: "late", limit: 1 })).toMatchObject({ messages: [{ seq: 2 }] });
  const inbox = await call("inbox", { agent_id: "api", unreadOnly: false });
  expect(inbox.messages.map(({ subject }: Answer) => subject).sort()).toEqual(["From the room", "prices"]);
  const [first] = inbox.messages.filter(({ subject }: Answer) => subject === "prices");
  expect(await call("show", { threadId: first.threadId, agent_id: "api" })).toMatchObject({ messages: [{}, {}] });
  expect(await call("send_message", { to: "aip", content: "x" })).toMatchObject({ success: false, code: "unknown_part", nearest: ["api"] });
  expect((await call("send_message", { content: "x".repeat(65_537) })).error).toContain("65536");
});

test("artifacts: versions with their natural ending, contents as they were", async () => {
  expect(await call("post_artifact", { name: "Login / design", type: "design", content: "# Login\n" })).toMatchObject({ version: 1 });
  const second = await call("post_artifact", { agent_id: "web", name: "Login / design", type: "design", content: "" });
  expect(second.version).toBe(2);
  expect(await call("get_artifact", { name: "Login / design" })).toMatchObject({
    artifact: { id: second.artifact_id, name: "Login / design", type: "design", content: "", created_by: "web", task_id: null },
  });
  expect(await call("get_artifact", { name: "Login / design", version: 1 })).toMatchObject({ artifact: { content: "# Login\n" } });
  expect(await call("get_artifact", { name: "nope" })).toMatchObject({ success: false, artifact: null, error: "artifact not found" });
  expect((await call("post_artifact", { name: "x", type: "poem", content: "" })).error).toContain("figma_spec, pr, report");
  expect(await call("post_artifact", { name: "x", type: "pr", content: "", task_id: "task-0000000000" })).toMatchObject({
    error: "task not found",
  });
  const id = await task();
  await call("post_artifact", { name: "change", type: "pr", content: "diff --git a/x b/x\n", task_id: id });
  await call("post_artifact", { name: "data", type: "report", content: '{"a": 1}' });
  await call("post_artifact", { name: "page.html", type: "document", content: "<p>" });
  const files = (fs.readdirSync(home("sessions", SESSION, "artifacts"), { recursive: true }) as string[]).map((name) =>
    path.basename(name),
  );
  expect(files).toEqual(expect.arrayContaining(["1.diff", "1.json", "1.html", "1.md", "2.md"]));
});

test("reviews: bound to a version, answered once, with messages both ways", async () => {
  const { artifact_id } = await call("post_artifact", { agent_id: "web", name: "plan", type: "document", content: "v1" });
  expect(await call("request_review", { artifact_id: "artifact-000000000000-1", reviewer: "api" })).toMatchObject({
    error: "artifact not found",
  });
  expect(await call("request_review", { artifact_id, reviewer: "web" })).toMatchObject({ code: "self_review" });
  const { review_id } = await call("request_review", { agent_id: "web", artifact_id, reviewer: "api" });
  await call("post_artifact", { agent_id: "web", name: "plan", type: "document", content: "v2" });
  expect((await call("get_messages", { agent_id: "api" })).messages[0]).toMatchObject({ metadata: { review_id } });
  for (const mine of [{ open: true }, { pending: true, mine: true, agent_id: "api" }])
    expect(await call("list_reviews", mine)).toMatchObject({ reviews: [{ id: review_id, version: 1, status: "pending" }] });
  expect(await call("list_reviews", { mine: true })).toMatchObject({ reviews: [] });
  const submit = (input: Record<string, unknown>): Promise<Answer> => call("submit_review", { agent_id: "api", review_id, ...input });
  expect(await submit({ review_id: "review-0000000000", status: "approved" })).toMatchObject({ error: "review not found" });
  expect(await submit({ agent_id: "web", status: "approved" })).toMatchObject({ error: "permission denied: not the assigned reviewer" });
  expect((await submit({ status: "changes_requested" })).error).toContain("comments");
  const piece = review_id.slice("review-".length, -2);
  expect(await submit({ review_id: piece, status: "changes_requested", comments: "Shorter." })).toMatchObject({
    review: { id: review_id, status: "changes_requested", reviewer: "api", comments: "Shorter." },
  });
  expect(await submit({ status: "approved" })).toMatchObject({ error: "Review already submitted — status is changes_requested" });
  expect((await call("get_messages", { agent_id: "web" })).messages[0]).toMatchObject({ from_agent: "api", content: "Shorter." });
  const result = fs.readFileSync(home("sessions", SESSION, "reviews", `${review_id}.result.md`), "utf8");
  expect(result).toContain(
    `id: "${review_id}"\nartifact_id: "${artifact_id}"\nname: "plan"\nversion: 1\nreviewer: "api"\nrequester: "web"\n`,
  );
  const newcomer = await call("request_review", { agent_id: "web", artifact_id, reviewer: "wbe" });
  expect(newcomer).toMatchObject({ success: true, warning: expect.stringContaining('a guest now; did you mean "web"') });
  // Whoever made the version hears of it, whoever asked.
  const other = await call("request_review", { agent_id: "docs", artifact_id, reviewer: "api" });
  await submit({ review_id: other.review_id, status: "changes_requested", comments: "Longer." });
  for (const agent_id of ["web", "docs"])
    expect((await call("get_messages", { agent_id })).messages.map(({ content }: { content: string }) => content)).toContain("Longer.");
  expect(await call("submit_review", { agent_id: "wbe", review_id: newcomer.review_id, status: "approved" })).toMatchObject({
    success: true,
  });
});

test("a review is one thread, of its task, which ends with the answer; who answers has dealt with the request", async () => {
  const id = await task();
  const { artifact_id } = await call("post_artifact", { agent_id: "web", name: "plan", type: "document", content: "v1", task_id: id });
  const asked = await call("request_review", { agent_id: "web", artifact_id: "plan", reviewer: "api, docs" });
  expect(asked.more).toHaveLength(1);
  expect(await call("request_review", { agent_id: "web", artifact_id: "plan", reviewer: "api,web" })).toMatchObject({
    code: "self_review",
  });
  expect(await call("submit_review", { agent_id: "api", review_id: "plan", status: "approved" })).toMatchObject({
    review: { id: asked.review_id, status: "approved" },
  });
  const threads = (await call("threads", { agent_id: "web", status: "closed" })).threads;
  expect(threads).toMatchObject([{ subject: "Please review plan, version 1", messages: 2, status: "closed" }]);
  expect(await call("inbox", { agent_id: "api" })).toMatchObject({ messages: [] });
  expect((await call("inbox", { agent_id: "web" })).messages).toMatchObject([{ subject: "api approved plan, version 1" }]);
  expect((await call("get_messages", { agent_id: "web" })).messages[0].metadata).toMatchObject({ task_id: id, artifact_id });
  // An author who answers an approval writes into its closed thread.
  expect(await call("reply", { agent_id: "web", threadId: threads[0].id, body: "Thanks." })).toMatchObject({
    recipients: [{ part: "api" }],
  });
  expect((await call("threads", { status: "closed" })).threads).toMatchObject([{ messages: 3 }]);
  expect(await answer(worldAt(folder), operations.check, {})).toMatchObject({ findings: [], warnings: [] });
  const [, hash] = /^artifact-(\w{5})/.exec(artifact_id) as unknown as [string, string];
  expect(await call("get_artifact", { name: hash })).toMatchObject({ artifact: { id: artifact_id } });
});

test("an approval sets its task done where a reviewer or relay.yml says so; else its mail has the line to type", async () => {
  const handIn = async (name: string, agent_id = "web"): Promise<string> => {
    const id = await task({ assignee: "web", agent_id });
    await call("submit_task", { agent_id: "web", task_id: id, name, reviewer: "api,docs" });
    return id;
  };
  const approve = (agent_id: string, review_id: string, done = false): Promise<Answer> =>
    call("submit_review", { agent_id, review_id, status: "approved", done });
  const said = async (): Promise<string> => JSON.stringify((await call("next", { agent_id: "web" })).messages);
  const first = await handIn("one");
  expect(JSON.stringify(await call("get_messages", { agent_id: "api" }))).toMatch(/relay review submit \w{4} approved, or/);
  expect((await approve("api", "one", true)).warning).toContain("done once these approve, too: docs (pending)");
  expect(await said()).toContain("Still in review at docs.");
  // Whoever approves last need not say it again.
  expect(await approve("docs", "one")).toMatchObject({ done: first });
  expect([(await approve("docs", "one")).code, (await approve("web", "one")).code]).toEqual(["review_submitted", "not_the_reviewer"]);
  expect(await status(first)).toMatchObject({ status: "done" });
  expect(await said()).toContain(`Task ${first.slice(5, 9)} is done.`);
  for (const [by, words] of Object.entries({ web: "Its task is yours to end: `relay ", main: "main ends its task." })) {
    const second = await handIn(by, by);
    await approve("api", by);
    await approve("docs", by);
    expect([(await status(second)).status, await said()]).toEqual(["in_review", expect.stringContaining(words)]);
  }
  settle(folder, "task: { done_on_approval: true }\n", { now: clock.now });
  world = open();
  await call("start_session", { session_id: SESSION });
  const third = await handIn("three");
  await approve("api", "three");
  await approve("docs", "three");
  expect(await status(third)).toMatchObject({ status: "done" });
});

test("no review stays open for nothing: withdrawn, replaced, asked twice, or of a task that is done", async () => {
  const id = await task({ assignee: "web" });
  const handIn = (more: object = {}): Promise<Answer> =>
    call("submit_task", { agent_id: "web", task_id: id, name: "n", reviewer: "api", ...more });
  const open = async (): Promise<string[]> =>
    (await call("list_reviews", { open: true })).reviews.map((each: Answer) => `${each.reviewer} ${each.version}`).sort();
  const [old] = (await handIn()).reviews;
  await handIn({ reviewer: "api,docs" });
  expect(await open()).toEqual(["api 2", "docs 2"]);
  const late = await call("submit_review", { agent_id: "api", review_id: old, status: "approved" });
  expect(late).toMatchObject({ code: "review_submitted", status: "withdrawn", why: expect.stringContaining("version 2") });
  const again = await call("request_review", { agent_id: "web", artifact_id: "n", reviewer: "api" });
  expect(again).toMatchObject({ warning: "api was asked already, and has not answered" });
  await call("request_review", { agent_id: "pm", artifact_id: "n", reviewer: "api" });
  expect(await call("withdraw_review", { agent_id: "api", review_id: "n" })).toMatchObject({ code: "not_the_requester" });
  expect((await call("withdraw_review", { agent_id: "web", review_id: "n", comments: "Not yet." })).withdrawn).toHaveLength(2);
  expect(await open()).toEqual(["api 2"]);
  const told = JSON.stringify((await call("next", { agent_id: "docs" })).messages);
  expect(told).toMatch(/docs need not review n, version 2".*"\w{4} is withdrawn: Not yet\./);
  expect(told).not.toContain("Please review");
  await call("request_review", { agent_id: "web", artifact_id: "n", reviewer: "api" });
  // One answer is for all who asked it.
  await call("submit_review", { agent_id: "api", review_id: "n", status: "approved" });
  expect([await open(), (await call("inbox", { agent_id: "pm" })).unread]).toEqual([[], 1]);
  // Who answered asks itself to answer anew, and has no mail of that.
  const other = { agent_id: "api", review_id: "n", status: "changes_requested", comments: "No test." };
  expect(await call("submit_review", other)).toMatchObject({ code: "review_submitted", name: "n", reviewer: "api" });
  const { unread } = await call("inbox", { agent_id: "api" });
  await call("request_review", { agent_id: "api", artifact_id: "n", reviewer: "api" });
  expect((await call("inbox", { agent_id: "api" })).unread).toBe(unread);
  await call("submit_review", other);
  expect(await call("show_task", { task_id: id })).toMatchObject({ task: { status: "in_progress" } });
  await handIn();
  const moved = { agent_id: "web", task_id: id, reviewer: "docs" };
  expect(await call("update_task", moved)).toMatchObject({ withdrawn: [expect.any(String)], reviews: [expect.any(String)] });
  expect(await open()).toEqual(["docs 3"]);
  expect(await call("update_task", { agent_id: "web", task_id: id, status: "done" })).toMatchObject({ withdrawn: [expect.any(String)] });
  expect([await open(), (await call("threads", { agent_id: "api", status: "open" })).threads]).toEqual([[], []]);
  // A later version that is withdrawn leaves what was approved before.
  const second = { agent_id: "web", task_id: await task({ assignee: "web", description: "A map." }), name: "m", reviewer: "api" };
  await call("submit_task", second);
  expect(await call("next", { agent_id: "api" })).toMatchObject({ reviews: [{ said: expect.stringContaining("Task: A map.") }] });
  await call("submit_review", { agent_id: "api", review_id: "m", status: "approved", done: true });
  const reopened = /^\w{4} was done, and is open again; withdraw the review/;
  expect(await call("submit_task", second)).toMatchObject({ warning: expect.stringMatching(reopened) });
  expect(await call("withdraw_review", { agent_id: "web", review_id: "m" })).toMatchObject({ done: second.task_id });
  expect(await call("show_task", { task_id: second.task_id })).toMatchObject({ task: { status: "done" } });
});

test("memory: sections and dated entries", async () => {
  expect(await call("read_memory")).toMatchObject({ success: true, content: null });
  await call("write_memory", { key: "style", content: "Short.\n" });
  await call("write_memory", { key: "times", content: "UTC" });
  expect(await call("write_memory", { key: "times", content: "UTC" })).not.toHaveProperty("replaced");
  expect(await call("write_memory", { key: "style", content: "Sweet." })).toMatchObject({ replaced: 6 });
  expect(await call("write_memory", { key: "style", content: "Shorter.", append: true })).not.toHaveProperty("replaced");
  expect((await call("read_memory")).content).toBe("## style\n\nSweet.\n\nShorter.\n\n## times\n\nUTC\n");
  await call("append_memory", { agent_id: "web", content: "Learnt." });
  await call("write_memory", { agent_id: "web", key: "k", content: "v" });
  await call("append_memory", { agent_id: "web", content: "More." });
  await call("write_memory", { agent_id: "web", key: "k", content: "w" });
  expect((await call("read_memory", { agent_id: "web" })).content).toBe(
    "\n---\n_2026-01-31_\n\nLearnt.\n\n## k\n\nw\n\n---\n_2026-01-31_\n\nMore.\n",
  );
  for (const key of ["", "# x", "#", "a\nb", "a\rb", "x".repeat(257)]) {
    expect(await call("write_memory", { key, content: "x" }), JSON.stringify(key)).toMatchObject({ success: false });
  }
  expect(await call("append_memory", { agent_id: undefined, content: "x" })).toMatchObject({ success: false, code: "who_are_you" });
  expect(await call("read_memory", { agent_id: "../x" })).toMatchObject({ success: false, code: "bad_part" });
});

test("finished work is one call: artifact, review, status", async () => {
  expect(await call("create_task", { title: "n", assignee: "web", reviewer: "web" })).toMatchObject({ code: "self_review" });
  const id = await task({ title: "Refund", assignee: "web", reviewer: "api" });
  await call("update_task", { task_id: id, reviewer: "api,docs" });
  await call("claim_task", { agent_id: "web", task_id: id });
  const submit = { agent_id: "web", task_id: id, content: "Through the bank." };
  expect(await call("submit_task", { ...submit, reviewer: "web" })).toMatchObject({ code: "self_review" });
  expect(await call("submit_task", { ...submit, agent_id: "docs", reviewer: "api" })).toMatchObject({ code: "not_your_task" });
  expect((await call("submit_task", { agent_id: "web", task_id: await task() })).warning).toContain("nobody is asked");
  expect(await call("list_artifacts")).toMatchObject({ artifacts: [{ name: "Work" }] });
  const commit = "5e817e8d1c0ffee0a1b2c3d4e5f60718293a4b5c";
  expect(await call("submit_task", { ...submit, commit })).toMatchObject({ version: 1, status: "in_review", commit });
  expect(await call("list_artifacts")).toMatchObject({ artifacts: [{ name: "Refund", type: "code", commit, task_id: id }, {}] });
  expect((await call("submit_task", { ...submit, reviewer: "api" })).warning).toBe("the task names docs, not asked");
});

test("the dependencies of a task can be changed, but not so that it waits for itself", async () => {
  const [first, second] = [await task(), await task()];
  const wait = (id: string, depends_on: string[]): Promise<Answer> => call("update_task", { task_id: id, depends_on });
  expect(await wait(second, [first.slice(5)])).toMatchObject({ success: true });
  expect(await status(second)).toMatchObject({ depends_on: [first], blocked_by: [first] });
  expect(await wait(first, [second])).toMatchObject({ code: "invalid_argument", argument: "depends_on" });
  expect(await wait(first, ["task-0000000000"])).toMatchObject({ code: "unknown_dependencies" });
  expect(await wait(second, [])).toMatchObject({ success: true });
  expect(await status(second)).not.toHaveProperty("blocked_by");
});

test("a claim tells what the project remembers and the part has not read, once, with its text where that is short", async () => {
  const web = worldAt(folder, { part: "web", now: clock.now });
  const claim = async (): Promise<string[] | undefined> =>
    (await call("claim_task", { agent_id: "web", task_id: await task() }, web)).memory;
  expect(await claim()).toBeUndefined();
  for (const key of ["money", "times", "names"]) await call("write_memory", { key, content: "v" });
  await call("write_memory", { key: "own", content: "v" }, web);
  await call("read_memory", { key: "money" }, web);
  expect(await claim()).toEqual(["times: v", "names: v"]);
  expect(await claim()).toBeUndefined();
  await call("write_memory", { key: "money", content: "other" });
  await call("read_memory", {}, web);
  expect(await claim()).toBeUndefined();
  await call("write_memory", { key: "money", content: "long ".repeat(600) });
  expect(await claim()).toEqual(["money …"]);
});

test("a memory is read by key, and lists what it holds", async () => {
  await call("write_memory", { key: "money", content: "Amounts are in cents." });
  await call("write_memory", { key: "times", content: "## UTC\n\nEverywhere." });
  await call("append_memory", { agent_id: "web", content: "Mind the gap." });
  expect((await call("read_memory", { key: "times" })).content).toBe("## UTC\n\nEverywhere.");
  expect((await call("read_memory", { keys: true })).keys).toEqual([
    { key: "money", characters: 21 },
    { key: "times", characters: 19 },
  ]);
  expect((await call("read_memory", { agent_id: "web", keys: true })).keys).toMatchObject([{ date: "2026-01-31" }]);
  // A push may bring any text: each key is named once, some hundred at most, and a long line is read in one pass.
  const pushed = [..."## a\n".repeat(9), ...Array.from({ length: 300 }, (_, at) => `## k${at}\n`), `${"`".repeat(200_000)}\r-\n`];
  fs.writeFileSync(home("memory", "project.md"), `${pushed.join("")}${"<<<<<<< a\n".repeat(30)}`);
  const { keys = [], more, warning } = await call("read_memory", { keys: true });
  expect([keys.length, keys[0]?.key, keys[1]?.key, more, warning]).toEqual([200, "a", "k0", 101, expect.stringContaining("and 10 more")]);
  expect(await call("read_memory", { key: "none" })).toMatchObject({
    content: null,
    warning: expect.stringMatching(/a, k0.*k198, and 101 more$/),
  });
});

test("a memory never grows beyond what can be read", async () => {
  const path = home("memory", "project.md");
  await call("write_memory", { key: "one", content: "kept" });
  fs.appendFileSync(path, "x".repeat(4 * 1_048_576 - fs.statSync(path).size - 1_000));
  expect(await call("write_memory", { key: "two", content: "y".repeat(2_000) })).toMatchObject({ success: false, code: "file_full" });
  expect(await call("write_memory", { key: "three", content: "short" })).toMatchObject({ success: true });
  expect((await call("read_memory")).content).toContain("short");
});

test("summary and state: byte for byte, and an earlier summary stays", async () => {
  const odd = "\uFEFF# Titel\r\n\r\n---\nstatus: x\n---\n\u2028 ende  ";
  expect(await call("get_session_summary", { session_id: "nope" })).toMatchObject({ error: "session not found" });
  expect(await call("get_session_summary", { session_id: SESSION })).toMatchObject({ error: "session not found" });
  await call("save_session_summary", { session_id: SESSION, summary: odd });
  expect((await call("get_session_summary", { session_id: SESSION })).summary).toBe(odd);
  expect(await call("save_session_summary", { session_id: SESSION, summary: "new" })).toMatchObject({ version: 1 });
  expect(fs.readFileSync(home("sessions", SESSION, "summaries/1.md"), "utf8")).toBe(odd);
  expect(await call("get_orchestrator_state")).toMatchObject({ state: null });
  await call("save_orchestrator_state", { state: `{"x": "${odd.replaceAll("\n", "")}"}` });
  expect((await call("get_orchestrator_state")).state).toBe(`{"x": "${odd.replaceAll("\n", "")}"}`);
});

test("a session does not end over unread mail or an open review; later its board is still read", async () => {
  await call("send", { agent_id: "web", to: ["main"], subject: "Stop", body: "It fails." });
  await call("send", { agent_id: "web", to: ["main"], subject: "UTC", body: "Everywhere.", tags: ["decision"] });
  const { artifact_id } = await call("post_artifact", { agent_id: "web", name: "plan", type: "document", content: "v1" });
  const { review_id } = await call("request_review", { agent_id: "web", artifact_id, reviewer: "api" });
  const end = (): Promise<Answer> => call("end_session", { agent_id: "main" });
  const { unread, ...unfinished } = await end();
  expect([unread.toSorted(), unfinished]).toMatchObject([
    ["web: Stop", "web: UTC"],
    { code: "session_unfinished", reviews: ["plan at api"] },
  ]);
  await call("submit_review", { agent_id: "api", review_id, status: "approved" });
  const typed = await call("end_session", { agent_id: "main", summary: "# Typed" });
  expect(typed).toMatchObject({ reviews: [], summary_saved: true, error: expect.stringContaining("Your summary is saved") });
  expect(await call("get_session_summary")).toMatchObject({ summary: "# Typed" });
  expect((await end()).reviews).toEqual([]);
  await call("next", { agent_id: "main" });
  await call("whoami", { agent_id: "main" });
  // What its caller was shown is acked.
  expect(await end()).toMatchObject({ ended: true, unread: ["web (1)"], next: "Nothing is left for you." });
  expect((await call("get_session_summary", { session_id: SESSION })).summary).toMatch(/^# Typed\n\n## Decisions\n\n- UTC \(/);
  // Whoever asks afterwards reads that nothing is left, and where the summary is.
  const ended = `session ${SESSION} (.relay/sessions/${SESSION}/summary.md)`;
  expect(await call("next", { agent_id: "main", ack: "shown" })).toMatchObject({ ended: expect.stringContaining(`You ended ${ended}`) });
  const { template } = await call("end_session", { session_id: SESSION, template: true });
  expect(template).toMatch(/## Decisions\n\n- UTC \(\S+\)\n[\s\S]*## Threads\n\n(?=[\s\S]*- Stop \(\S+\)\n)(- (Stop|UTC) \(\S+\)\n){2}$/);
  expect(await call("list_artifacts")).toMatchObject({
    artifacts: [{ name: "plan" }],
    warning: expect.stringContaining("which main ended"),
  });
});

test("the assignee of a task has mail once it can begin; a list of ready ones names those of others", async () => {
  const [first, second] = [await task({ assignee: "web" }), await task({ assignee: "web" })];
  const waits = await task({ title: "Page", assignee: "api", depends_on: [first, second] });
  await task({ title: "Own", assignee: "web", depends_on: [second] });
  const mail = async (): Promise<string[]> => (await call("inbox", { agent_id: "api" })).messages.map(({ subject }: Answer) => subject);
  await call("update_task", { agent_id: "web", task_id: first, status: "done" });
  expect(await mail()).toEqual([]);
  expect(await call("get_all_tasks", { agent_id: "api", ready: true })).toMatchObject({
    ...{ tasks: [], others: [{ id: second, assignee: "web" }] },
  });
  await call("update_task", { agent_id: "web", task_id: second, status: "done" });
  expect(await mail()).toEqual(["Ready: Page"]);
  expect(await call("inbox", { agent_id: "web" })).toMatchObject({ messages: [] });
  // Another part may end what was ready; its assignee has the mail still.
  const other = await call("create_task", { title: "Other", assignee: "api", depends_on: [await task({ assignee: "web" })] });
  const { depends_on: needs } = (await call("show_task", { task_id: other.task_id })).task;
  await call("update_task", { agent_id: "web", task_id: needs[0], status: "done" });
  await call("update_task", { task_id: other.task_id, status: "done" });
  expect(JSON.stringify(await answer(open(), operations.check, {}))).not.toContain("what closing cleared");
  const ready = async (): Promise<Answer> =>
    (await call("threads", { agent_id: "api" })).threads.find(({ subject }: Answer) => subject === "Ready: Page");
  await call("ack", { agent_id: "api", all: true });
  expect(await ready()).toMatchObject({ status: "open" });
  await call("claim_task", { agent_id: "api", task_id: waits });
  expect(await ready()).toMatchObject({ status: "closed", unread: 0 });
});

test("a task's title, description and priority: changed by whom it concerns, with a line of its history, and never beside a refused move", async () => {
  const id = await task({ description: "First.", assignee: "web" });
  const edit = { title: "Other work", description: "Second.", priority: "high" };
  expect(await call("update_task", { task_id: id, agent_id: "api", ...edit })).toMatchObject({ success: false, code: "not_your_task" });
  const before = fs.readFileSync(taskFile(id), "utf8");
  const unmet = await task();
  const waits = await task({ depends_on: [unmet] });
  expect(await call("update_task", { task_id: waits, status: "done", title: "Changed" })).toMatchObject({ code: "unmet_dependencies" });
  expect((await status(waits)).title).toBe("Work");
  expect(fs.readFileSync(taskFile(id), "utf8")).toBe(before);
  expect(await call("update_task", { task_id: id, ...edit })).toMatchObject({ success: true, status: "todo", assignee: "web" });
  const shown = await call("show_task", { task_id: id });
  expect(shown.task).toMatchObject(edit);
  expect(shown.history.at(-1)).toMatch(/ pm: title changed, description changed, priority medium → high$/);
  // The same again changes nothing, and says so nowhere.
  const after = fs.readFileSync(taskFile(id), "utf8");
  await call("update_task", { task_id: id, ...edit });
  expect(fs.readFileSync(taskFile(id), "utf8")).toBe(after);
  // With a move, both happen.
  expect(await call("update_task", { task_id: id, status: "in_review", title: "Last" })).toMatchObject({ status: "in_review" });
  expect((await status(id)).title).toBe("Last");
  for (const bad of [
    { title: " " },
    { title: "a\nb" },
    { title: "x".repeat(257) },
    { description: "x".repeat(8_193) },
    { priority: "urgent" },
  ])
    expect(await call("update_task", { task_id: id, ...bad })).toMatchObject({ code: "invalid_argument" });
});
