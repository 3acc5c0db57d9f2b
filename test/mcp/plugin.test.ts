/**
 * Calls of agents of the relay plugin, on one real server: arguments as programs fill them in, texts as they were written, and what
 * keeps sessions apart. Each case has a session of its own with one and the same team.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { chatty, worldAt } from "../rig/home.ts";
import { type Agent, connect } from "../rig/processes.ts";
import { tree } from "../rig/scratch.ts";

let folder: string;
let server: Agent;
let session: string;
let played = 0;
const env = (): Record<string, string> => ({ XDG_STATE_HOME: path.join(folder, "state") });
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
/** A team file. @param hooks what the line of an agent has besides, by its id */
const teamOf = (hooks: Record<string, string> = {}): string =>
  `agents:\n${["lead", "web", "api", "tests"]
    .map((id) => `  ${id}: { name: ${id}, emoji: "*", tools: [], systemPrompt: p${id in hooks ? `, hooks: ${hooks[id]}` : ""} }\n`)
    .join("")}`;

beforeAll(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-plugin-")));
  await perform(worldAt(folder, { env: env() }), operations.init, { parts: [] });
  // The cases say more in a minute than agents do.
  chatty(folder, { env: env() });
  server = await connect(folder, { args: ["--tools", "plugin"], env: env(), kept: true });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  played += 1;
  session = await begin(`case-${played}`);
});

/** Begins a session with the team. Gives its id. */
async function begin(id: string): Promise<string> {
  fs.writeFileSync(home(`session-agents-${id}.yml`), teamOf());
  await ok("lead", "start_session", { session_id: id });
  return id;
}
/** Another session than the case's, which stays the current one. */
async function other(): Promise<string> {
  const id = await begin(`${session}-b`);
  await ok("lead", "start_session", { session_id: session });
  return id;
}
/** Calls a tool in the words of an agent; null says no `agent_id`. */
const says = (agent: string | null, tool: string, args: Record<string, unknown> = {}): Promise<Answer> =>
  server.call(tool, { ...(agent === null ? {} : { agent_id: agent }), ...args });
/** As `says`, and it succeeds. */
async function ok(agent: string | null, tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const answer = await says(agent, tool, args);
  expect(answer, `${agent}: ${tool} ${JSON.stringify(args).slice(0, 300)}`).toMatchObject({ success: true });
  return answer;
}
/** As `says`, and it is refused with a code, and with words. */
async function no(agent: string | null, tool: string, args: Record<string, unknown>, code: string, words = ""): Promise<Answer> {
  const answer = await says(agent, tool, args);
  const error = expect.stringContaining(words);
  expect(answer, `${agent}: ${tool} ${JSON.stringify(args).slice(0, 300)}`).toMatchObject({ success: false, code, error });
  return answer;
}
const task = async (args: Record<string, unknown> = {}): Promise<string> =>
  (await ok("lead", "create_task", { title: "Draw the map", ...args })).task_id;
const mail = async (agent: string, args: Record<string, unknown> = {}): Promise<string[]> =>
  (await ok(agent, "get_messages", args)).messages.map(({ content }: Answer) => content);
const artifact = async (args: Record<string, unknown> = {}, by = "web"): Promise<string> =>
  (await ok(by, "post_artifact", { name: "map", type: "design", content: "a coast", ...args })).artifact_id;
/** A review of an artifact of `api`: its id. */
const review = async (reviewer: string): Promise<string> =>
  (await ok("api", "request_review", { artifact_id: await artifact({}, "api"), reviewer })).review_id;

