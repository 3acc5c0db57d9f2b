/** Rules that hold over several tools of the board: limits, transitions, hooks, which session is meant, who is known, what viewers see. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newestOpen } from "../../protocol/board/nouns/newest-open.ts";
import { type Session, sessionId } from "../../protocol/board/nouns/session.ts";
import { TASK_STATUSES } from "../../protocol/board/nouns/task.ts";
import { answer, newConnection, operations, type World } from "../../protocol/index.ts";
import { drivenClock } from "../rig/clock/driven.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { startRelay } from "../rig/processes.ts";
import { held, until } from "../rig/scratch.ts";

let folder: string;
let world: World;
const SESSION = "s-1";

beforeEach(async () => {
  folder = await homeWith("web", "api");
  world = worldAt(folder, { connection: newConnection(false) });
  await call("start_session", { session_id: SESSION });
});

const call = (name: keyof typeof operations, input: Record<string, unknown> = {}, over: World = world): Promise<Answer> =>
  answer(over, operations[name], { ...(name.endsWith("_memory") && name !== "append_memory" ? {} : { agent_id: "main" }), ...input });
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const task = async (input: Record<string, unknown> = {}): Promise<string> =>
  (await call("create_task", { title: "Work", priority: "low", ...input })).task_id;
const shown = async (id: string): Promise<Answer> => (await call("show_task", { task_id: id })).task;

test.each([
  ["send_message", "content", 65_536, {}],
  ["create_task", "title", 256, {}],
  ["create_task", "description", 8_192, { title: "t" }],
  ["create_task", "derived_reason", 512, { title: "t" }],
  ["create_task", "idempotency_key", 256, { title: "t" }],
  ["post_artifact", "name", 256, { type: "pr", content: "" }],
  ["post_artifact", "content", 524_288, { name: "n", type: "pr" }],
  ["submit_review", "comments", 16_384, { review_id: "review-0000000000", status: "approved" }],
  ["write_memory", "key", 256, { content: "" }],
  ["write_memory", "content", 131_072, { key: "k" }],
  ["append_memory", "content", 131_072, {}],
  ["save_session_summary", "summary", 131_072, { session_id: SESSION }],
  ["end_session", "summary", 131_072, { session_id: SESSION }],
  ["save_orchestrator_state", "state", 65_536, {}],
  ["broadcast_thinking", "content", 65_536, {}],
] as const)("%s: a %s may have %i characters, and one more is refused by name and number", async (name, argument, most, rest) => {
  const refused = await call(name, { ...rest, [argument]: "x".repeat(most + 1) });
  expect(refused).toMatchObject({ success: false, code: "invalid_argument", argument });
  expect(refused.error).toContain(String(most));
  // A character of two units counts as two, as it does in JavaScript.
  expect(await call(name, { ...rest, [argument]: "😀".repeat(most / 2 + 1) })).toMatchObject({ code: "invalid_argument", argument });
  const accepted = await call(name, { ...rest, [argument]: "x".repeat(most) });
  if (name === "submit_review") expect(accepted).toMatchObject({ error: "review not found" });
  else expect(accepted, JSON.stringify(accepted).slice(0, 300)).toMatchObject({ success: true });
});

test("ids have limits too: 128 characters of a session, 64 of a part's segment, 32 dependencies", async () => {
  expect(await call("start_session", { session_id: "x".repeat(128) }, worldAt(folder))).toMatchObject({ success: true });
  expect(await call("start_session", { session_id: "x".repeat(129) }, worldAt(folder))).toMatchObject({ code: "bad_session" });
  expect(await call("create_task", { title: "t", agent_id: "x".repeat(64) })).toMatchObject({ success: true });
  expect(await call("create_task", { title: "t", agent_id: "x".repeat(65) })).toMatchObject({ code: "bad_part" });
  expect(await call("create_task", { title: "t", agent_id: "a/b/c" })).toMatchObject({ success: true });
  const known = await task();
  const depends = Array.from({ length: 33 }, () => known);
  expect(await call("create_task", { title: "t", depends_on: depends })).toMatchObject({ success: false, argument: "depends_on" });
  expect(await call("create_task", { title: "t", depends_on: depends.slice(1) })).toMatchObject({ success: true });
});

test("a task's status may change from any to any other", async () => {
  const set = (status: string) => ({ status, ...(status === "blocked" ? { reason: "no key" } : {}) });
  for (const from of TASK_STATUSES)
    for (const to of TASK_STATUSES) {
      const id = await task();
      if (from !== "todo") await call("update_task", { task_id: id, ...set(from) });
      expect(await call("update_task", { task_id: id, ...set(to) }), `${from} to ${to}`).toMatchObject({ success: true, status: to });
      expect((await shown(id)).status).toBe(to);
    }
});

test("the session meant is the named one, else the connection's, the environment's, the newest that is open", async () => {
  const clock = held(new Date(Date.now() + 3_600_000).toISOString());
  await call("start_session", { session_id: "newest" }, worldAt(folder, { now: clock.now }));
  clock.advance(1_000);
  await call("start_session", { session_id: "ended" }, worldAt(folder, { now: clock.now }));
  await call("end_session", { session_id: "ended" });
  const env = { RELAY_SESSION_ID: "from-env" };
  const over = worldAt(folder, { env, connection: newConnection(false) });
  const meant = async (at: World, input = {}): Promise<string> => {
    const { task_id } = await call("create_task", { title: "t", ...input }, at);
    const sessions = fs.readdirSync(home("sessions"));
    return sessions.find((name) => fs.existsSync(home("sessions", name, "tasks", `${task_id}.md`))) as string;
  };
  expect(await meant(worldAt(folder))).toBe("newest");
  expect(await meant(over)).toBe("from-env");
  await call("start_session", { session_id: SESSION }, over);
  expect(await meant(over)).toBe(SESSION);
  expect(await meant(over, { session_id: "named" })).toBe("named");
  for (const session_id of fs.readdirSync(home("sessions"))) await call("end_session", { session_id });
  expect(await meant(worldAt(folder))).toMatch(/^\d{4}-\d\d-\d\d-\d{3}-[0-9A-Z]{4}$/);
});

test("the new holder of a task gets one message; an ended session counts its open tasks", async () => {
  const { task_id } = await call("create_task", { title: "Take over" });
  await call("claim_task", { agent_id: "web", task_id });
  for (let round = 0; round < 2; round += 1) await call("release_task", { agent_id: "web", task_id, to: "api" });
  expect(await call("inbox", { agent_id: "api" })).toMatchObject({
    unread: 1,
    messages: [{ from: "web", subject: "Yours to claim: Take over" }],
  });
  await call("claim_task", { agent_id: "api", task_id });
  await call("update_task", { task_id, assignee: "web" });
  expect(await call("inbox", { agent_id: "web" })).toMatchObject({ messages: [{ from: "main", subject: "Yours: Take over" }] });
  expect(await call("end_session", { force: true })).toMatchObject({ ended: true, left: 1 });
});

test("a call with the id of a missing session begins it, and warns with the nearest ids", async () => {
  const mistyped = `${SESSION.slice(0, -1)}x`;
  const task = { title: "t", session_id: mistyped };
  expect((await call("create_task", task)).warning).toBe(
    `session ${mistyped} did not exist yet, and began with this call; did you mean ${SESSION}?`,
  );
  expect((await call("create_task", task)).warning).toBeUndefined();
  expect((await call("start_session", { session_id: "entirely-other" })).warning).toBeUndefined();
  expect(await call("get_all_tasks", { session_id: `${SESSION}y` })).toMatchObject({
    total: 0,
    warning: expect.stringContaining(`there is no session ${SESSION}y; did you mean `),
  });
});

test("an id that is only a day and a number is whole: other programs make such", async () => {
  const { session_id } = (await call("start_session", {})) as { session_id: string };
  const whole = session_id.slice(0, -5);
  await call("create_task", { title: "t", session_id: whole });
  expect(await call("get_all_tasks", { session_id })).toMatchObject({ tasks: [] });
  fs.writeFileSync(home(`session-agents-${session_id.slice(0, -2)}.yml`), `agents:\n${agent("docs")}`);
  expect(await call("list_agents", { session_id: session_id.slice(0, -2) })).toMatchObject({ agents: [{ id: "docs" }] });
});

test("a session that cannot be opened moves no connection", async () => {
  fs.writeFileSync(home("sessions/F"), "");
  expect(await call("start_session", { session_id: "F" })).toMatchObject({ success: false });
  expect(await call("get_server_info")).toMatchObject({ sessionId: SESSION });
});

test("a key answers its task though the other arguments are no arguments", async () => {
  const { task_id } = await call("create_task", { title: "t", idempotency_key: "k" });
  for (const odd of [
    {},
    { title: "x".repeat(300) },
    { title: 1 },
    { title: "t", depends_on: Array.from({ length: 33 }, () => "x") },
    { what: 1 },
  ])
    expect(await call("create_task", { ...odd, idempotency_key: "k" }), JSON.stringify(odd).slice(0, 40)).toEqual({
      success: true,
      task_id,
    });
  expect(await call("create_task", { idempotency_key: "new" })).toMatchObject({ code: "invalid_argument", argument: "title" });
});

test("keys that no file may have are refused by name, and none is dropped without a word", async () => {
  for (const key of ["constructor", "prototype", "__proto__"]) {
    const refused = await call("send_message", { content: "c", metadata: JSON.parse(`{"${key}":"y"}`) });
    expect(refused, key).toMatchObject({ code: "invalid_argument", argument: `metadata.${key}` });
  }
});

const agent = (id: string, hooks = ""): string => `  ${id}: { name: ${id}, emoji: x, tools: [inbox], systemPrompt: "p"${hooks} }\n`;

test("ids of the team are known before they write: to one, to all, and as reviewers", async () => {
  fs.writeFileSync(home(`session-agents-${SESSION}.yml`), `agents:\n${agent("tests")}${agent("docs")}`);
  expect(await call("send_message", { to: "tests", content: "Welcome" })).toMatchObject({ success: true });
  expect(fs.existsSync(home("inbox/docs"))).toBe(false);
  await call("send_message", { content: "All of you" });
  expect(await call("get_messages", { agent_id: "docs" })).toMatchObject({ messages: [{ content: "All of you" }] });
  expect((await call("get_messages", { agent_id: "tests" })).messages).toHaveLength(2);
  expect(await call("inbox", { agent_id: "tests", unreadOnly: false })).toMatchObject({ unread: 0, messages: [{}, {}] });
  expect(await call("send_message", { to: "test", content: "x" })).toMatchObject({ code: "unknown_part", nearest: ["tests"] });
  expect((await call("create_task", { title: "t", agent_id: "tets" })).warning).toContain('did you mean "tests"?');
  const { artifact_id } = await call("post_artifact", { name: "n", type: "pr", content: "c" });
  fs.appendFileSync(home(`session-agents-${SESSION}.yml`), agent("review"));
  expect(await call("request_review", { artifact_id, reviewer: "review" })).toMatchObject({ success: true });
});

test("hooks gate claim and done for everyone, once they are trusted, and dependents wait for them", async () => {
  const gate = path.join(folder, "open");
  const command = `test -e ${gate} || { echo the gate is shut; exit 3; }`;
  fs.writeFileSync(home("agents.pool.yml"), `agents:\n${agent("web", `, hooks: { before_task: '${command}', after_task: '${command}' }`)}`);
  const [id, other] = [await task(), await task()];
  const next = await task({ depends_on: [id] });
  const claim = (): Promise<Answer> => call("claim_task", { agent_id: "web", task_id: id });
  const untrusted: Answer = await call("claim_task", { agent_id: "web", task_id: await task() });
  expect(untrusted).toMatchObject({ claimed: true, warnings: [expect.stringMatching(/before_task hook of web did not run.*relay trust/)] });
  await answer(world, operations.trust, { all: true });
  expect(await claim()).toMatchObject({ claimed: false, reason: "before_task hook failed (exit 3): the gate is shut" });
  // Whoever has no hooks is not held up.
  expect(await call("claim_task", { agent_id: "api", task_id: other })).toMatchObject({ claimed: true });
  fs.writeFileSync(gate, "");
  expect(await claim()).toMatchObject({ claimed: true, fence: 1 });
  fs.rmSync(gate);
  // The work is web's, so it is web's hook, whoever says that it is done.
  for (const agent_id of ["web", "main"]) {
    expect(await call("update_task", { agent_id, task_id: id, status: "done" })).toMatchObject({
      success: false,
      code: "hook_failed",
      hook_failed: true,
      exitCode: 3,
      error: "after_task hook failed (exit 3): the gate is shut",
    });
    expect(await shown(id)).toMatchObject({ status: "in_review" });
    expect(await call("claim_task", { task_id: next })).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${id}` });
  }
  // No hook gates a review.
  expect(await call("update_task", { agent_id: "web", task_id: id, status: "in_review" })).toMatchObject({ success: true });
  fs.writeFileSync(gate, "");
  expect(await call("update_task", { agent_id: "web", task_id: id, status: "done" })).toMatchObject({ success: true });
  expect(await call("claim_task", { task_id: next })).toMatchObject({ claimed: true });
});

test("the first thought reaches a watch of a new home, without waiting for a beat", async () => {
  const at = await homeWith("web");
  const watch = startRelay(at, ["watch", "--json"], drivenClock({ stands: true }).env);
  await until("it follows", () => fs.existsSync(path.join(at, ".relay/run/feed")));
  const heard = new Promise((resolve) => watch.stdout.once("data", resolve));
  await answer(worldAt(at, { part: "web" }), operations.broadcast_thinking, { content: "First." });
  await heard;
  watch.kill("SIGTERM");
  await until("it ends", () => watch.exitCode !== null);
});

test("days before the last two with one that goes on are not asked, and one that cannot be read, or is older than it says, ends nothing", () => {
  const made = (day: string, startedAt = `${day}T09:00:00.000Z`): Session => ({
    id: sessionId(day, 1, "K3F9"),
    startedBy: "web",
    startedAt,
  });
  const days = ["2026-01-05", "2026-01-04", "2026-01-03", "2026-01-02"];
  const asked = (all: readonly Session[], isRead = (_session: Session) => true): string[] => {
    const seen: string[] = [];
    const openOf = (ids: readonly string[]): Session[] => {
      seen.push(...ids);
      return all.filter(({ id }) => ids.includes(id));
    };
    newestOpen(["shop", ...all.map(({ id }) => id).sort()], openOf, isRead);
    return seen.map((id) => id.slice(0, 10));
  };
  const all = days.map((day) => made(day));
  expect(asked(all)).toEqual(["shop", ...days.slice(0, 2)]);
  expect(asked(all, ({ id }) => !id.startsWith("2026-01-05"))).toEqual(["shop", ...days.slice(0, 3)]);
  expect(asked([made("2026-01-05", "2020-01-01T09:00:00.000Z"), ...all.slice(1)])).toEqual(["shop", ...days.slice(0, 3)]);
});
