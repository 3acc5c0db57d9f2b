/** What once held up, lost or misled: each found by somebody who tried to. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createWorld, newConnection, operations, perform } from "../../protocol/index.ts";
import { thisProcess } from "../../protocol/store/process.ts";
import { openStore } from "../../protocol/store/root.ts";
import { replaceFile } from "../../protocol/store/write/replace.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put, repository, scratch } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});
const run = (part: string | undefined, name: keyof typeof operations, input = {}): Promise<Answer> => act(folder, part, name, input);
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
/** What a revision says of the text "one" and a line break. */
const sign = createHash("sha256").update("one\n").digest("hex").slice(0, 24);
function draft(part: string, name: string, header: string): string {
  put(home("outbox", part, name), `---\n${header}\n---\nbody\n`);
  return home("outbox", part, name);
}

test("a draft with a huge mistake, and a folder where its reason would lie, hold up nothing", async () => {
  draft("web", "a.md", `to: ["${"é".repeat(40_000)}"]\nsubject: s`);
  draft("web", "b.md", "to: nobody\nsubject: s");
  fs.mkdirSync(home("outbox/web/b.md.refused"));
  draft("web", "c.md", "to: api\nsubject: fine");
  for (let round = 0; round < 2; round += 1)
    expect(await run("api", "inbox")).toMatchObject({ unread: 1, messages: [{ subject: "fine" }] });
  expect(fs.statSync(home("outbox/web/a.md.refused")).size).toBeLessThan(20_000);
});

test("a draft to an inbox that cannot be used holds up no other", async () => {
  fs.rmSync(home("inbox/web"), { recursive: true });
  fs.symlinkSync(scratch(), home("inbox/web"));
  draft("api", "a.md", "to: web\nsubject: s");
  draft("api", "b.md", "to: main\nsubject: s");
  expect(await run("main", "inbox")).toMatchObject({ unread: 1 });
  expect(fs.existsSync(home("outbox/api/a.md"))).toBe(true);
});

test("an outbox of an unknown part makes no guest", async () => {
  const file = draft("wbe", "a.md", "to: api\nsubject: s");
  await run(undefined, "roster");
  expect(fs.readFileSync(`${file}.refused`, "utf8")).toContain("Nearest: web");
  expect(fs.existsSync(home("inbox/wbe"))).toBe(false);
});

test("a draft that a killed process had taken is sent by the next", async () => {
  const file = draft("web", "a.md", "to: api\nsubject: s");
  const killed = thisProcess().replace(/^\d+-\w+/, "999999-1");
  fs.renameSync(file, path.join(path.dirname(file), `.sending.${killed}.a.md`));
  expect(await run("api", "inbox")).toMatchObject({ unread: 1 });
  expect(fs.readdirSync(home("outbox/web"))).toEqual(["sent"]);
});

test("a draft that a process on another machine has taken is left to it, and sent by the next once it is silent", async () => {
  const file = draft("web", "a.md", "to: api\nsubject: s");
  const taken = path.join(path.dirname(file), ".sending.999999-1-0a0b0c0d-1.a.md");
  fs.renameSync(file, taken);
  expect(await run("api", "inbox")).toMatchObject({ unread: 0 });
  const minuteAgo = Date.now() / 1_000 - 60;
  fs.utimesSync(taken, minuteAgo, minuteAgo);
  expect(await run("api", "inbox")).toMatchObject({ unread: 1 });
});

test("a claim of a live connection on another machine, whose boot is another one, is held until its lease is over", async () => {
  const { session_id: sessionId } = await run("main", "start_session");
  const { task_id: taskId } = await run("main", "create_task", { title: "t", priority: "low" });
  const lasting = createWorld({ cwd: folder, part: "web", env: {}, connection: newConnection(true) });
  await perform(lasting, operations.claim_task, { task_id: taskId, agent_id: "web" });
  const record = home("sessions", sessionId, "claims", taskId, "1.md");
  const text = fs.readFileSync(record, "utf8");
  fs.writeFileSync(record, text.replace(/^process: .*$/m, 'process: "4194300-77-0a0b0c0d-4026531836"'));
  expect(await run("api", "claim_task", { task_id: taskId })).toMatchObject({ claimed: false });
});

test("a person's edit after a killed change stays", async () => {
  const store = openStore(home());
  await replaceFile(store, "memory/project.md", 1_024, () => "one\n");
  const folderOf = home("local/revisions/memory/project.md");
  const base = (fs.readFileSync(path.join(folderOf, "1"), "utf8").split(" ")[0] as string).replace(/-\d+$/, "-99");
  // A writer that was killed after its token, and a person who edited the file since.
  fs.writeFileSync(path.join(folderOf, base), "killed\n");
  fs.writeFileSync(path.join(folderOf, "2"), `${base} ${sign}`);
  fs.writeFileSync(home("memory/project.md"), "by hand\n");
  await run("web", "inbox");
  expect(fs.readFileSync(home("memory/project.md"), "utf8")).toBe("by hand\n");
  expect(fs.readdirSync(folderOf)).toContain(`overtaken-${base}`);
  await replaceFile(store, "memory/project.md", 1_024, (before) => `${before}more\n`);
  expect(fs.readFileSync(home("memory/project.md"), "utf8")).toBe("by hand\nmore\n");
});

/** Leaves a change of the memory that is staged and not yet in place. @param token what its token says of it */
async function stage(token: (staged: string) => string) {
  await replaceFile(openStore(home()), "memory/project.md", 1_024, () => "one\n");
  const folderOf = home("local/revisions/memory/project.md");
  const staged = "next-99999-1-00000000-1-0";
  fs.writeFileSync(path.join(folderOf, staged), "two\n");
  fs.writeFileSync(path.join(folderOf, "2"), token(staged));
  return { folderOf, staged };
}

