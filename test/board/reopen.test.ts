/** A session that has ended is opened again, ends again, and comes to the same in every clone. */
import { describe, expect, it } from "vitest";
import { sessionTurn, turnOf } from "../../protocol/board/nouns/session.ts";
import { EXIT } from "../../protocol/core/refusal.ts";
import { type Answer, act, cloneOf, shared, shop } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { connect, relay } from "../rig/processes.ts";

const stateOf = async (cwd: string, id: string): Promise<string | null> =>
  (await act(cwd, "main", "list_sessions")).details.find((each: Answer) => each.id === id).ended_at;

describe("opening a session again", () => {
  it("brings its board back, and can be done after each end", async () => {
    const folder = await homeWith("web");
    const { session_id: id } = await act(folder, "main", "start_session");
    await act(folder, "main", "create_task", { title: "Parser" });
    for (const turn of [1, 2, 3]) {
      expect(await act(folder, "main", "end_session", { session_id: id })).toMatchObject({ ended: true });
      expect(await stateOf(folder, id), String(turn)).toBeTypeOf("string");
      expect((await act(folder, "main", "get_all_tasks")).warning).toContain("no session is open");
      expect(await act(folder, "web", "reopen_session", { session_id: id })).toEqual({ session_id: id, reopened: true });
      expect(await stateOf(folder, id)).toBeNull();
      expect((await act(folder, "main", "get_all_tasks")).tasks).toHaveLength(1);
    }
    expect(await act(folder, "web", "reopen_session", { session_id: id })).toEqual({ session_id: id, reopened: false });
    expect(await act(folder, undefined, "doctor")).toMatchObject({ ok: true });
    expect((await relay(folder, ["session", "reopen", "2026-01-31-001-NONE"])).code).toBe(EXIT.notFound);
  });

  it("comes to the same where one clone opens it and another ends another time", async () => {
    const { hub, code } = await shop("web");
    const { session_id: id } = await act(code, "main", "start_session");
    await act(code, "main", "end_session");
    await act(code, undefined, "sync");
    const other = await cloneOf(hub);
    await act(code, "main", "reopen_session", { session_id: id });
    await act(other, "web", "reopen_session", { session_id: id });
    await act(other, "web", "end_session", { session_id: id });
    for (const clone of [code, other, code, other]) await act(clone, undefined, "sync");
    expect(shared(code)).toEqual(shared(other));
    expect(await stateOf(code, id)).toBeTypeOf("string");
    expect(await stateOf(other, id)).toBeTypeOf("string");
  });

  it("takes no new work after its end, and what was begun before is finished or given back with a word on it", async () => {
    const folder = await homeWith("web");
    const { session_id: id } = await act(folder, "main", "start_session");
    const tasks: string[] = [];
    for (const title of ["Held", "Held too", "Free"]) tasks.push((await act(folder, "main", "create_task", { title })).task_id);
    const [held, back, free] = tasks as [string, string, string];
    for (const task_id of [held, back]) await act(folder, "web", "claim_task", { task_id });
    await act(folder, "main", "end_session", { force: true });
    const named = { session_id: id };
    for (const [verb, input] of [
      ["claim_task", { task_id: free }],
      ["update_task", { task_id: free, status: "in_progress" }],
      ["create_task", { title: "New" }],
    ] as const) {
      await expect(act(folder, "web", verb, { ...input, ...named })).rejects.toMatchObject({ code: "session_ended", exit: EXIT.refused });
    }
    const said = { warning: expect.stringMatching(`^session ${id} ended at .*, by main; to reopen it: relay session reopen ${id}`) };
    expect(await act(folder, "web", "update_task", { task_id: held, status: "done", fence: 1, ...named })).toMatchObject({
      status: "done",
      ...said,
    });
    expect(await act(folder, "web", "release_task", { task_id: back, ...named })).toMatchObject({ status: "todo", ...said });
    const typed = await relay(folder, ["task", "claim", free, "--part", "web"]);
    expect(typed).toMatchObject({ code: EXIT.notFound, stdout: "" });
    expect(typed.stderr).toContain(
      `is a task of session ${id}, which is not the session that is open now. Name it: add \`--session ${id}\` to the command.`,
    );
    const refused = await relay(folder, ["task", "claim", free, "--part", "web", "--session", id]);
    expect(refused.stderr).toMatch(
      new RegExp(`ended at \\d{4}-.*Nothing was written\\. To reopen it: \`relay session reopen ${id}\`\\.\n$`),
    );
    await act(folder, "main", "reopen_session", named);
    expect(await act(folder, "web", "claim_task", { task_id: free })).not.toHaveProperty("warning");
  });

  it("takes new work over a connection that started it again by its id", async () => {
    const folder = await homeWith("web");
    const { session_id } = await act(folder, "main", "start_session");
    await act(folder, "main", "end_session");
    const agent = await connect(folder, { args: ["--part", "web"] });
    expect(await agent.call("create_task", { title: "New", session_id })).toMatchObject({ success: false, code: "session_ended" });
    expect(await agent.call("start_session", { session_id })).toMatchObject({ warning: expect.stringContaining("ended") });
    const { task_id } = await agent.call("create_task", { title: "New" });
    expect(await agent.call("claim_task", { task_id })).toMatchObject({ claimed: true });
    await agent.call("end_session", { force: true });
    expect(await agent.call("create_task", { title: "New", session_id })).toMatchObject({ success: false, code: "session_ended" });
    await agent.close();
  });

  it("says which session commands use, where another with work is open too", async () => {
    const folder = await homeWith("web");
    const { session_id: first } = await act(folder, "main", "start_session");
    await act(folder, "main", "create_task", { title: "New" });
    const { session_id: second, warning } = await act(folder, "main", "start_session");
    expect(warning).toBe(
      `session ${first} is open too, with 1 task not done; commands work in the new session now. To go on in that one: --session ${first}, or RELAY_SESSION_ID=${first}`,
    );
    await act(folder, "main", "end_session", { session_id: first });
    expect(await act(folder, "main", "reopen_session", { session_id: first })).toEqual({
      session_id: first,
      reopened: true,
      warning: expect.stringContaining(`commands go on in session ${second}`),
    });
  });

  it("takes no file out of turn for an end or an opening", () => {
    const turn = (...names: string[]): unknown => sessionTurn("s", (path) => names.includes(path.slice("sessions/s/".length)));
    expect(turn()).toEqual({ ended: false, turn: 1 });
    expect(turn("reopened.md", "ended-2.md", "ended-999.md")).toEqual({ ended: false, turn: 1 });
    expect(turn("ended.md", "reopened-2.md")).toEqual({ ended: true, turn: 1 });
    expect(turn("ended.md", "reopened.md", "ended-3.md")).toEqual({ ended: false, turn: 2 });
    expect(turn("ended.md", "reopened.md", "ended-2.md")).toEqual({ ended: true, turn: 2 });
    for (const name of ["ended-1.md", "ended-01.md", "ended-10000000.md", "ended-.md", "ended--2.md", "Ended.md"])
      expect(turnOf(name)).toBeNull();
  });
});
