/** What a loss of power leaves of a send that was not answered: whichever names are gone, the next look makes it whole, or nothing was sent. */
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { held, until } from "../rig/scratch.ts";

/** A process of another boot: nobody can say whether it lives. */
const OF_BEFORE = "4711-1-00000000-1-0";

interface Left {
  folder: string;
  /** Absolute paths: the intent, the name in the thread, the name in the inbox. */
  intent: string;
  thread: string;
  inbox: string;
  messageId: string;
  threadId: string;
  text: string;
}

/** A home with one message as its send was at the last moment before its answer, by a process of an earlier boot. */
async function left(): Promise<Left> {
  const folder = await homeWith("web", "api");
  const clock = held();
  const sent = await perform(worldAt(folder, { part: "web", now: clock.now }), operations.send, {
    to: ["api"],
    subject: "Price?",
    body: "Net?",
  });
  const { messageId, threadId } = sent;
  const home = path.join(folder, ".relay");
  const day = fs.readdirSync(path.join(home, "threads"))[0] as string;
  const at = path.join(home, "threads", day, threadId);
  expect(fs.readdirSync(at)).toHaveLength(1);
  const thread = path.join(at, fs.readdirSync(at)[0] as string);
  const intent = path.join(home, "local/pending", `${OF_BEFORE}.${messageId}.md`);
  fs.linkSync(thread, intent);
  const text = fs.readFileSync(thread, "utf8");
  return { folder, intent, thread, inbox: path.join(home, "inbox/api/new", `${messageId}.md`), messageId, threadId, text };
}

const inboxOf = (folder: string) => perform(worldAt(folder, { part: "api" }), operations.inbox, {});

test.each([
  ["the name in the thread", ["thread"]],
  ["the name in the inbox", ["inbox"]],
  ["none", []],
] as const)("lost: %s; the next look delivers it whole", async (_what, lost) => {
  const stage = await left();
  for (const name of lost) fs.rmSync(stage[name]);
  if (lost.length > 0 && lost[0] === "thread") fs.rmdirSync(path.dirname(stage.thread));
  expect((await inboxOf(stage.folder)).messages).toMatchObject([{ messageId: stage.messageId, body: "Net?" }]);
  const shown = await perform(worldAt(stage.folder, { part: "api" }), operations.show, { threadId: stage.threadId });
  expect(shown.messages).toMatchObject([{ messageId: stage.messageId, body: "Net?" }]);
  expect([stage.intent, stage.thread, stage.inbox].map((at) => fs.existsSync(at))).toEqual([false, true, true]);
  expect(await perform(worldAt(stage.folder), operations.doctor, {})).toMatchObject({ ok: true });
});

test("a message that was forgotten, or whose thread is archived, is not sent again by what is left of its intent", async () => {
  const forgotten = await left();
  await perform(worldAt(forgotten.folder, { part: "web" }), operations.forget, { messageId: forgotten.messageId });
  expect(fs.existsSync(forgotten.thread)).toBe(false);
  for (const name of [forgotten.intent, forgotten.inbox]) fs.writeFileSync(name, forgotten.text);
  await perform(worldAt(forgotten.folder, { part: "web" }), operations.whoami, {});
  expect(fs.existsSync(forgotten.thread)).toBe(false);

  const archived = await left();
  fs.renameSync(archived.intent, `${archived.intent}.aside`);
  await perform(worldAt(archived.folder, { part: "api" }), operations.ack, { messageIds: [archived.messageId] });
  await perform(worldAt(archived.folder, { part: "web" }), operations.close, { threadId: archived.threadId });
  await perform(worldAt(archived.folder, { part: "main" }), operations.archive, { threadIds: [archived.threadId] });
  fs.renameSync(`${archived.intent}.aside`, archived.intent);
  fs.copyFileSync(archived.intent, archived.inbox);
  await perform(worldAt(archived.folder, { part: "web" }), operations.whoami, {});
  expect(fs.existsSync(archived.thread)).toBe(false);
});

test("a thread has no file of its own until it is closed, and no lock leaves a file behind", async () => {
  const stage = await left();
  fs.rmSync(stage.intent);
  const file = path.join(path.dirname(stage.thread), "thread.md");
  const reply = await perform(worldAt(stage.folder, { part: "api" }), operations.reply, { threadId: stage.threadId, body: "Gross." });
  expect(reply.messageId).toMatch(/^m-/);
  expect(fs.existsSync(file)).toBe(false);
  await perform(worldAt(stage.folder, { part: "web" }), operations.close, { threadId: stage.threadId });
  expect(fs.readFileSync(file, "utf8")).toContain('subject: "Price?"');
  const locks = path.join(stage.folder, ".relay/run/locks");
  expect(fs.existsSync(locks) ? fs.readdirSync(locks) : []).toEqual([]);
});

test("to very many the intent stays until every inbox is flushed, and the next look makes whole what a loss of power left by then", async () => {
  const parts = Array.from({ length: 70 }, (_, at) => `p${at}`);
  const folder = await homeWith("web", ...parts);
  const home = path.join(folder, ".relay");
  const pending = path.join(home, "local/pending");
  const { open } = fs.promises;
  let release = (): void => {};
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  // The flushes begin only when the test has looked.
  const holds = vi.spyOn(fs.promises, "open").mockImplementation(async (...given) => {
    await isHeld;
    return await open(...given);
  });
  const { messageId } = await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["*"], subject: "Price?", body: "Net?" });
  const inboxes = parts.map((part) => path.join(home, "inbox", part, "new", `${messageId}.md`));
  expect(inboxes.every((at) => fs.existsSync(at))).toBe(true);
  const [intent = "none"] = fs.readdirSync(pending);
  const ofBefore = path.join(pending, `${OF_BEFORE}.${messageId}.md`);
  fs.linkSync(path.join(pending, intent), ofBefore);
  release();
  await until("every inbox is flushed", () => !fs.existsSync(path.join(pending, intent)));
  holds.mockRestore();
  for (const at of inboxes.slice(0, 40)) fs.rmSync(at);
  await perform(worldAt(folder, { part: "p50" }), operations.whoami, {});
  expect([ofBefore, ...inboxes].map((at) => fs.existsSync(at))).toEqual([false, ...inboxes.map(() => true)]);
});
