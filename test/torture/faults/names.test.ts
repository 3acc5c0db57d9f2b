/** Names that are paths, devices, twins or too long: refused before a path is built, for every id of every operation. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AnyOperation, operationList, operations, perform, Refusal } from "../../../protocol/index.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { held, scratch, tree } from "../../rig/scratch.ts";

const NAMES = [
  ...["..", "../web", "../../etc/passwd", "/etc/passwd", "a\\b", "..\\web", ".git", ".", "CON", "nul", "com1/x", "x.", "x ", " web"],
  ...[
    "web/",
    "web//x",
    "a/b/c/d",
    "x".repeat(256),
    "we\u0301b",
    "w\u00e9b",
    "web\0",
    "web\n",
    "%2e%2e",
    "~",
    "$(touch owned)",
    "new",
    "read/x",
    "*/..",
  ],
];

/** What ids can name: a message of a thread, and a session with a task, an artifact and a review. */
interface Laid {
  threadId: string;
  messageId: string;
  task: string;
  artifact: string;
  review: string;
}

async function lay(folder: string): Promise<Laid> {
  const world = worldAt(folder, { part: "web", random: held().random });
  const { threadId, messageId } = await perform(world, operations.send, { to: ["api"], subject: "s", body: "b" });
  const { task_id: task } = await perform(world, operations.create_task, { title: "t" });
  const { artifact_id: artifact } = await perform(world, operations.post_artifact, { name: "n", type: "pr", content: "c" });
  const { review_id: review } = await perform(world, operations.request_review, { artifact_id: artifact, reviewer: "api" });
  // Whoever calls lives here from then on: that is noted before the calls that must change nothing.
  await perform(worldAt(folder), operations.roster, { agent_id: "api" });
  return { threadId, messageId, task, artifact, review };
}

/** Operations with their arguments that are ids, which need no other to come as far as looking at them. */
const SIMPLE = `
  init parts main; inbox agent_id; ack messageIds messageId threadId agent_id; threads agent_id part; roster agent_id; whoami agent_id;
  status agent_id; part_add part; part_remove part; part_set_main part; part_here part; list_agents agent_id session_id;
  list_pool_agents agent_id; trust accept session_id; get_server_info agent_id; start_session agent_id session_id;
  list_sessions agent_id; end_session agent_id session_id; get_all_tasks agent_id session_id assignee;
  get_messages agent_id session_id; list_artifacts agent_id session_id; show_review agent_id session_id review_id; list_reviews agent_id session_id reviewer;
  read_memory agent_id; get_orchestrator_state agent_id session_id; notify_remove name; notify_test name; wakes part; usage part;
  archive threadIds; undo commit; forget messageId; office_add name; trust_office digest; office_show position;
  office_log context; office_conversation conversation; office_stop context; office_close context_id; office_read context_id;
  reopen_session agent_id session_id; part_list; doctor; team_suggest; notify_list; check; record; sync; clone; log; stats;
  usage_collect; config_show; config_accept; config_restore; office_init; office_import; office_check; office_prune;
  office_tree; office_members`;