/** A good call of each tool. */
const WELL: Record<string, () => Promise<Record<string, unknown>>> = {
  get_server_info: async () => ({}),
  start_session: async () => ({ session_id: session }),
  list_sessions: async () => ({}),
  save_session_summary: async () => ({ session_id: session, summary: "s" }),
  get_session_summary: async () => {
    await ok("lead", "save_session_summary", { session_id: session, summary: "s" });
    return { session_id: session };
  },
  create_task: async () => ({ title: "t", priority: "low" }),
  claim_task: async () => ({ task_id: await task() }),
  update_task: async () => ({ task_id: await task(), status: "in_review" }),
  release_task: async () => {
    const task_id = await task();
    await ok("web", "claim_task", { task_id });
    return { task_id };
  },
  get_all_tasks: async () => ({}),
  send_message: async () => ({ content: "c" }),
  get_messages: async () => ({}),
  post_artifact: async () => ({ name: "map", type: "pr", content: "c" }),
  get_artifact: async () => ({ name: await artifact() }),
  request_review: async () => ({ artifact_id: await artifact({}, "api"), reviewer: "tests" }),
  submit_review: async () => ({ review_id: await review("web"), status: "approved" }),
  list_reviews: async () => ({}),
  read_memory: async () => ({}),
  write_memory: async () => ({ key: "k", content: "c" }),
  append_memory: async () => ({ content: "c" }),
  save_orchestrator_state: async () => ({ state: "{}" }),
  get_orchestrator_state: async () => ({}),
  broadcast_thinking: async () => ({ content: "c" }),
  list_agents: async () => ({}),
  list_pool_agents: async () => {
    fs.writeFileSync(home("agents.pool.yml"), "agents:\n  lead: { name: L, emoji: l, tools: [], systemPrompt: p }\n");
    return {};
  },
  end_session: async () => {
    // One in which nobody is at work.
    await begin(`${session}-${Date.now()}`);
    return {};
  },
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
  save_orchestrator_state: ["state"],
  broadcast_thinking: ["content"],
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
const each = (of: Record<string, string[]>): [string, string][] =>
  Object.entries(of).flatMap(([tool, names]) => names.map((name) => [tool, name] as [string, string]));
/** Calls a tool well, but for some arguments. */
const but = async (tool: string, args: Record<string, unknown>): Promise<Answer> =>
  says("web", tool, { ...(await WELL[tool]?.()), ...args });

test("each of the tools that the plugin has is there with its parameters, and is called well", async () => {
  const { tools } = await server.client.listTools();
  const parameters = new Map(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]));
  for (const tool of Object.keys(WELL)) expect(parameters.get(tool), tool).toEqual(expect.arrayContaining(["session_id", "agent_id"]));
  for (const [tool, name] of each({ ...REQUIRED, send_message: ["content", "to"] })) expect(parameters.get(tool), tool).toContain(name);
  for (const [tool, name] of each(OPTIONAL)) expect(parameters.get(tool), tool).toContain(name);
  expect([...parameters.keys()]).not.toContain("inbox");
  for (const tool of Object.keys(WELL)) expect(await but(tool, {}), tool).toMatchObject({ success: true });
});

test("an argument that may be left out was not given where it is null or empty", async () => {
  for (const [tool, name] of each(OPTIONAL))
    for (const empty of [null, ""]) expect(await but(tool, { [name]: empty }), `${tool}: ${name}`).toMatchObject({ success: true });
  for (const tool of Object.keys(WELL)) {
    const isAsked = REQUIRED[tool]?.includes("session_id") === true;
    expect(await but(tool, { session_id: "" }), tool).toMatchObject(isAsked ? { success: false, code: "bad_session" } : { success: true });
  }
});

test("an argument that is missing or of another type is refused by its name, with what was expected", async () => {
  for (const [tool, name] of each(REQUIRED)) {
    const missing = await but(tool, { [name]: undefined });
    expect(missing, `${tool}: ${name}`).toMatchObject({ code: "invalid_argument", error: expect.stringMatching(`${name}.*required`) });
    const map = await but(tool, { [name]: { a: 1 } });
    expect(map).toMatchObject({ success: false, code: "invalid_argument", error: expect.stringMatching(`^${name}: expected `) });
  }
  for (const [tool, args, words] of [
    ["get_messages", { after_seq: "7" }, "expected a number"],
    ["get_messages", { limit: 1.5 }, "whole number"],
    ["get_messages", { limit: 0 }, "at least 1"],
    ["get_all_tasks", { ready: "true" }, "expected true or false"],
    ["get_all_tasks", { status: "open" }, "todo, in_progress, in_review, done, canceled"],
    ["update_task", { status: "blocked" }, "todo, in_progress, in_review, done, canceled"],
    ["create_task", { priority: "urgent" }, "critical, high, medium, low"],
    ["create_task", { depends_on: [7] }, "depends_on.0"],
    ["create_task", { depends_on: [], dependsOn: [] }, "once"],
    ["send_message", { metadata: "m" }, "expected an object"],
    ["send_message", { metadata: { sheet: 4 } }, "metadata.sheet"],
    ["send_message", { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, "v"])) }, "20"],
    ["post_artifact", { type: "openapi" }, "figma_spec, pr, report"],
    ["submit_review", { status: "rejected" }, "approved, changes_requested"],
    ["save_orchestrator_state", { state: { step: 1 } }, "expected a text"],
  ] as const)
    expect(await but(tool, args), tool).toMatchObject({ code: "invalid_argument", error: expect.stringContaining(words) });
});

