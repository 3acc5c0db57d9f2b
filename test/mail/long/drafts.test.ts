/** A draft is sent for a part that a person bound to this copy, and never in a person's name. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, project } from "../../rig/clones.ts";
import { put, scratch } from "../../rig/scratch.ts";

/** Lays a draft as somebody with a shell does. */
function draft(code: string, part: string, name = "x.md"): string {
  const folder = path.join(code, ".relay/outbox", part);
  put(path.join(folder, name), "---\nto: [main]\nsubject: Hello\n---\nhi\n");
  return path.join(folder, name);
}
const threads = (code: string) =>
  fs.readdirSync(path.join(code, ".relay"), { recursive: true }).filter((name) => /threads\/.*\.md$/.test(`${name}`)).length;

test("a draft of human stays, and says what to type", async () => {
  const code = await project("web");
  const at = draft(code, "human");
  await act(code, "main", "status");
  expect([threads(code), fs.readFileSync(`${at}.refused`, "utf8")]).toEqual([0, expect.stringContaining("`relay send`")]);
});

test.skipIf(process.getuid?.() !== 0)("a draft that another user wrote is not sent, and says so", async () => {
  const code = await project("web");
  const at = draft(code, "web");
  fs.chownSync(at, 12_345, 12_345);
  await act(code, "main", "status");
  expect([threads(code), fs.readFileSync(`${at}.refused`, "utf8")]).toEqual([0, expect.stringContaining("another user (12345)")]);
});

test("in a copy of a project a draft waits until its part acts there, and doctor names it", async () => {
  const code = await project("web");
  draft(code, "web");
  const copy = path.join(scratch(), "copy");
  fs.cpSync(code, copy, { recursive: true, verbatimSymlinks: true });
  await act(code, "main", "status");
  expect(threads(code)).toBe(1);
  // What the worktree says of itself came with it, or an agent wrote it.
  fs.writeFileSync(path.join(copy, ".git/relay-part"), "web\n");
  await act(code, undefined, "part_here", { part: "web" });
  expect([(await act(copy, undefined, "whoami")).part, (await act(code, undefined, "whoami")).part]).toEqual([null, "web"]);
  fs.writeFileSync(path.join(code, ".git/relay-part"), "main\n");
  expect((await act(code, undefined, "whoami")).part).toBeNull();
  await act(copy, undefined, "inbox").catch(() => {});
  await act(copy, "main", "status");
  const { findings } = await act(copy, "main", "doctor");
  expect([threads(copy), findings.map(({ code: each }: { code: string }) => each)]).toEqual([
    0,
    expect.arrayContaining(["outbox_refused", "part_not_here"]),
  ]);
  expect(fs.readFileSync(path.join(copy, ".relay/outbox/web/x.md.refused"), "utf8")).toContain("`relay inbox --part web`");
  await act(copy, "web", "inbox");
  await act(copy, "main", "status");
  expect(threads(copy)).toBe(1);
});

test("a message that a planted intent completes was not written here", async () => {
  const code = await project("web");
  const { messageId, threadId } = await act(code, "main", "send", { to: ["web"], subject: "s", body: "b" });
  const copy = path.join(scratch(), "copy");
  fs.cpSync(code, copy, { recursive: true, verbatimSymlinks: true });
  const day = path.join(copy, ".relay/threads", threadId.slice(2, 10).replace(/(....)(..)(..)/, "$1-$2-$3"), threadId);
  const [name = ""] = fs.readdirSync(day);
  fs.mkdirSync(path.join(copy, ".relay/local/pending"), { recursive: true });
  fs.copyFileSync(path.join(day, name), path.join(copy, `.relay/local/pending/999999-1-1-0.${messageId}.md`));
  await act(copy, "web", "status");
  const [message] = (await act(copy, "web", "inbox")).messages;
  expect(message).toMatchObject({ messageId, origin: "unknown" });
});