/** The same of those that need others. */
const IDS: Record<string, [ids: string, rest?: (laid: Laid) => Record<string, unknown>]> = {
  ...Object.fromEntries(
    SIMPLE.split(";")
      .map((line) => line.trim().split(" "))
      .map(([name, ...ids]) => [name, [ids.join(" ")]]),
  ),
  send: ["to agent_id", () => ({ to: ["api"], subject: "s", body: "b" })],
  reply: ["threadId to agent_id", ({ threadId }) => ({ threadId, body: "b" })],
  show: ["threadId agent_id", ({ threadId }) => ({ threadId })],
  search: ["thread part", () => ({ query: "x" })],
  wait: ["agent_id", () => ({ timeoutSeconds: 0 })],
  next: ["agent_id", () => ({})],
  submit_task: ["agent_id session_id task_id", ({ task }) => ({ task_id: task })],
  close: ["threadId agent_id", ({ threadId }) => ({ threadId })],
  reopen: ["threadId agent_id", ({ threadId }) => ({ threadId })],
  event: ["agent_id", () => ({ type: "x" })],
  part_rename: ["from to", () => ({ from: "web", to: "store" })],
  team_write: ["agent_id agents session_id", () => ({ agents: ["web"] })],
  save_session_summary: ["agent_id session_id", () => ({ session_id: "s-1", summary: "s" })],
  get_session_summary: ["agent_id session_id", () => ({ session_id: "s-1" })],
  apply_plan: ["agent_id session_id", () => ({ plan: "tasks: [{ key: k, title: t }]" })],
  create_task: ["agent_id session_id assignee reviewer depends_on parent_task_id", () => ({ title: "t" })],
  claim_task: ["agent_id session_id task_id", ({ task }) => ({ task_id: task })],
  update_task: ["agent_id session_id task_id assignee reviewer", ({ task }) => ({ task_id: task, assignee: "web" })],
  release_task: ["agent_id session_id task_id to", ({ task }) => ({ task_id: task })],
  show_task: ["agent_id session_id task_id", ({ task }) => ({ task_id: task })],
  send_message: ["agent_id session_id to", () => ({ content: "c" })],
  post_artifact: ["agent_id session_id task_id", () => ({ name: "n", type: "pr", content: "c" })],
  get_artifact: ["agent_id session_id name", () => ({ name: "n" })],
  request_review: ["agent_id session_id artifact_id reviewer", ({ artifact }) => ({ artifact_id: artifact, reviewer: "api" })],
  submit_review: ["agent_id session_id review_id", ({ review }) => ({ review_id: review, status: "approved", agent_id: "api" })],
  withdraw_review: ["agent_id session_id review_id", ({ review }) => ({ review_id: review })],
  write_memory: ["agent_id", () => ({ key: "k", content: "c" })],
  append_memory: ["agent_id", () => ({ content: "c" })],
  save_orchestrator_state: ["agent_id session_id", () => ({ state: "s" })],
  broadcast_thinking: ["agent_id session_id", () => ({ content: "c" })],
  setup: ["agent", () => ({ yes: true })],
  part_deliver: ["part", () => ({ deliver: "none" })],
  notify_add: ["name", () => ({ argv: ["true"] })],
  wake_lease: ["part", () => ({ rung: "hook" })],
  wake_commit: ["part wakeId", () => ({ part: "web", wakeId: "w-k3f9x2ab" })],
  wake_renew: ["part wakeId", () => ({ part: "web", wakeId: "w-k3f9x2ab" })],
  wake_report: ["part wakeId", () => ({ part: "web", wakeId: "w-k3f9x2ab", outcome: "typed" })],
  diff: ["from to path", () => ({ from: "HEAD" })],
  office_runner: ["program", () => ({ argv: ["true"] })],
  office_start: ["to", () => ({ goal: "x", detach: true })],
  office_send: ["member context_id", () => ({ message: "x", member: "om", wait: false })],
  office_ask: ["question", () => ({ wait_s: 0 })],
};

/** Arguments that are lists, but where an operation says otherwise. */
const LISTS = ["parts", "to", "messageIds", "threadIds", "agents", "accept", "depends_on"];
const ALONE: Record<string, string[]> = { part_rename: ["to"], send_message: ["to"], release_task: ["to"] };
/** Names that only a part may not have: the folders of an inbox. */
const SESSION_NAMES = ["new"];

test("every id of every operation is refused, and nothing changes", async () => {
  const folder = await homeWith("web", "api");
  const laid = await lay(folder);
  const empty = scratch();
  const before = [tree(folder), tree(empty), tree(path.dirname(folder), /^project/)];
  for (const operation of operationList as readonly AnyOperation[]) {
    const { name } = operation;
    const known = IDS[name];
    expect(known, `the ids of ${name} are known to this test`).toBeDefined();
    const [ids = "", rest] = known ?? [];
    for (const argument of ids.split(" ").filter((each) => each !== ""))
      for (const id of NAMES) {
        if ((argument === "session_id" || name.startsWith("notify_")) && SESSION_NAMES.includes(id)) continue;
        // No id has a space: it is the title of a new session.
        if (name === "start_session" && argument === "session_id" && id.trim().includes(" ")) continue;
        const list = LISTS.includes(argument) && ALONE[name]?.includes(argument) !== true;
        const identity = operation.identity === "none" ? {} : { agent_id: "web" };
        const input = { ...identity, ...rest?.(laid), [argument]: list ? [id] : id };
        const error = await perform(worldAt(name === "init" ? empty : folder), operation, input).then(
          () => null,
          (thrown) => thrown,
        );
        expect(error, `${name} ${argument} = ${JSON.stringify(id)}`).toBeInstanceOf(Refusal);
        expect(["internal", "disk_error"], `${name} ${argument} = ${JSON.stringify(id)}`).not.toContain((error as Refusal).code);
      }
    expect([tree(folder), tree(empty), tree(path.dirname(folder), /^project/)], name).toEqual(before);
  }
  expect(fs.existsSync("owned")).toBe(false);
});

