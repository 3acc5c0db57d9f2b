import { beforeEach, expect, test } from "vitest";
import { newConnection, operations, perform, type World } from "../../protocol/index.ts";
import { markRung } from "../../protocol/mail/files/mail.ts";
import { updateWake, waitingFor } from "../../protocol/wake/files/drive-wake.ts";
import { type Answer, act } from "../rig/clones.ts";
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
const say = (world: World, name: keyof typeof operations, input: Record<string, unknown>): Promise<Answer> =>
  perform(world, operations[name], input);
const refusedBy = (rule: string): object => ({ code: "loop", data: { rule } });
const unread = async (part: string): Promise<number> => (await act(folder, part, "inbox")).unread;

test("an equal message is found while it is unread; an answer, or one sent again, a fourth time within a minute is refused", async () => {
  const web = agent("web");
  const same = { to: ["api"], subject: "Ready?", body: "Are you ready?" };
  const again = { ...same, again: true };
  const { threadId, messageId } = await say(web, "send", same);
  // Another process of the same part knows of it.
  expect(await say(agent("web"), "send", same)).toMatchObject({
    messageId,
    duplicateOf: messageId,
    warning: expect.stringContaining("again"),
  });
  await act(folder, "api", "ack", { messageIds: [messageId] });
  expect((await say(web, "send", same)).duplicateOf).toBeUndefined();
  await say(web, "send", again);
  await expect(say(agent("web"), "send", again)).rejects.toMatchObject(refusedBy("identical"));
  for (let at = 0; at < 3; at += 1) await say(web, "reply", { threadId, body: "and?" });
  await expect(say(web, "reply", { threadId, body: "and?" })).rejects.toMatchObject(refusedBy("identical"));
  for (let at = 0; at < 22; at += 1) await say(web, "send_message", { to: "api", content: "end:waiting" });
  clock.advance(61_000);
  expect(await say(web, "send", again)).toMatchObject({ recipients: [{ part: "api" }] });
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

test("two parts that only answer each other wake neither after ten messages, main hears of it once, and at fifty they are refused", async () => {
  const [web, api] = [agent("web"), agent("api")];
  const { threadId } = await say(web, "send", { to: ["api"], subject: "s", body: "0" });
  let at = 0;
  const turns = async (count: number): Promise<(string | undefined)[]> => {
    const reasons = [];
    for (const end = at + count; at < end; ) {
      // Whatever the pace.
      clock.advance(700_000);
      at += 1;
      reasons.push((await say(at % 2 === 0 ? web : api, "reply", { threadId, body: `${at}` })).recipients[0].reason);
    }
    return reasons;
  };
  expect(await turns(9)).not.toContain("no_reply");
  expect(await unread("main")).toBe(1);
  expect(new Set(await turns(6))).toEqual(new Set(["no_reply"]));
  expect([updateWake(api, "api").state.kind, await unread("main")]).toEqual(["owed", 1]);
  // A word of somebody else begins the count again.
  await act(folder, "human", "send", { to: ["web"], subject: "Go on", body: "b" });
  expect(await turns(10)).not.toContain("no_reply");
  await turns(40);
  await expect(say(at % 2 === 0 ? api : web, "reply", { threadId, body: "x" })).rejects.toMatchObject({
    ...refusedBy("exchange"),
    message: expect.stringContaining("ask a person"),
  });
  expect(await say(web, "send", { to: ["db"], subject: "Look at this", body: "b" })).toMatchObject({ recipients: [{ wake: "none" }] });
  expect(await say(web, "reply", { threadId, body: "50", expectsReply: false })).toMatchObject({ recipients: [{ reason: "no_reply" }] });
});

test("mail that a part was rung for and answered since is not rung for again", async () => {
  const [web, api] = [agent("web"), agent("api")];
  const { threadId, messageId } = await say(web, "send", { to: ["api"], subject: "s", body: "b" });
  markRung(api, "api", [messageId], "told");
  expect(waitingFor(api, "api").ids).toEqual([messageId]);
  await say(api, "reply", { threadId, body: "b", keep: true });
  expect([waitingFor(api, "api").ids, await unread("api")]).toEqual([[], 1]);
});

test("over a connection it is an answer that says what to do; a person, and a program, are not counted", async () => {
  const web = await connect(folder, { args: ["--part", "web", "--tools", "room"] });
  const same = { to: ["api"], subject: "s", body: "b", again: true };
  for (let at = 0; at < 3; at += 1) expect(await web.call("send", same)).toMatchObject({ success: true });
  expect(await web.call("send", same)).toMatchObject({ success: false, code: "loop", error: expect.stringContaining("`wait`") });
  await web.close();
  expect(await relay(folder, ["send", "api", "s", "b", "--part", "web"])).toMatchObject({ code: 0 });
  for (let at = 0; at < 5; at += 1) await act(folder, "db", "send", { ...same, again: false });
});

test("the limits are those of relay.yml", async () => {
  settle(folder, "loop: { identical: 1, per_minute: 2 }\n");
  const web = agent("web");
  await say(web, "send", { to: ["api"], subject: "s", body: "b" });
  await expect(say(web, "send", { to: ["api"], subject: "s", body: "b", again: true })).rejects.toMatchObject(refusedBy("identical"));
  await say(web, "send", { to: ["api"], subject: "t", body: "b" });
  await expect(say(web, "send", { to: ["api"], subject: "u", body: "b" })).rejects.toMatchObject(refusedBy("per_minute"));
});
