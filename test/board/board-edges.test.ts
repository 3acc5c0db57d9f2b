/** The board at its edges: ids cut short, files beside that are broken, settings that a look must not change, cursors and calls of others. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { AnyOperation } from "../../protocol/core/operation.ts";
import { answer, newConnection, operations, perform, type World } from "../../protocol/index.ts";
import { names } from "../../protocol/store/read/list-folder.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put, repository, scratch, until } from "../rig/scratch.ts";

let folder: string;
let world: World;

beforeEach(async () => {
  folder = await homeWith("web", "api");
  world = worldAt(folder);
});
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const run = (name: keyof typeof operations, input: Record<string, unknown> = {}, over: World = world): Promise<Answer> =>
  answer(over, operations[name], input);
const as = (part: string): World => worldAt(folder, { part });
const begin = async (): Promise<string> => (await run("start_session")).session_id;
const task = async (title: string, input: Record<string, unknown> = {}): Promise<string> =>
  (await run("create_task", { title, agent_id: "main", ...input })).task_id;

test.each([
  ["start_session", (piece: string) => run("start_session", { session_id: piece })],
  ["save_session_summary", (piece: string) => run("save_session_summary", { session_id: piece, summary: "# Done" })],
  ["get_session_summary", (piece: string) => run("get_session_summary", { session_id: piece })],
  ["end_session", (piece: string) => run("end_session", { session_id: piece })],
] as const)("%s takes a session's id cut short, and begins no other", async (name, call) => {
  const id = await begin();
  if (name === "get_session_summary") await run("save_session_summary", { session_id: id, summary: "# Done" });
  const answered = await call(id.slice(-4));
  expect(answered).toMatchObject(name === "get_session_summary" ? { summary: "# Done" } : { session_id: id });
  expect(fs.readdirSync(home("sessions"))).toEqual([id]);
  expect((await run("list_sessions")).sessions).toEqual([id]);
});

test("a piece that means two sessions is refused with both, and begins none", async () => {
  const [one, other] = ["2026-01-31-001-AAAA", "2026-02-01-001-AAAA"];
  for (const id of [one, other]) await run("start_session", { session_id: id }, worldAt(folder));
  for (const name of ["start_session", "get_all_tasks", "create_task"] as const) {
    const given = name === "create_task" ? { title: "t", agent_id: "main" } : {};
    expect(await run(name, { session_id: "AAAA", ...given })).toMatchObject({ code: "ambiguous_id", candidates: [one, other] });
  }
  expect(fs.readdirSync(home("sessions")).sort()).toEqual([one, other]);
});

test("a session whose whole name is the end of another's takes over no call that cuts that one short", async () => {
  const one = "2026-01-31-001-TH3X";
  await run("start_session", { session_id: one }, worldAt(folder));
  expect(await run("get_all_tasks", { session_id: "TH3X" })).not.toMatchObject({ code: "ambiguous_id" });
  fs.mkdirSync(home("sessions/TH3X"));
  expect(await run("get_all_tasks", { session_id: "TH3X" })).toMatchObject({ code: "ambiguous_id", candidates: [one, "TH3X"] });
});

test("a refusal names what is nearest to what is not there, by id, title, subject or name", async () => {
  const session = await begin();
  const id = await task("Cache headers");
  const { threadId } = await run("send", { to: ["api"], subject: "Which price?", body: "x" }, as("web"));
  const { artifact_id } = await run("post_artifact", { name: "Checkout plan", type: "design", content: "x" }, as("web"));
  const { review_id } = await run("request_review", { artifact_id, reviewer: "api" }, as("web"));
  const near = { task: `${id} "Cache headers"`, thread: `${threadId} "Which price?"`, review: `${review_id} "Checkout plan"` };
  const off = (whole: string): string => whole.slice(0, -1) + (whole.endsWith("z") ? "y" : "z");
  for (const task_id of ["headers", "cache heders", off(id), off(id.slice(0, 9))])
    expect(await run("claim_task", { task_id }, as("web")), task_id).toMatchObject({ code: "unknown_task", nearest: [near.task] });
  for (const given of ["price", "Which prise", off(threadId)])
    expect(await run("show", { threadId: given }, as("web")), given).toMatchObject({ code: "unknown_thread", nearest: [near.thread] });
  for (const given of ["checkout", off(review_id)])
    expect(await run("show_review", { review_id: given })).toMatchObject({ code: "unknown_review", nearest: [near.review] });
  expect(await run("get_session_summary", { session_id: off(session).toLowerCase() })).toMatchObject({ nearest: [session] });
});

test("a task is shown, made and looked for beside broken ones, which are named", async () => {
  const session = await begin();
  const broken = await task("Broken");
  const waiting = await task("Waiting", { depends_on: [broken] });
  const file = `sessions/${session}/tasks/${broken}.md`;
  fs.writeFileSync(home(file), "---\ntitle: [\n---\n");
  expect(await run("show_task", { task_id: waiting })).toMatchObject({
    success: true,
    task: { blocked_by: [broken] },
    problems: [{ path: file }],
  });
  expect(await run("create_task", { title: "Another", agent_id: "main", depends_on: [broken] })).toMatchObject({ success: true });
  expect(await run("end_session", { template: true })).toMatchObject({ problems: [{ path: file }] });
  const elsewhere = await run("start_session", { session_id: "other" });
  expect(elsewhere).toMatchObject({ success: true });
  expect(await run("show_task", { task_id: broken, session_id: "other" })).toMatchObject({ code: "unknown_task", session_id: session });
});

test("a session whose file cannot be read is listed, and named", async () => {
  const session = await begin();
  fs.writeFileSync(home(`sessions/${session}/session.md`), "---\nstarted_by: 7\n---\n");
  expect(await run("list_sessions")).toMatchObject({ sessions: [session], problems: [{ path: `sessions/${session}/session.md` }] });
  fs.rmSync(home(`sessions/${session}/session.md`));
  fs.symlinkSync("session.md", home(`sessions/${session}/session.md`));
  expect(await run("list_sessions")).toMatchObject({ sessions: [session], problems: [{ path: `sessions/${session}/session.md` }] });
});

test.each(["9999-12-31-001-K3F9", "shop"])("a session %s that began in a day or more takes no other's place", async (far) => {
  const session = await begin();
  put(home(`sessions/${far}/session.md`), '---\nstarted_by: "api"\nstarted_at: "9999-12-31T00:00:00.000Z"\n---\n');
  await run("create_task", { title: "Work" }, as("web"));
  expect(fs.readdirSync(home(`sessions/${session}/tasks`))).toHaveLength(1);
});

test("closing a thread drops the marks of what it clears, as an ack does", async () => {
  const { threadId, messageId } = await run("send", { to: ["api"], subject: "s", body: "b" }, as("web"));
  await run("inbox", {}, as("api"));
  const mark = home(`run/marks/api/${messageId}.fetched`);
  expect(fs.existsSync(mark)).toBe(true);
  await run("close", { threadId }, as("web"));
  expect(fs.existsSync(mark)).toBe(false);
});

test("log refuses a cursor of another list, and one that counts backwards", async () => {
  folder = repository();
  world = worldAt(folder);
  await run("init", { parts: ["web", "api"] });
  for (let n = 0; n < 3; n += 1) {
    await run("send", { to: ["api"], subject: `s${n}`, body: "b" }, as("web"));
    await run("record");
  }
  const foreign = (await run("inbox", { limit: 1 }, as("api"))).cursor;
  const negative = Buffer.from("1 -5").toString("base64url");
  for (const cursor of [foreign, negative])
    expect(await run("log", { cursor })).toMatchObject({ code: "invalid_argument", argument: "cursor" });
  const first = await run("log", { limit: 1 });
  expect((await run("log", { limit: 1, cursor: first.cursor })).entries).toHaveLength(1);
  expect(await run("inbox", { cursor: first.cursor }, as("api"))).toMatchObject({ code: "invalid_argument" });
});

test("a call of a server names the folders that it passed over itself, whatever others do meanwhile", async () => {
  fs.rmSync(home("inbox/api"), { recursive: true });
  fs.symlinkSync(scratch(), home("inbox/api"));
  const shared = worldAt(folder, { connection: newConnection(true) });
  let goOn = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slow = {
    ...operations.whoami,
    run: async (over: World) => {
      names(over.home().store, "inbox/api/new");
      await waiting;
      return {};
    },
  };
  const first = perform(shared, slow as unknown as AnyOperation, {});
  const other = await answer(shared, operations.whoami, {});
  goOn();
  expect(await first).toMatchObject({ problems: [{ path: "inbox/api/new" }] });
  expect(other).not.toHaveProperty("problems");
});

test("an edit by hand is listed though the clock was set back meanwhile", async () => {
  const { session_id: session } = await act(folder, "main", "start_session");
  const { task_id: id } = await act(folder, "main", "create_task", { title: "as it was" });
  const tasks = path.join(folder, ".relay/sessions", session, "tasks");
  // The folder has been as it is for long, so the list is not made again for it.
  fs.utimesSync(tasks, 1_700_000_000, 1_700_000_000);
  const titles = async (): Promise<string[]> => (await act(folder, "main", "get_all_tasks")).tasks.map(({ title }: Answer) => title);
  expect(await titles()).toEqual(["as it was"]);
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - 3_600_000);
  try {
    const file = path.join(tasks, `${id}.md`);
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("as it was", "as it is"));
    await until("the edit is listed", async () => (await titles())[0] === "as it is");
  } finally {
    clock.mockRestore();
  }
});