test("every tool refuses a session that is a number, an argument that it does not have, and an agent_id that is not an id", async () => {
  for (const tool of Object.keys(WELL)) {
    const error = expect.stringMatching(/^session_id: expected .*given 7/);
    expect(await but(tool, { session_id: 7 }), tool).toMatchObject({ success: false, code: "invalid_argument", error });
    const known = expect.stringContaining("session_id");
    expect(await but(tool, { frobnicate: 1 }), tool).toMatchObject({ success: false, code: "unknown_argument", error: known });
    expect(await but(tool, { agent_id: "../up" }), tool).toMatchObject({ success: false, code: "bad_part" });
  }
  for (const agent_id of [null, ""]) expect(await but("create_task", { agent_id })).toMatchObject({ code: "who_are_you" });
});

test("things made in one session are in no other", async () => {
  const session_id = await other();
  await ok("web", "send_message", { to: "api", content: "here" });
  await ok("web", "send_message", { content: "to all here" });
  const here = await task({ assignee: "web", idempotency_key: "k" });
  const artifact_id = await artifact({ content: "here" });
  const review_id = await review("tests");
  await ok("lead", "save_orchestrator_state", { state: "{}" });
  expect(await mail("api", { session_id })).toEqual([]);
  expect((await ok("lead", "get_all_tasks", { session_id })).total).toBe(0);
  expect((await ok("lead", "get_orchestrator_state", { session_id })).state).toBeNull();
  const advice = expect.stringMatching(/is of session \S+, which/);
  expect(await no("web", "get_artifact", { name: "map", session_id }, "unknown_artifact")).toMatchObject({ advice });
  await no("web", "request_review", { artifact_id, reviewer: "tests", session_id }, "unknown_artifact");
  await no("tests", "submit_review", { review_id, status: "approved", session_id }, "unknown_review", "review not found");
  await no("web", "update_task", { task_id: here, status: "done", session_id }, "unknown_task");
  await no("lead", "create_task", { title: "t", parent_task_id: here, session_id }, "unknown_parent_task", "parent task not found");
  await no("lead", "create_task", { title: "t", depends_on: [here], session_id }, "unknown_dependencies", here);
  const there = await task({ assignee: "web", idempotency_key: "k", session_id });
  expect(there).not.toBe(here);
  await artifact({ content: "there", session_id });
  expect((await ok("web", "get_artifact", { name: "map", session_id })).artifact).toMatchObject({ content: "there", version: 1 });
  for (const [id, given] of Object.entries({ [here]: {}, [there]: { session_id } }))
    expect(await ok("web", "claim_task", { task_id: id, ...given })).toMatchObject({ claimed: true });
  const warning = expect.stringContaining("there is no session case-nonesuch");
  expect(await says("web", "claim_task", { task_id: here, session_id: "case-nonesuch" })).toMatchObject({ success: false, warning });
});

test("the feed has sessions, thoughts, tasks, artifacts and reviews, and a feed that cannot be written refuses nothing", async () => {
  const feed = home("run/feed");
  const told = (type: string): Answer[] =>
    fs
      .readdirSync(feed)
      .flatMap((name) => fs.readFileSync(path.join(feed, name), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line))
      .filter((line) => line.type === type && line.sessionId === session);
  expect(told("session:started")).toMatchObject([{ part: "lead" }]);
  const thoughts = ["the eastern coast first", "", "one\ntwo\n🌊", "one\ntwo\n🌊"];
  for (const content of thoughts) await ok("passer-by", "broadcast_thinking", { content });
  await ok("web", "broadcast_thinking", { content: "elsewhere", session_id: await other() });
  expect(told("agent:thinking").map(({ agentId, chunk }) => [agentId, chunk])).toEqual(thoughts.map((text) => ["passer-by", text]));
  expect(Object.values(tree(home())).filter((content) => content.includes("eastern coast"))).toEqual([]);
  await ok("web", "update_task", { task_id: await task({ assignee: "web" }), status: "in_review" });
  expect(told("task:updated").map(({ task: { status } }) => status)).toEqual(["todo", "in_review"]);
  const id = await artifact({ content: "a long coast" });
  expect(told("artifact:posted")).toMatchObject([{ part: "web", artifact: { id, name: "map", type: "design" } }]);
  expect(JSON.stringify(told("artifact:posted"))).not.toContain("a long coast");
  const { review_id } = await ok("web", "request_review", { artifact_id: id, reviewer: "tests" });
  await ok("tests", "submit_review", { review_id, status: "approved", comments: "north is up" });
  expect(told("review:updated").at(-1)).toMatchObject({ review: { id: review_id, status: "approved", reviewer: "tests" } });
  fs.renameSync(feed, `${feed}-aside`);
  fs.writeFileSync(feed, "not a folder");
  await ok("web", "broadcast_thinking", { content: "unheard" });
  await task();
});
