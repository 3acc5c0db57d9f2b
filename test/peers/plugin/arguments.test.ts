/** Arguments as programs fill them in: empty, null, of another type, too many. Each is taken, or refused with a clear word. */
import { expect } from "vitest";
import { type Case, differs, play, type Scene } from "../stage.ts";

/** A tool, and how it is called well. */
const WELL: Record<string, (scene: Scene) => Promise<Record<string, unknown>>> = {
  get_server_info: async () => ({}),
  start_session: async ({ session }) => ({ session_id: session }),
  list_sessions: async () => ({}),
  save_session_summary: async ({ session }) => ({ session_id: session, summary: "s" }),
  get_session_summary: async ({ ok, session }) => {
    await ok("lead", "save_session_summary", { session_id: session, summary: "s" });
    return { session_id: session };
  },
  create_task: async () => ({ title: "t", priority: "low" }),
  claim_task: async ({ task }) => ({ task_id: await task() }),
  update_task: async ({ task }) => ({ task_id: await task(), status: "in_review" }),
  release_task: async ({ task, ok }) => {
    const task_id = await task();
    await ok("web", "claim_task", { task_id });
    return { task_id };
  },
  get_all_tasks: async () => ({}),
  send_message: async () => ({ content: "c" }),
  get_messages: async () => ({}),
  post_artifact: async () => ({ name: "map", type: "pr", content: "c" }),
  get_artifact: async ({ artifact }) => {
    await artifact();
    return { name: "map" };
  },
  request_review: async ({ artifact }) => ({ artifact_id: await artifact({}, "api"), reviewer: "tests" }),
  submit_review: async ({ artifact, ok }) => {
    const artifact_id = await artifact({}, "api");
    const { review_id } = await ok("api", "request_review", { artifact_id, reviewer: "web" });
    return { review_id, status: "approved" };
  },
  list_reviews: async () => ({}),
  read_memory: async () => ({}),
  write_memory: async () => ({ key: "k", content: "c" }),
  append_memory: async () => ({ content: "c" }),
  save_orchestrator_state: async () => ({ state: "{}" }),
  get_orchestrator_state: async () => ({}),
  broadcast_thinking: async () => ({ content: "c" }),
  list_agents: async () => ({}),
  list_pool_agents: async ({ write }) => {
    write("pool", "agents:\n  lead: { name: L, emoji: l, tools: [], systemPrompt: p }\n");
    return {};
  },
  end_session: async () => ({}),
};

/** Optional arguments of each tool, beside who calls and the session. */
const OPTIONAL: Record<string, string[]> = {
  create_task: ["description", "assignee", "priority", "depends_on", "idempotency_key", "parent_task_id", "derived_reason"],
  claim_task: ["lease_s"],
  update_task: ["assignee", "fence"],
  release_task: ["fence"],
  get_all_tasks: ["assignee", "status", "include_description", "ready", "limit"],
  send_message: ["thread_id", "metadata"],
  get_messages: ["after_seq", "limit"],
  post_artifact: ["task_id"],
  get_artifact: ["version"],
  submit_review: ["comments"],
  list_reviews: ["open", "reviewer"],
  end_session: ["summary", "force", "template"],
};
/** Arguments without which a tool cannot be called. */
const REQUIRED: Record<string, string[]> = {
  create_task: ["title"],
  claim_task: ["task_id"],
  update_task: ["task_id"],
  release_task: ["task_id"],
  send_message: ["content"],
  post_artifact: ["name", "type", "content"],
  get_artifact: ["name"],
  request_review: ["artifact_id", "reviewer"],
  submit_review: ["review_id", "status"],
  write_memory: ["key", "content"],
  append_memory: ["content"],
  save_session_summary: ["session_id", "summary"],
  get_session_summary: ["session_id"],
  save_orchestrator_state: ["state"],
  broadcast_thinking: ["content"],
};
const each = (of: Record<string, string[]>, row: (tool: string, argument: string) => [string, Case]): Record<string, Case> =>
  Object.fromEntries(Object.entries(of).flatMap(([tool, names]) => names.map((name) => row(tool, name))));
const all = (row: (tool: string) => [string, Case]): Record<string, Case> => Object.fromEntries(Object.keys(WELL).map(row));
/** Calls a tool well, but for some arguments. */
const but = async (scene: Scene, tool: string, args: Record<string, unknown>) =>
  scene.says("web", tool, { ...(await WELL[tool]?.(scene)), ...args });

