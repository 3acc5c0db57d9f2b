/** Waiting for an answer: of one thread, of some, of each; other mail does not end it. */
import { beforeEach, expect, test } from "vitest";
import { act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { connect, relay, startRelay } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api", "db");
});
const ask = async (to: string, subject = "s"): Promise<string> =>
  (await act(folder, "web", "send", { to: [to], subject, body: "?" })).threadId;
const say = (part: string, threadId: string): Promise<{ messageId: string }> =>
  act(folder, part, "reply", { threadId, body: `of ${part}` });

test("other unread mail does not end a wait for one thread; the answer does, at once", async () => {
  const web = await connect(folder, { args: ["--part", "web", "--tools", "room"] });
  const thread = await ask("api");
  await act(folder, "db", "send", { to: ["web"], subject: "noise", body: "b" });
  expect(await web.call("wait", { threads: [thread], timeoutSeconds: 0 })).toMatchObject({
    text: expect.stringMatching(/^Still nothing in t-/),
  });
  const waiting = web.call("wait", { threads: [thread.slice(-8)], timeoutSeconds: 300 });
  await act(folder, "db", "send", { to: ["web"], subject: "more noise", body: "b" });
  // A call that is answered after it shows that the first was taken.
  expect(await Promise.race([waiting, web.call("whoami")])).toMatchObject({ part: "web" });
  await say("api", thread);
  expect(await waiting).toMatchObject({ text: expect.stringMatching(/^api answers you: s .*\n(?: {2}> .*\n)? {2}of api\n/) });
  // What it did not show is not taken for seen.
  const other = (await act(folder, "web", "search", { query: "noise" })).hits[0].threadId;
  expect((await act(folder, "web", "show", { threadId: other })).messages[0].receipts).toMatchObject([{ state: "stored" }]);
  await web.close();
});

test("of several threads the first is enough, unless all are asked for", async () => {
  const threads = [await ask("api"), await ask("db")];
  await say("db", threads[1] as string);
  expect(await act(folder, "web", "wait", { threads, timeoutSeconds: 0 })).toMatchObject({ timedOut: false, missing: [threads[0]] });
  const all = await act(folder, "web", "wait", { threads, all: true, timeoutSeconds: 0 });
  expect(all).toMatchObject({ timedOut: true, messages: [{ from: "db" }], missing: [threads[0]] });
  await say("api", threads[0] as string);
  const each = await act(folder, "web", "wait", { threads, all: true, timeoutSeconds: 0 });
  expect(each).toMatchObject({ timedOut: false, messages: [{ from: "db" }, { from: "api" }] });
  expect(each.missing).toBeUndefined();
  await expect(act(folder, "web", "wait", { threads: ["zzz"], timeoutSeconds: 0 })).rejects.toMatchObject({ code: "unknown_thread" });
});

test("send --wait asks and gives the answer; exit code 8 where none came", async () => {
  const asking = startRelay(folder, ["send", "api", "Price?", "Which?", "--wait", "300", "--part", "web", "--json"]);
  let printed = "";
  asking.stdout.on("data", (text) => (printed += String(text)));
  const thread = await until("it was sent", async () => (await act(folder, "api", "inbox")).messages[0]?.threadId);
  await say("api", thread);
  await until("it ended", () => asking.exitCode !== null);
  expect(asking.exitCode).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ threadId: thread, timedOut: false, messages: [{ from: "api", body: "of api" }] });
  expect(await relay(folder, ["send", "api", "s", "b", "--wait", "1", "--part", "web", "--json"])).toMatchObject({ code: 8 });
  expect(await relay(folder, ["wait", thread, "--timeout", "0", "--part", "web", "--json"])).toMatchObject({ code: 8 });
});

test("a call that goes on says so", async () => {
  const { client, close } = await connect(folder, { args: ["--part", "web", "--tools", "room"] });
  const said = new Promise((onprogress) => {
    client.callTool({ name: "wait", arguments: { timeoutSeconds: 300 } }, undefined, { onprogress }).catch(() => {});
  });
  expect(await said).toEqual({ progress: 1 });
  await close();
});