test.each(["\n", "\r\n"])("a change whose token a shell wrote, with %j at its end, is put in place", async (end) => {
  const { folderOf, staged } = await stage((name) => `${name} ${sign}${end}`);
  await run("web", "inbox");
  expect(fs.readFileSync(home("memory/project.md"), "utf8")).toBe("two\n");
  expect(fs.readdirSync(folderOf)).not.toContain(staged);
});

test("a change that may have been committed is kept, where its token says nothing", async () => {
  const { folderOf, staged } = await stage((name) => `{"staged": "${name}"}`);
  const found = async (): Promise<Answer[]> =>
    (await run(undefined, "doctor")).findings.filter(({ code }: Answer) => code !== "outside_git");
  expect(await found()).toMatchObject([{ code: "unreadable_token", severity: "warning", fixable: true }]);
  await replaceFile(openStore(home()), "memory/project.md", 1_024, () => "three\n");
  await run(undefined, "doctor", { fix: true });
  expect(fs.readFileSync(path.join(folderOf, `overtaken-${staged}`), "utf8")).toBe("two\n");
  expect((await found()).map(({ code }) => code)).not.toContain("unreadable_token");
});

test("strange names among intents and files written aside are reported and cleared once they are old", async () => {
  const { messageId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
  const strange = [
    "run/tmp/mytmp",
    "run/tmp/tmp.Xyz",
    "local/pending/notes.txt",
    "local/pending/sh-1.m-20260131-k3f9x2ab-1-1kg9p6je0abcde.md",
  ];
  for (const name of strange) fs.writeFileSync(home(name), "x");
  const found = async (): Promise<Answer[]> =>
    (await run(undefined, "doctor")).findings.filter(({ code }: Answer) => code !== "outside_git");
  expect(await found()).toEqual([]);
  for (const name of strange) fs.utimesSync(home(name), 1, Date.now() / 1_000 - 2 * 3_600);
  expect((await found()).map(({ path: at }: Answer) => at).sort()).toEqual([...strange].sort());
  await run(undefined, "doctor", { fix: true });
  expect(strange.filter((name) => fs.existsSync(home(name)))).toEqual([]);
  expect((await run("api", "inbox")).messages).toMatchObject([{ messageId }]);
});

test("an idempotency key of one thread is refused for another", async () => {
  const one = await run("web", "send", { to: ["api"], subject: "one", body: "b" });
  const two = await run("web", "send", { to: ["api"], subject: "two", body: "b" });
  await run("api", "reply", { threadId: one.threadId, body: "r", idempotency_key: "k" });
  await expect(run("api", "reply", { threadId: two.threadId, body: "r", idempotency_key: "k" })).rejects.toMatchObject({
    code: "invalid_argument",
  });
});

test("a thread with very many unread messages can be closed", async () => {
  const { threadId, messageId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
  for (let n = 0; n < 1_700; n += 1) {
    const id = messageId.replace(/.{4}$/, String(n).padStart(4, "0"));
    if (id !== messageId) fs.linkSync(home("inbox/api/new", `${messageId}.md`), home("inbox/api/new", `${id}.md`));
  }
  expect((await run("web", "close", { threadId })).cleared.length).toBeGreaterThan(1_690);
  expect(await run("api", "inbox")).toMatchObject({ unread: 0 });
});

test("states and receipts follow a rename", async () => {
  const asked = await run("web", "send", { to: ["api"], subject: "asked", body: "b" });
  const closed = await run("main", "send", { to: ["web"], subject: "closed", body: "b" });
  await run(undefined, "part_rename", { from: "web", to: "store" });
  await run("api", "reply", { threadId: asked.threadId, body: "r" });
  expect((await run("api", "show", { threadId: asked.threadId })).thread.status).toBe("answered");
  await run("main", "close", { threadId: closed.threadId });
  expect((await run("main", "show", { threadId: closed.threadId })).messages[0].receipts).toEqual([
    { part: "web", state: "closed-unread" },
  ]);
});

test("nothing is assumed of a thread whose file is broken", async () => {
  const { threadId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
  const day = fs.readdirSync(home("threads"))[0] as string;
  fs.writeFileSync(home("threads", day, threadId, "thread.md"), "---\nstatus: closed\n");
  await expect(run("api", "reply", { threadId, body: "r" })).rejects.toMatchObject({ code: "malformed_file", exit: 7 });
  await expect(run("web", "close", { threadId })).rejects.toMatchObject({ code: "malformed_file" });
});

test("the part of one repository has no say in the home of another", async () => {
  const [here, there] = [repository(), repository()];
  for (const code of [here, there]) await perform(worldAt(code), operations.init, { parts: ["web"] });
  await perform(worldAt(here), operations.part_here, { part: "web" });
  expect(await perform(worldAt(here, { home: there }), operations.whoami, {})).toMatchObject({ part: null });
  expect(await perform(worldAt(here, { roots: [there] }), operations.whoami, {})).toMatchObject({ part: "main" });
  const world = worldAt(there);
  expect(await perform(world, operations.whoami, {})).toMatchObject({ part: "main" });
  await perform(worldAt(there), operations.part_here, { part: "web" });
  expect(await perform(world, operations.whoami, {})).toMatchObject({ part: "web" });
  // Each worktree leads into the home: who calls from there is said by none.
  expect(await perform(worldAt(path.join(there, ".relay/inbox")), operations.whoami, {})).toMatchObject({ part: null });
});
