/** Sessions, their summaries, the state of who leads, and what keeps sessions apart, as agents of the relay plugin know them. */
import { expect } from "vitest";
import { differs, play } from "../stage.ts";

play({
  "a summary is saved and read, as it was written": async ({ ok }) => {
    const summary = "The coast is drawn.\r\n\r\n- 바다\n---\n# end";
    await ok("lead", "save_session_summary", { session_id: "walk-1", summary });
    expect((await ok("lead", "get_session_summary", { session_id: "walk-1" })).summary).toBe(summary);
  },
  "a summary makes its session one of the list": async ({ ok }) => {
    await ok("lead", "save_session_summary", { session_id: "walk-2", summary: "s" });
    expect((await ok("lead", "list_sessions")).sessions).toContain("walk-2");
  },
  "the newest session is the first of the list": async ({ ok }) => {
    for (const session_id of ["walk-9", "walk-8"]) await ok("lead", "save_session_summary", { session_id, summary: "s" });
    const { sessions } = await ok("lead", "list_sessions");
    expect(sessions.indexOf("walk-8")).toBeLessThan(sessions.indexOf("walk-9"));
  },
  "a session that is open is one of the list, without a summary": async ({ ok, session }) => {
    const { sessions, details } = await ok("lead", "list_sessions");
    expect(sessions[0]).toBe(session);
    expect(details[0]).toMatchObject({ id: session, ended_at: null, has_summary: false });
  },
  "a summary that is saved again is the new one": async ({ ok }) => {
    for (const summary of ["first", "second"]) await ok("lead", "save_session_summary", { session_id: "walk-3", summary });
    expect((await ok("lead", "get_session_summary", { session_id: "walk-3" })).summary).toBe("second");
  },
  "a session id that leads out of the folder is refused when it is saved": ({ no }) =>
    no("lead", "save_session_summary", { session_id: "../up", summary: "s" }, "bad_session", "session id"),
  "a session id with blanks is refused": ({ no }) => no("lead", "save_session_summary", { session_id: "a b", summary: "s" }, "bad_session"),
  "a session id with a slash is refused": ({ no }) => no("lead", "start_session", { session_id: "a/b" }, "bad_session"),
  "a session id of dots is refused": ({ no }) => no("lead", "start_session", { session_id: ".." }, "bad_session"),
  "a session id of 129 characters is refused, with the limit": ({ no }) =>
    no("lead", "start_session", { session_id: "s".repeat(129) }, "bad_session", "128"),
  "a session id may have 128 characters": async ({ ok }) =>
    ok("lead", "save_session_summary", { session_id: "s".repeat(128), summary: "s" }),
  "the summary of a session that is not there is refused": ({ no }) =>
    no("lead", "get_session_summary", { session_id: "never" }, "unknown_session", "session not found"),
  "the summary of a session that has none is refused": ({ no, session }) =>
    no("lead", "get_session_summary", { session_id: session }, "unknown_session"),
  "a session id that leads out of the folder is refused when it is read": ({ no }) =>
    no("lead", "get_session_summary", { session_id: "../../etc/passwd" }, "bad_session"),
  "a summary without a session is refused": ({ no }) =>
    no("lead", "save_session_summary", { summary: "s" }, "invalid_argument", "session_id"),
  "a session without a summary cannot be saved": ({ no }) =>
    no("lead", "save_session_summary", { session_id: "walk-4" }, "invalid_argument", "summary"),
  "a summary of 131073 characters is refused, with the limit": ({ no }) =>
    no("lead", "save_session_summary", { session_id: "walk-5", summary: "x".repeat(131_073) }, "invalid_argument", "131072"),
  "whoever leads need not say who it is to save a summary": ({ ok }) =>
    ok(null, "save_session_summary", { session_id: "walk-6", summary: "s" }),

  "a session that was started is the current one": async ({ ok, session }) =>
    expect(await ok("lead", "get_server_info")).toMatchObject({ sessionId: session }),
  "a session that is started later is the current one from then on": async ({ ok, session }) => {
    await ok("lead", "start_session", { session_id: `${session}-later` });
    expect(await ok("lead", "get_server_info")).toMatchObject({ sessionId: `${session}-later` });
  },
  "a session without an id given has a new one, of letters, digits and dashes": async ({ ok }) => {
    const first = await ok("lead", "start_session");
    const second = await ok("lead", "start_session");
    expect(first.session_id).toMatch(/^\d{4}-\d{2}-\d{2}-[\w-]+$/);
    expect(second.session_id).not.toBe(first.session_id);
  },
  "a session id that is refused leaves the current one": async ({ ok, no, session }) => {
    await no("lead", "start_session", { session_id: "../up" }, "bad_session");
    expect(await ok("lead", "get_server_info")).toMatchObject({ sessionId: session });
  },
  "an earlier session is opened again with its tasks": async ({ ok, task, tasks, session }) => {
    const id = await task();
    await ok("lead", "start_session");
    expect(await tasks()).toEqual([]);
    await ok("lead", "start_session", { session_id: session });
    expect(await tasks()).toMatchObject([{ id }]);
  },
  "there is no address of a dashboard, and a port that is a number": differs("the address of a dashboard", async ({ ok }) =>
    expect(await ok("lead", "get_server_info")).toMatchObject({ dashboardUrl: null, dashboardAvailable: false, port: 0, instanceId: null }),
  ),

  "the state of who leads is read as it was saved": async ({ ok }) => {
    const state = '{"step": "plan", "left": ["a", "ü"]}\r\n';
    await ok("orchestrator", "save_orchestrator_state", { state });
    expect((await ok("orchestrator", "get_orchestrator_state")).state).toBe(state);
  },
  "where none was saved the state is null": async ({ ok }) => expect((await ok("orchestrator", "get_orchestrator_state")).state).toBeNull(),
  "the state of a session that is not there is null": async ({ ok }) =>
    expect((await ok("orchestrator", "get_orchestrator_state", { session_id: "never" })).state).toBeNull(),
  "a state that is saved again is the new one": async ({ ok }) => {
    for (const state of ['{"v":1}', '{"v":2}']) await ok("orchestrator", "save_orchestrator_state", { state });
    expect((await ok("orchestrator", "get_orchestrator_state")).state).toBe('{"v":2}');
  },
  "a state is its session's": async ({ ok, other }) => {
    await ok("orchestrator", "save_orchestrator_state", { state: "{}" });
    expect((await ok("orchestrator", "get_orchestrator_state", { session_id: await other("b") })).state).toBeNull();
  },
  "an empty state is one": async ({ ok }) => {
    await ok("orchestrator", "save_orchestrator_state", { state: "" });
    expect((await ok("orchestrator", "get_orchestrator_state")).state).toBe("");
  },
  "a state is text: an object is refused": ({ no }) =>
    no("orchestrator", "save_orchestrator_state", { state: { step: 1 } }, "invalid_argument", "expected a text"),
  "a state of 65537 characters is refused, with the limit": ({ no }) =>
    no("orchestrator", "save_orchestrator_state", { state: "x".repeat(65_537) }, "invalid_argument", "65536"),
  "a state is there after a restart": differs("a restarted server", async ({ ok, restart }) => {
    await ok("orchestrator", "save_orchestrator_state", { state: '{"step":"plan"}' });
    await restart();
    expect((await ok("orchestrator", "get_orchestrator_state")).state).toBe('{"step":"plan"}');
  }),

  "a message of one session is not in another": async ({ ok, mail, other }) => {
    const session_id = await other("b");
    await ok("lead", "send_message", { to: "web", content: "here" });
    expect(await mail("web", { session_id })).toEqual([]);
  },
  "a message to all is to all of its session": async ({ ok, mail, other }) => {
    const session_id = await other("b");
    await ok("lead", "send_message", { content: "here" });
    expect(await mail("web")).toEqual(["here"]);
    expect(await mail("web", { session_id })).toEqual([]);
  },
  "agents of one name in two sessions have each their own mail": async ({ ok, mail, other }) => {
    const session_id = await other("b");
    await ok("web", "send_message", { to: "api", content: "here" });
    await ok("web", "send_message", { to: "api", content: "there", session_id });
    expect(await mail("api")).toEqual(["here"]);
    expect(await mail("api", { session_id })).toEqual(["there"]);
  },
  "tasks of an assignee are those of its session": async ({ task, tasks, other }) => {
    await task({ assignee: "web" });
    expect(await tasks({ assignee: "web", session_id: await other("b") })).toEqual([]);
  },
  "each session has its own tasks": async ({ task, tasks, other }) => {
    const session_id = await other("b");
    await task({ title: "here" });
    await task({ title: "there", session_id });
    expect(await tasks()).toMatchObject([{ title: "here" }]);
    expect(await tasks({ session_id })).toMatchObject([{ title: "there" }]);
  },
  "the number of tasks is that of the session": async ({ task, ok, other }) => {
    for (let at = 0; at < 2; at += 1) await task();
    expect(await ok("lead", "get_all_tasks")).toMatchObject({ total: 2 });
    expect(await ok("lead", "get_all_tasks", { session_id: await other("b") })).toMatchObject({ total: 0 });
  },
  "a task of another session cannot be changed": async ({ task, no, tasks, other }) => {
    const task_id = await task({ assignee: "web" });
    await no("web", "update_task", { task_id, status: "done", session_id: await other("b") }, "unknown_task");
    expect(await tasks()).toMatchObject([{ status: "todo" }]);
  },
  "artifacts of one name in two sessions are two": async ({ artifact, ok, other }) => {
    const session_id = await other("b");
    await artifact({ content: "here" });
    await artifact({ content: "there", session_id });
    expect((await ok("web", "get_artifact", { name: "map" })).artifact).toMatchObject({ content: "here", version: 1 });
    expect((await ok("web", "get_artifact", { name: "map", session_id })).artifact).toMatchObject({ content: "there", version: 1 });
  },
  "in a refusal a session that is not there is named": async ({ says }) =>
    expect(await says("web", "claim_task", { task_id: "task-none", session_id: "case-nonesuch" })).toMatchObject({
      success: false,
      warning: expect.stringContaining("there is no session case-nonesuch"),
    }),
});
