import { beforeEach, expect, test } from "vitest";
import { newConnection, operations, perform, type World } from "../../protocol/index.ts";
import { act } from "../rig/clones.ts";
import { homeWith, settle, worldAt } from "../rig/home.ts";
import { connect, relay } from "../rig/processes.ts";
import { held } from "../rig/scratch.ts";

let folder: string;
let clock: ReturnType<typeof held>;
beforeEach(async () => {
  folder = await homeWith("web", "api", "db");
  clock = held();
});
/** An agent's connection, whose clock a test moves on. */
const agent = (part: string): World => worldAt(folder, { part, now: clock.now, connection: newConnection(true) });
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
const say = (world: World, name: keyof typeof operations, input: Record<string, unknown>): Promise<any> =>
  perform(world, operations[name], input);
const refusedBy = (rule: string): object => ({ code: "loop", data: { rule } });
const unread = async (part: string): Promise<number> => (await act(folder, part, "inbox")).unread;

test("the same message or answer a fourth time within a minute is refused, and nothing is sent; later it is new", async () => {
  const web = agent("web");
  const same = { to: ["api"], subject: "Ready?", body: "Are you ready?" };
  const { threadId } = await say(web, "send", same);
  for (let at = 0; at < 2; at += 1) await say(web, "send", same);
  await expect(say(web, "send", same)).rejects.toMatchObject(refusedBy("identical"));
  await say(web, "send", { ...same, body: "Are you ready now?" });
  expect(await unread("api")).toBe(4);
  // Another process of the same part knows of it.
  await expect(say(agent("web"), "send", same)).rejects.toMatchObject(refusedBy("identical"));
  for (let at = 0; at < 3; at += 1) await say(web, "reply", { threadId, body: "and?" });
  await expect(say(web, "reply", { threadId, body: "and?" })).rejects.toMatchObject(refusedBy("identical"));
  for (let at = 0; at < 3; at += 1) await say(web, "send_message", { to: "api", content: "hello" });
  await expect(say(web, "send_message", { to: "api", content: "hello" })).rejects.toMatchObject(refusedBy("identical"));
  clock.advance(61_000);
  expect(await say(web, "send", same)).toMatchObject({ recipients: [{ part: "api" }] });
});

test("more than twenty messages a minute are refused; a person can be asked all the same, and a retry is no other", async () => {
  const web = agent("web");
  const letter = (at: number): Record<string, unknown> => ({
    to: [at % 2 === 0 ? "api" : "db"],
    subject: `${at}`,
    body: "b",
    idempotency_key: `${at}`,
  });
  for (let at = 0; at < 20; at += 1) await say(web, "send", letter(at));
  await expect(say(web, "send", letter(20))).rejects.toMatchObject(refusedBy("per_minute"));
  expect(await say(web, "send", letter(3))).toMatchObject({ recipients: [{ part: "db" }] });
  expect(await say(web, "send", { to: ["human"], subject: "Stuck", body: "b", needsHuman: true })).toMatchObject({
    recipients: [{ part: "human" }],
  });
  clock.advance(61_000);
  await say(web, "send", letter(20));
});

test("two parts that only answer each other are stopped after fifty messages in ten minutes, and not after one word to another part", async () => {
  const [web, api] = [agent("web"), agent("api")];
  const { threadId } = await say(web, "send", { to: ["api"], subject: "s", body: "0" });
  for (let at = 1; at < 50; at += 1) {
    clock.advance(7_000);
    await say(at % 2 === 0 ? web : api, "reply", { threadId, body: `${at}` });
  }
  await expect(say(web, "reply", { threadId, body: "50" })).rejects.toMatchObject({
    ...refusedBy("exchange"),
    message: expect.stringContaining("ask a person"),
  });
  await say(web, "send", { to: ["db"], subject: "Look at this", body: "b" });
  expect(await say(web, "reply", { threadId, body: "50" })).toMatchObject({ threadId });
});

test("over a connection it is an answer that says what to do; a person, and a program, are not counted", async () => {
  const web = await connect(folder, { args: ["--part", "web", "--tools", "room"] });
  const same = { to: ["api"], subject: "s", body: "b" };
  for (let at = 0; at < 3; at += 1) expect(await web.call("send", same)).toMatchObject({ success: true });
  expect(await web.call("send", same)).toMatchObject({ success: false, code: "loop", error: expect.stringContaining("`wait`") });
  await web.close();
  expect(await relay(folder, ["send", "api", "s", "b", "--part", "web"])).toMatchObject({ code: 0 });
  for (let at = 0; at < 5; at += 1) await act(folder, "db", "send", same);
});

test("the limits are those of relay.yml", async () => {
  settle(folder, "loop: { identical: 1, per_minute: 2 }\n");
  const web = agent("web");
  await say(web, "send", { to: ["api"], subject: "s", body: "b" });
  await expect(say(web, "send", { to: ["api"], subject: "s", body: "b" })).rejects.toMatchObject(refusedBy("identical"));
  await say(web, "send", { to: ["api"], subject: "t", body: "b" });
  await expect(say(web, "send", { to: ["api"], subject: "u", body: "b" })).rejects.toMatchObject(refusedBy("per_minute"));
});
