/** NUL in a text: no text takes one, what is kept byte for byte does, and a file that has one is skipped and named. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put, seal } from "../rig/sealing.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
type Answer = any;

let folder: string;
const run = (part: string, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  perform(worldAt(folder, { part }), operations[name], input);
const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
beforeEach(async () => {
  folder = await homeWith("web", "api");
});

const S = "s-1";
const WORDS = "a\0b";

describe("given as an argument", () => {
  const cases: [operation: keyof typeof operations, input: Record<string, unknown>, argument: string][] = [
    ["send", { to: ["api"], subject: "s", body: WORDS }, "body"],
    ["close", { threadId: "t-20260131-k3f9x2ab", lesson: WORDS }, "lesson"],
    ["create_task", { title: "t", description: WORDS }, "description"],
    ["create_task", { title: WORDS }, "title"],
    ["submit_review", { review_id: "review-4c6z1x9vm3", status: "approved", comments: WORDS }, "comments"],
    ["save_session_summary", { session_id: S, summary: WORDS }, "summary"],
    ["end_session", { session_id: S, summary: WORDS }, "summary"],
    ["write_memory", { key: "k", content: WORDS }, "content"],
    ["write_memory", { key: WORDS, content: "c" }, "key"],
    ["append_memory", { content: WORDS }, "content"],
    ["send_message", { content: WORDS }, "content"],
    ["send_message", { content: "c", metadata: { key: WORDS } }, "metadata"],
    ["broadcast_thinking", { content: WORDS }, "content"],
  ];
  test.each(cases)("%s %j: refused, and nothing is written", async (operation, input, argument) => {
    await expect(run("web", operation, input)).rejects.toMatchObject({
      code: "invalid_argument",
      data: { argument: expect.stringContaining(argument), expected: expect.stringMatching(/NUL|without control characters/) },
    });
    expect(fs.existsSync(at("sessions"))).toBe(false);
    expect(fs.existsSync(at("memory"))).toBe(false);
  });

  test("contents of artifacts and states are kept byte for byte", async () => {
    await run("web", "post_artifact", { session_id: S, name: "a.md", type: "report", content: WORDS });
    expect((await run("api", "get_artifact", { session_id: S, name: "a.md" })).artifact.content).toBe(WORDS);
    await run("web", "save_orchestrator_state", { session_id: S, state: WORDS });
    expect((await run("api", "get_orchestrator_state", { session_id: S })).state).toBe(WORDS);
    for (const name of ["check", "doctor"] as const) expect(await run("web", name), name).toMatchObject({ ok: true });
  });
});

describe("in a file", () => {
  const spoil = (file: string): void => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("needle", "nee\0dle in"));

  test("a message is skipped and named, and the others are served", async () => {
    const good = await run("web", "send", { to: ["api"], subject: "s", body: "needle in a haystack" });
    // By a stranger, who names it after its text.
    const bad = seal({ from: "web", to: ["api"], body: "a nee\0dle in" });
    put(at(), bad.path, bad.text);
    put(at(), `inbox/api/new/${bad.id}.md`, bad.text);
    const inbox = await run("api", "inbox");
    expect(inbox.messages.map(({ messageId }: Answer) => messageId)).toEqual([good.messageId]);
    expect(inbox.problems).toMatchObject([{ line: 9, problem: expect.stringContaining("NUL") }]);
    expect(await run("api", "show", { threadId: bad.id })).toMatchObject({ messages: [], problems: [{ line: 9 }] });
    const { hits } = await run("api", "search", { query: "in" });
    expect(hits.map(({ messageId }: Answer) => messageId)).toEqual([good.messageId]);
  });

  test("a task is skipped and named; a memory and a summary are refused with path and line, and not written over", async () => {
    const { task_id: task } = await run("web", "create_task", { session_id: S, title: "t", description: "needle" });
    await run("web", "create_task", { session_id: S, title: "u", description: "d" });
    spoil(at("sessions", S, "tasks", `${task}.md`));
    const { tasks, problems } = await run("web", "get_all_tasks", { session_id: S });
    expect(tasks.map(({ title }: Answer) => title)).toEqual(["u"]);
    expect(problems).toMatchObject([{ path: `sessions/${S}/tasks/${task}.md`, problem: expect.stringContaining("NUL") }]);
    await run("web", "write_memory", { key: "k", content: "needle" });
    spoil(at("memory/project.md"));
    const memory = fs.readFileSync(at("memory/project.md"), "utf8");
    const broken = { code: "malformed_file", data: { path: "memory/project.md", line: 3 } };
    await expect(run("web", "read_memory")).rejects.toMatchObject(broken);
    await expect(run("web", "write_memory", { key: "l", content: "c" })).rejects.toMatchObject(broken);
    expect(fs.readFileSync(at("memory/project.md"), "utf8")).toBe(memory);
    await run("web", "save_session_summary", { session_id: S, summary: "a needle" });
    spoil(at("sessions", S, "summary.md"));
    await expect(run("web", "get_session_summary", { session_id: S })).rejects.toMatchObject({
      code: "malformed_file",
      data: { path: `sessions/${S}/summary.md`, line: 1 },
    });
    expect((await run("web", "list_sessions")).details).toMatchObject([{ id: S, has_summary: true }]);
  });
});