play({
  ...all((tool) => [`${tool} is called well`, async (scene) => expect(await but(scene, tool, {})).toMatchObject({ success: true })]),
  ...each(OPTIONAL, (tool, name) => [
    `${tool}: ${name} of null was not given`,
    async (scene) => expect(await but(scene, tool, { [name]: null })).toMatchObject({ success: true }),
  ]),
  ...each(OPTIONAL, (tool, name) => [
    `${tool}: an empty ${name} was not given`,
    async (scene) => expect(await but(scene, tool, { [name]: "" })).toMatchObject({ success: true }),
  ]),
  ...each(REQUIRED, (tool, name) => [
    `${tool} without ${name} is refused, and says that it is required`,
    async (scene) => {
      const answer = await but(scene, tool, { [name]: undefined });
      expect(answer).toMatchObject({ success: false, code: "invalid_argument", error: expect.stringContaining(name) });
      expect(answer.error).toContain("required");
    },
  ]),
  ...each(REQUIRED, (tool, name) => [
    `${tool}: a ${name} that is a map is refused, and says what was expected`,
    async (scene) => {
      const answer = await but(scene, tool, { [name]: { a: 1 } });
      expect(answer).toMatchObject({ success: false, code: "invalid_argument", error: expect.stringMatching(`^${name}: expected `) });
    },
  ]),
  ...all((tool) => [
    `${tool}: an empty session is the current one, where it may be left out`,
    async (scene) => {
      const isAsked = tool === "save_session_summary" || tool === "get_session_summary";
      const answer = await but(scene, tool, { session_id: "" });
      expect(answer).toMatchObject(isAsked ? { success: false, code: "bad_session" } : { success: true });
    },
  ]),
  ...all((tool) => [
    `${tool}: a session that is a number is refused as such`,
    async (scene) => {
      const answer = await but(scene, tool, { session_id: 7 });
      expect(answer).toMatchObject({
        success: false,
        code: "invalid_argument",
        error: expect.stringMatching(/^session_id: expected .*given 7/),
      });
    },
  ]),
  ...all((tool) => [
    `${tool}: an argument that there is none of is refused, and those that there are are named`,
    differs("an unknown argument", async (scene) => {
      const answer = await but(scene, tool, { frobnicate: 1 });
      expect(answer).toMatchObject({ success: false, code: "unknown_argument", error: expect.stringContaining("session_id") });
    }),
  ]),
  ...all((tool) => [
    `${tool}: an agent_id that can be nobody's is refused`,
    async (scene) => expect(await but(scene, tool, { agent_id: "../up" })).toMatchObject({ success: false, code: "bad_part" }),
  ]),
  "an empty agent_id says no more than none": async ({ no, ok }) => {
    await no("", "create_task", { title: "t" }, "who_are_you", "agent_id");
    expect(await ok("", "get_all_tasks")).toMatchObject({ tasks: [] });
  },
  "a priority that is empty is the middle one": async ({ ok, tasks }) => {
    await ok("lead", "create_task", { title: "t", priority: "" });
    expect(await tasks()).toMatchObject([{ priority: "medium" }]);
  },
  "an empty assignee is nobody": async ({ task, tasks }) => {
    await task({ assignee: "" });
    expect(await tasks({ assignee: "" })).toMatchObject([{ assignee: null }]);
  },
  "an empty key makes a task each time": async ({ task }) =>
    expect(await task({ idempotency_key: "" })).not.toBe(await task({ idempotency_key: "" })),
  "an empty status and an empty assignee are nothing to change": async ({ task, no }) =>
    no("lead", "update_task", { task_id: await task(), status: "", assignee: "" }, "nothing_to_update"),
  "a dependency without a name is refused, and is seen in the words": ({ no }) =>
    no("lead", "create_task", { title: "t", depends_on: ["", " "] }, "unknown_dependencies", 'unknown task IDs: "", " "'),
  "one dependency may stand without its list": async ({ task, tasks }) => {
    const first = await task();
    const second = await task({ depends_on: first });
    expect((await tasks()).find(({ id }) => id === second)?.depends_on).toEqual([first]);
  },
  "a number as text is refused, and the number is asked for": ({ no }) =>
    no("web", "get_messages", { after_seq: "7" }, "invalid_argument", "expected a number"),
  "a number with a fraction is refused": ({ no }) => no("web", "get_messages", { limit: 1.5 }, "invalid_argument", "whole number"),
  "a yes as text is refused": ({ no }) => no("web", "get_all_tasks", { ready: "true" }, "invalid_argument", "expected true or false"),
  "metadata that is no map is refused": ({ no }) =>
    no("web", "send_message", { content: "c", metadata: "m" }, "invalid_argument", "expected an object"),
  "a list of something else than texts is refused, with its place": ({ no }) =>
    no("web", "create_task", { title: "t", depends_on: [7] }, "invalid_argument", "depends_on.0"),
  "names of arguments may be written in the other style": async ({ ok, tasks, task }) => {
    const first = await task();
    await ok("lead", "create_task", { title: "t", dependsOn: [first], idempotencyKey: "k" });
    expect(await tasks()).toHaveLength(2);
  },
  "an argument in both styles is refused": ({ no }) =>
    no("lead", "create_task", { title: "t", depends_on: [], dependsOn: [] }, "invalid_argument", "once"),
});
