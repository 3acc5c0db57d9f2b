/** Tasks as agents of the relay plugin make, change and list them. */
import { expect } from "vitest";
import { differs, play } from "../stage.ts";

const title = (task: { title: string }): string => task.title;

play({
  "a task with a title, a text, an assignee and a priority is made": async ({ ok }) => {
    const made = await ok("lead", "create_task", { title: "Survey", description: "On foot", assignee: "api", priority: "high" });
    expect(made).toMatchObject({ task_id: expect.stringMatching(/^task-/) });
  },
  "a new task is todo, unassigned, and its maker's": async ({ task, tasks }) => {
    const id = await task({ title: "Survey", priority: "critical" });
    expect(await tasks()).toMatchObject([
      { id, title: "Survey", status: "todo", assignee: null, priority: "critical", created_by: "lead" },
    ]);
  },
  "a task without a priority is of medium priority": async ({ ok, tasks }) => {
    await ok("lead", "create_task", { title: "Survey" });
    expect(await tasks()).toMatchObject([{ priority: "medium" }]);
  },
  "a priority that there is none of is refused, and the four are named": ({ no }) =>
    no("lead", "create_task", { title: "t", priority: "urgent" }, "invalid_argument", "critical, high, medium, low"),
  "a task without a title is refused": ({ no }) => no("lead", "create_task", { priority: "low" }, "invalid_argument", "title"),
  "a title of two lines is refused": ({ no }) => no("lead", "create_task", { title: "a\nb" }, "invalid_argument", "one line"),
  "a title may have 256 characters": ({ ok }) => ok("lead", "create_task", { title: "x".repeat(256) }),
  "a title of 257 characters is refused, with the limit": ({ no }) =>
    no("lead", "create_task", { title: "x".repeat(257) }, "invalid_argument", "256"),
  "a description may have 8192 characters": ({ ok }) => ok("lead", "create_task", { title: "t", description: "x".repeat(8_192) }),
  "a description of 8193 characters is refused, with the limit": ({ no }) =>
    no("lead", "create_task", { title: "t", description: "x".repeat(8_193) }, "invalid_argument", "8192"),
  "a title in any script is kept as it is": async ({ task, tasks }) => {
    await task({ title: "지도 그리기 🗺️ — Åß" });
    expect((await tasks()).map(title)).toEqual(["지도 그리기 🗺️ — Åß"]);
  },
  "a description is shown when it is asked for, with its lines": async ({ task, tasks }) => {
    await task({ description: "one\n\n```\n## two\n```\n" });
    expect(await tasks({ include_description: true })).toMatchObject([{ description: "one\n\n```\n## two\n```\n" }]);
    expect((await tasks())[0]).not.toHaveProperty("description");
  },
  "an assignee who never wrote can be named": async ({ task, tasks }) => {
    await task({ assignee: "newcomer" });
    expect(await tasks({ assignee: "newcomer" })).toHaveLength(1);
  },
  "an assignee that can be nobody's id is refused": ({ no }) =>
    no("lead", "create_task", { title: "t", assignee: "../up" }, "bad_part", "not a part id"),

  "its assignee can begin a task by its status": async ({ task, ok, tasks }) => {
    const id = await task({ assignee: "web" });
    await ok("web", "update_task", { task_id: id, status: "in_progress" });
    expect(await tasks()).toMatchObject([{ status: "in_progress", assignee: "web" }]);
  },
  "an update of nothing is refused": async ({ task, no }) =>
    no("web", "update_task", { task_id: await task() }, "nothing_to_update", "No valid fields"),
  "an update of a task that is not there is refused": ({ no }) =>
    no("web", "update_task", { task_id: "task-none", status: "done" }, "unknown_task", "task not found"),
  "a status that there is none of is refused, and the four are named": async ({ task, no }) =>
    no("lead", "update_task", { task_id: await task(), status: "blocked" }, "invalid_argument", "todo, in_progress, in_review, done"),
  "who is neither assignee nor maker may not change a task": async ({ task, no, tasks }) => {
    const id = await task({ assignee: "web" });
    await no("tests", "update_task", { task_id: id, status: "in_progress" }, "not_your_task", "permission denied");
    expect(await tasks()).toMatchObject([{ status: "todo" }]);
  },
  "its maker may move another's task, from todo to in_review too": async ({ task, ok, tasks }) => {
    await ok("lead", "update_task", { task_id: await task({ assignee: "web" }), status: "in_review" });
    expect(await tasks()).toMatchObject([{ status: "in_review", assignee: "web" }]);
  },
  "anybody may change a task that is nobody's": async ({ task, ok }) =>
    ok("tests", "update_task", { task_id: await task(), status: "in_progress" }),
  "a task can be handed over": async ({ task, ok, tasks }) => {
    await ok("lead", "update_task", { task_id: await task({ assignee: "web" }), assignee: "api" });
    expect(await tasks()).toMatchObject([{ assignee: "api", status: "todo" }]);
  },
  "status and assignee change together": async ({ task, ok, tasks }) => {
    await ok("lead", "update_task", { task_id: await task(), status: "in_review", assignee: "api" });
    expect(await tasks()).toMatchObject([{ assignee: "api", status: "in_review" }]);
  },
  "an update leaves title, text and dependencies as they were": async ({ task, ok, tasks }) => {
    const first = await task();
    const id = await task({ title: "Second", description: "text", depends_on: [first] });
    await ok("lead", "update_task", { task_id: id, assignee: "api" });
    const [found] = (await tasks({ include_description: true })).filter((each) => each.id === id);
    expect(found).toMatchObject({ title: "Second", description: "text", depends_on: [first] });
  },
  "the same update twice is no fault": async ({ task, ok }) => {
    const id = await task();
    for (let at = 0; at < 2; at += 1) await ok("lead", "update_task", { task_id: id, status: "done" });
  },
  "a task that is done goes back into review": async ({ task, ok, tasks }) => {
    const id = await task();
    for (const status of ["done", "in_review"]) await ok("lead", "update_task", { task_id: id, status });
    expect(await tasks()).toMatchObject([{ status: "in_review" }]);
  },
  "two updates at once both land": async ({ task, ok, tasks }) => {
    const id = await task();
    await Promise.all([
      ok("lead", "update_task", { task_id: id, status: "in_review" }),
      ok("lead", "update_task", { task_id: id, assignee: "api" }),
    ]);
    expect(await tasks()).toMatchObject([{ status: "in_review", assignee: "api" }]);
  },

  "everybody sees every task, whoever has it": async ({ task, tasks }) => {
    for (const assignee of ["web", "api"]) await task({ assignee });
    expect(await tasks()).toHaveLength(2);
  },
  "a board without tasks is an empty list": async ({ tasks }) => expect(await tasks()).toEqual([]),
  "tasks can be listed by status": async ({ task, ok, tasks }) => {
    await task({ title: "open" });
    await ok("tests", "update_task", { task_id: await task({ title: "over" }), status: "done" });
    expect((await tasks({ status: "done" })).map(title)).toEqual(["over"]);
  },
  "tasks can be listed by assignee": async ({ task, tasks }) => {
    for (const assignee of ["web", "api"]) await task({ title: `of ${assignee}`, assignee });
    expect((await tasks({ assignee: "web" })).map(title)).toEqual(["of web"]);
  },
  "tasks can be listed by assignee and status": async ({ task, ok, tasks }) => {
    await task({ title: "web, open", assignee: "web" });
    await ok("web", "update_task", { task_id: await task({ title: "web, over", assignee: "web" }), status: "done" });
    await task({ title: "api, open", assignee: "api" });
    expect((await tasks({ assignee: "web", status: "done" })).map(title)).toEqual(["web, over"]);
  },
  "a filter that nothing fits gives an empty list": async ({ task, tasks }) => {
    await task({ assignee: "web" });
    expect(await tasks({ assignee: "design" })).toEqual([]);
  },
  "a status to filter by that there is none of is refused": ({ no }) =>
    no("web", "get_all_tasks", { status: "open" }, "invalid_argument", "todo, in_progress, in_review, done"),
  "tasks are listed by priority, then age": async ({ task, tasks }) => {
    for (const [name, priority] of Object.entries({ a: "low", b: "critical", c: "medium", d: "critical", e: "high" }))
      await task({ title: name, priority });
    expect((await tasks()).map(title)).toEqual(["b", "d", "e", "c", "a"]);
  },
  "a list can be cut, and says how many there are": async ({ task, ok }) => {
    for (let at = 0; at < 3; at += 1) await task();
    expect(await ok("web", "get_all_tasks", { limit: 2 })).toMatchObject({ tasks: [{}, {}], total: 3 });
  },
  "what is ready leaves out what waits, and what is another's": async ({ task, tasks }) => {
    const first = await task({ title: "first" });
    await task({ title: "waits", depends_on: [first] });
    await task({ title: "another's", assignee: "web" });
    expect((await tasks({ ready: true })).map(title)).toEqual(["first"]);
  },
  "who reads only need not say who it is": ({ ok }) => ok(null, "get_all_tasks"),

  "a key made a task once: the same key answers that task": async ({ task, tasks }) => {
    const id = await task({ title: "once", idempotency_key: "k-1" });
    expect(await task({ title: "again", priority: "high", idempotency_key: "k-1" })).toBe(id);
    expect((await tasks()).map(title)).toEqual(["once"]);
  },
  "in another session the same key makes another task": async ({ task, other }) => {
    const id = await task({ idempotency_key: "k-1" });
    expect(await task({ idempotency_key: "k-1", session_id: await other("b") })).not.toBe(id);
  },
  "without a key two equal tasks are two": async ({ task }) => expect(await task()).not.toBe(await task()),
  "a key answers its task also once that was claimed": async ({ task, ok }) => {
    const id = await task({ idempotency_key: "k-1" });
    await ok("lead", "claim_task", { task_id: id });
    expect(await task({ idempotency_key: "k-1" })).toBe(id);
  },
  "a key goes before what it is derived from: a full parent does not matter": async ({ task }) => {
    const parent_task_id = await task();
    const first = await task({ parent_task_id, idempotency_key: "k-1" });
    for (let at = 0; at < 2; at += 1) await task({ parent_task_id });
    expect(await task({ parent_task_id, idempotency_key: "k-1" })).toBe(first);
  },
  "a key goes before dependencies: unknown ones do not matter": async ({ task }) => {
    const id = await task({ depends_on: [await task()], idempotency_key: "k-1" });
    expect(await task({ depends_on: ["task-none"], idempotency_key: "k-1" })).toBe(id);
  },
  "twenty calls at once with one key make one task": async ({ task, tasks }) => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => task({ idempotency_key: "k-1" })));
    expect(new Set(ids).size).toBe(1);
    expect(await tasks()).toHaveLength(1);
  },
  "a key may have 256 characters": ({ task }) => task({ idempotency_key: "k".repeat(256) }),
  "a key of 257 characters is refused, with the limit": ({ no }) =>
    no("lead", "create_task", { title: "t", idempotency_key: "k".repeat(257) }, "invalid_argument", "256"),

  "a task that stems from none has the depth 0 and no parent": async ({ task, tasks }) => {
    await task();
    expect(await tasks()).toMatchObject([{ depth: 0, parent_task_id: null, derived_reason: null }]);
  },
  "a derived task has the depth 1, its parent and the reason": async ({ task, tasks }) => {
    const parent = await task({ title: "parent" });
    const child = await task({ parent_task_id: parent, derived_reason: "the river was missing" });
    const found = (await tasks()).find(({ id }) => id === child);
    expect(found).toMatchObject({ depth: 1, parent_task_id: parent, derived_reason: "the river was missing" });
  },
  "a task derived from a derived one is refused": async ({ task, no }) => {
    const child = await task({ parent_task_id: await task() });
    await no("lead", "create_task", { title: "t", parent_task_id: child }, "derived_too_deep", "max derived task depth exceeded (1)");
  },
  "a fourth task derived from one is refused": async ({ task, no }) => {
    const parent_task_id = await task();
    for (let at = 0; at < 3; at += 1) await task({ parent_task_id });
    await no("lead", "create_task", { title: "t", parent_task_id }, "too_many_derived", "max derived siblings exceeded (3)");
  },
  "of four derived at once three are made": async ({ task, says }) => {
    const parent_task_id = await task();
    const made = await Promise.all(Array.from({ length: 4 }, () => says("lead", "create_task", { title: "t", parent_task_id })));
    expect(made.filter(({ success }) => success)).toHaveLength(3);
  },
  "a parent that is not there is refused": ({ no }) =>
    no("lead", "create_task", { title: "t", parent_task_id: "task-none" }, "unknown_parent_task", "parent task not found"),
  "a parent of another session is refused": async ({ task, no, other }) => {
    const parent_task_id = await task({ session_id: await other("b") });
    await no("lead", "create_task", { title: "t", parent_task_id }, "unknown_parent_task", "parent task not found");
  },
  "tasks that stem from none are as many as one likes": async ({ task, tasks }) => {
    for (let at = 0; at < 5; at += 1) await task();
    expect(await tasks()).toHaveLength(5);
  },
  "a reason may have 512 characters, and no more": async ({ task, no }) => {
    const parent_task_id = await task();
    await task({ parent_task_id, derived_reason: "x".repeat(512) });
    await no("lead", "create_task", { title: "t", parent_task_id, derived_reason: "x".repeat(513) }, "invalid_argument", "512");
  },

  "dependencies are kept": async ({ task, tasks }) => {
    const first = await task();
    const second = await task({ depends_on: [first] });
    expect((await tasks()).find(({ id }) => id === second)).toMatchObject({ depends_on: [first], blocked_by: [first] });
  },
  "an empty list of dependencies is none": async ({ task, tasks }) => {
    await task({ depends_on: [] });
    expect(await tasks()).toMatchObject([{ depends_on: [] }]);
  },
  "a dependency that is named twice is one": async ({ task, tasks }) => {
    const first = await task();
    const second = await task({ depends_on: [first, first] });
    expect((await tasks()).find(({ id }) => id === second)?.depends_on).toEqual([first]);
  },
  "dependencies that are not there are refused, each by its name": ({ no }) =>
    no(
      "lead",
      "create_task",
      { title: "t", depends_on: ["x1", "x2"] },
      "unknown_dependencies",
      "depends_on contains unknown task IDs: x1, x2",
    ),
  "a dependency of another session is refused": async ({ task, no, other }) => {
    const there = await task({ session_id: await other("b") });
    await no("lead", "create_task", { title: "t", depends_on: [there] }, "unknown_dependencies", there);
  },
  "33 dependencies are refused, with the limit": ({ no }) =>
    no("lead", "create_task", { title: "t", depends_on: Array.from({ length: 33 }, (_, at) => `x${at}`) }, "invalid_argument", "32"),
  "what is not done keeps from done what depends on it": async ({ task, no }) => {
    const id = await task({ depends_on: [await task()] });
    await no("lead", "update_task", { task_id: id, status: "done" }, "unmet_dependencies");
  },

  "a session has no end of tasks": differs("the size of a session", async ({ task, tasks }) => {
    await Promise.all(Array.from({ length: 40 }, () => task()));
    expect(await tasks()).toHaveLength(40);
  }),
  "after a restart the board is as it was": differs("a restarted server", async ({ task, ok, tasks, restart }) => {
    const id = await task({ title: "Survey", assignee: "web", depends_on: [await task()] });
    await ok("lead", "update_task", { task_id: id, assignee: "api" });
    const before = await tasks();
    await restart();
    expect(await tasks()).toEqual(before);
  }),
});