test("twins in case are refused wherever a new id is made", async () => {
  const folder = await homeWith("web", "shop/api");
  const world = worldAt(folder);
  const calls: [AnyOperation, Record<string, unknown>][] = [
    [operations.send, { to: ["main"], subject: "s", body: "b" }],
    [operations.send_message, { content: "c" }],
    [operations.create_task, { title: "t" }],
    [operations.post_artifact, { name: "n", type: "pr", content: "c" }],
    [operations.start_session, {}],
    [operations.save_orchestrator_state, { state: "s" }],
    [operations.write_memory, { key: "k", content: "c" }],
    [operations.append_memory, { content: "c" }],
  ];
  const before = tree(folder);
  for (const part of ["WEB", "Shop/api", "shop/API", "Main", "HUMAN"]) {
    await expect(perform(world, operations.part_add, { part }), part).rejects.toMatchObject({ code: "part_exists" });
    await expect(
      perform(world, operations.part_rename, { from: "shop/api", to: part === "Shop/api" || part === "shop/API" ? "MAIN" : part }),
      part,
    ).rejects.toBeInstanceOf(Refusal);
    for (const [operation, input] of calls) {
      const called = perform(world, operation, { ...input, agent_id: part });
      await expect(called, `${part} ${operation.name}`).rejects.toMatchObject({ code: "part_exists" });
    }
  }
  expect(tree(folder)).toEqual(before);
});

test("twins in case of a session are refused, and begin nothing", async () => {
  const folder = await homeWith("web");
  const world = worldAt(folder, { part: "web" });
  await perform(world, operations.start_session, { session_id: "Sprint-1" });
  const before = tree(folder);
  const twin = { session_id: "sprint-1" };
  for (const [operation, input] of [
    [operations.start_session, {}],
    [operations.save_session_summary, { summary: "s" }],
    [operations.create_task, { title: "t" }],
    [operations.send_message, { content: "c" }],
    [operations.post_artifact, { name: "n", type: "pr", content: "c" }],
    [operations.save_orchestrator_state, { state: "s" }],
  ] as [AnyOperation, Record<string, unknown>][]) {
    await expect(perform(world, operation, { ...input, ...twin }), operation.name).rejects.toMatchObject({
      code: "bad_session",
      message: expect.stringContaining('"Sprint-1"'),
    });
  }
  expect(tree(folder)).toEqual(before);
});

test("a refused call begins no session and makes no guest", async () => {
  const folder = await homeWith("web");
  const before = tree(folder);
  for (const [name, input] of [
    ["create_task", { title: "t", depends_on: ["task-0000000000"] }],
    ["create_task", { title: "t", parent_task_id: "task-0000000000", idempotency_key: "k" }],
    ["create_task", { title: "t", assignee: "a b" }],
    ["claim_task", { task_id: "task-0000000000" }],
    ["update_task", { task_id: "task-0000000000", status: "done" }],
    ["release_task", { task_id: "task-0000000000" }],
    ["send", { to: ["nobody"], subject: "s", body: "b" }],
    ["send_message", { content: "c", to: "nobody" }],
    ["post_artifact", { name: "n", type: "pr", content: "c", task_id: "task-0000000000" }],
    ["request_review", { artifact_id: "artifact-000000000000-1", reviewer: "web" }],
    ["submit_review", { review_id: "review-0000000000", status: "approved" }],
    ["team_write", { agents: ["nobody"] }],
    ["end_session", {}],
  ] as const) {
    const called = perform(worldAt(folder), operations[name] as AnyOperation, { ...input, agent_id: "visitor" });
    await expect(called, name).rejects.toBeInstanceOf(Refusal);
    expect(tree(folder), name).toEqual(before);
  }
});

test("keys of objects that are not data are refused as arguments", async () => {
  const folder = await homeWith("web");
  for (const text of ['{"__proto__":{"agent_id":"web"},"unknown":1}', '{"constructor":1}', '{"toString":"x"}']) {
    await expect(perform(worldAt(folder), operations.roster, JSON.parse(text)), text).rejects.toMatchObject({ code: "unknown_argument" });
  }
});
