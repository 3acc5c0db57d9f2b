/** NUL in an argument: no text takes one, and contents that are kept byte for byte do. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { operations } from "../../protocol/index.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";

let folder: string;
const run = (part: string, name: keyof typeof operations, input = {}): Promise<Answer> => act(folder, part, name, input);
const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
beforeEach(async () => {
  folder = await homeWith("web", "api");
});

const S = "s-1";
const WORDS = "a\0b";

const CASES: [operation: keyof typeof operations, input: Record<string, unknown>, argument: string][] = [
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
test.each(CASES)("%s given %j: refused, and nothing is written", async (operation, input, argument) => {
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
