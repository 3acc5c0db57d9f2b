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

/** The arguments that are ids, and what else a call needs to come as far as looking at them. */
const IDS: Record<string, { arguments: string[]; rest: (laid: Laid) => Record<string, unknown> }> = {
  init: { arguments: ["parts", "main"], rest: () => ({}) },
  send: { arguments: ["to", "agent_id"], rest: () => ({ to: ["api"], subject: "s", body: "b" }) },
  reply: { arguments: ["threadId", "to", "agent_id"], rest: ({ threadId }) => ({ threadId, body: "b" }) },
  inbox: { arguments: ["agent_id"], rest: () => ({}) },
  ack: { arguments: ["messageIds", "messageId", "threadId", "agent_id"], rest: () => ({}) },
  show: { arguments: ["threadId", "agent_id"], rest: ({ threadId }) => ({ threadId }) },
  threads: { arguments: ["agent_id", "part"], rest: () => ({}) },
  search: { arguments: ["thread", "part"], rest: () => ({ query: "x" }) },
  roster: { arguments: ["agent_id"], rest: () => ({}) },
  whoami: { arguments: ["agent_id"], rest: () => ({}) },
  wait: { arguments: ["agent_id"], rest: () => ({ timeoutSeconds: 0 }) },
  close: { arguments: ["threadId", "agent_id"], rest: ({ threadId }) => ({ threadId }) },
  reopen: { arguments: ["threadId", "agent_id"], rest: ({ threadId }) => ({ threadId }) },
  event: { arguments: ["agent_id"], rest: () => ({ type: "x" }) },
  status: { arguments: ["agent_id"], rest: () => ({}) },
  part_add: { arguments: ["part"], rest: () => ({}) },
  part_rename: { arguments: ["from", "to"], rest: () => ({ from: "web", to: "store" }) },
  part_remove: { arguments: ["part"], rest: () => ({}) },
  part_set_main: { arguments: ["part"], rest: () => ({}) },
  part_here: { arguments: ["part"], rest: () => ({}) },
  part_list: { arguments: [], rest: () => ({}) },
  doctor: { arguments: [], rest: () => ({}) },
  list_agents: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
  list_pool_agents: { arguments: ["agent_id"], rest: () => ({}) },
  team_suggest: { arguments: [], rest: () => ({}) },
  team_write: { arguments: ["agent_id", "agents", "session_id"], rest: () => ({ agents: ["web"] }) },
  trust: { arguments: ["accept", "session_id"], rest: () => ({}) },
  get_server_info: { arguments: ["agent_id"], rest: () => ({}) },
  start_session: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
  list_sessions: { arguments: ["agent_id"], rest: () => ({}) },
  end_session: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
  save_session_summary: { arguments: ["agent_id", "session_id"], rest: () => ({ session_id: "s-1", summary: "s" }) },
  get_session_summary: { arguments: ["agent_id", "session_id"], rest: () => ({ session_id: "s-1" }) },
  create_task: {
    arguments: ["agent_id", "session_id", "assignee", "depends_on", "parent_task_id"],
    rest: () => ({ title: "t" }),
  },
  claim_task: { arguments: ["agent_id", "session_id", "task_id"], rest: ({ task }) => ({ task_id: task }) },
  update_task: {
    arguments: ["agent_id", "session_id", "task_id", "assignee"],
    rest: ({ task }) => ({ task_id: task, assignee: "web" }),
  },
  release_task: { arguments: ["agent_id", "session_id", "task_id", "to"], rest: ({ task }) => ({ task_id: task }) },
  get_all_tasks: { arguments: ["agent_id", "session_id", "assignee"], rest: () => ({}) },
  show_task: { arguments: ["agent_id", "session_id", "task_id"], rest: ({ task }) => ({ task_id: task }) },
  send_message: { arguments: ["agent_id", "session_id", "to"], rest: () => ({ content: "c" }) },
  get_messages: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
  post_artifact: {
    arguments: ["agent_id", "session_id", "task_id"],
    rest: () => ({ name: "n", type: "pr", content: "c" }),
  },
  get_artifact: { arguments: ["agent_id", "session_id", "name"], rest: () => ({ name: "n" }) },
  list_artifacts: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
  request_review: {
    arguments: ["agent_id", "session_id", "artifact_id", "reviewer"],
    rest: ({ artifact }) => ({ artifact_id: artifact, reviewer: "api" }),
  },
  submit_review: {
    arguments: ["agent_id", "session_id", "review_id"],
    rest: ({ review }) => ({ review_id: review, status: "approved", agent_id: "api" }),
  },
  list_reviews: { arguments: ["agent_id", "session_id", "reviewer"], rest: () => ({}) },
  read_memory: { arguments: ["agent_id"], rest: () => ({}) },
  write_memory: { arguments: ["agent_id"], rest: () => ({ key: "k", content: "c" }) },
  append_memory: { arguments: ["agent_id"], rest: () => ({ content: "c" }) },
  save_orchestrator_state: { arguments: ["agent_id", "session_id"], rest: () => ({ state: "s" }) },
  get_orchestrator_state: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
  broadcast_thinking: { arguments: ["agent_id", "session_id"], rest: () => ({ content: "c" }) },
  setup: { arguments: ["agent"], rest: () => ({ yes: true }) },
  part_deliver: { arguments: ["part"], rest: () => ({ deliver: "none" }) },
  notify_add: { arguments: ["name"], rest: () => ({ argv: ["true"] }) },
  notify_list: { arguments: [], rest: () => ({}) },
  notify_remove: { arguments: ["name"], rest: () => ({}) },
  notify_test: { arguments: ["name"], rest: () => ({}) },
  wakes: { arguments: ["part"], rest: () => ({}) },
  wake_lease: { arguments: ["part"], rest: () => ({ rung: "hook" }) },
  wake_commit: { arguments: ["part", "wakeId"], rest: () => ({ part: "web", wakeId: "w-k3f9x2ab" }) },
  wake_renew: { arguments: ["part", "wakeId"], rest: () => ({ part: "web", wakeId: "w-k3f9x2ab" }) },
  wake_report: { arguments: ["part", "wakeId"], rest: () => ({ part: "web", wakeId: "w-k3f9x2ab", outcome: "typed" }) },
  check: { arguments: [], rest: () => ({}) },
  record: { arguments: [], rest: () => ({}) },
  sync: { arguments: [], rest: () => ({}) },
  clone: { arguments: [], rest: () => ({}) },
  log: { arguments: [], rest: () => ({}) },
  diff: { arguments: ["from", "to", "path"], rest: () => ({ from: "HEAD" }) },
  stats: { arguments: [], rest: () => ({}) },
  usage: { arguments: ["part"], rest: () => ({}) },
  usage_collect: { arguments: [], rest: () => ({}) },
  archive: { arguments: ["threadIds"], rest: () => ({}) },
  undo: { arguments: ["commit"], rest: () => ({}) },
  forget: { arguments: ["messageId"], rest: () => ({}) },
  accept: { arguments: ["path"], rest: () => ({}) },
  upgrade: { arguments: [], rest: () => ({}) },
  config_show: { arguments: [], rest: () => ({}) },
  config_accept: { arguments: [], rest: () => ({}) },
  config_restore: { arguments: [], rest: () => ({}) },
  office_init: { arguments: [], rest: () => ({}) },
  office_import: { arguments: [], rest: () => ({}) },
  office_add: { arguments: ["name"], rest: () => ({}) },
  office_runner: { arguments: ["program"], rest: () => ({ argv: ["true"] }) },
  office_check: { arguments: [], rest: () => ({}) },
  office_prune: { arguments: [], rest: () => ({}) },
  trust_office: { arguments: ["digest"], rest: () => ({}) },
  office_show: { arguments: ["position"], rest: () => ({}) },
  office_tree: { arguments: [], rest: () => ({}) },
  office_start: { arguments: ["to"], rest: () => ({ goal: "x", detach: true }) },
  office_log: { arguments: ["context"], rest: () => ({}) },
  office_conversation: { arguments: ["conversation"], rest: () => ({}) },
  office_stop: { arguments: ["context"], rest: () => ({}) },
  office_send: { arguments: ["member", "context_id"], rest: () => ({ message: "x", member: "om", wait: false }) },
  office_members: { arguments: [], rest: () => ({}) },
  office_close: { arguments: ["context_id"], rest: () => ({}) },
  office_ask: { arguments: ["question"], rest: () => ({ wait_s: 0 }) },
  office_read: { arguments: ["context_id"], rest: () => ({}) },
  reopen_session: { arguments: ["agent_id", "session_id"], rest: () => ({}) },
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
    for (const argument of known?.arguments ?? [])
      for (const id of NAMES) {
        if ((argument === "session_id" || name.startsWith("notify_")) && SESSION_NAMES.includes(id)) continue;
        const list = LISTS.includes(argument) && ALONE[name]?.includes(argument) !== true;
        const identity = operation.identity === "none" ? {} : { agent_id: "web" };
        const input = { ...identity, ...known?.rest(laid), [argument]: list ? [id] : id };
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

test("what is refused begins no session and makes no guest", async () => {
  const folder = await homeWith("web");
  const before = tree(folder);
  for (const [name, input] of [
    ["create_task", { title: "t", depends_on: ["task-0000000000"] }],
    ["create_task", { title: "t", parent_task_id: "task-0000000000", idempotency_key: "k" }],
    ["create_task", { title: "t", assignee: "a b" }],
    ["claim_task", { task_id: "task-0000000000" }],
    ["update_task", { task_id: "task-0000000000", status: "done" }],
    ["release_task", { task_id: "task-0000000000" }],
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
