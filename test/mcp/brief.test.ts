/** A short message costs a model two calls and few words: wake, look, answer and ack in one. */
import fs from "node:fs";
import path from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { beforeEach, describe, expect, test } from "vitest";
import { leanly } from "../../mcp/brief-answer.ts";
import { shortNames } from "../../protocol/core/format/id.ts";
import { act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { type Agent, connect, relay } from "../rig/processes.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});
const bound = (part: string): Promise<Agent> => connect(folder, { args: ["--part", part, "--tools", "room"] });
/** Exactly what a model is given. */
const raw = async (agent: Agent, name: string, args: Record<string, unknown> = {}): Promise<string> =>
  ((await agent.client.callTool({ name, arguments: args })).content as { text: string }[])[0]?.text as string;

describe("the cycle", () => {
  test("look and answer: two calls, whose words are few, and nothing is unread after them", async () => {
    const [web, api] = [await bound("web"), await bound("api")];
    await web.call("send", { to: ["api"], subject: "Price?", body: "Which field has the price?" });
    const looked = await raw(api, "inbox");
    const [message] = JSON.parse(looked).messages;
    expect(message).toEqual({
      messageId: `${message.threadId}-1`,
      threadId: expect.stringMatching(/^[0-9a-z]{8}$/),
      subject: "Price?",
      from: "web",
      at: expect.any(String),
      body: "Which field has the price?",
    });
    const args = { threadId: message.threadId, body: "It is `amount`.", ack: true };
    const answered = await raw(api, "reply", args);
    expect(JSON.parse(answered)).toMatchObject({ acked: [message.messageId], unread: 0 });
    // The doorbell that wakes it has some 27 more.
    const calls = [
      { name: "inbox", arguments: {} },
      { name: "reply", arguments: args },
    ].map((call) => JSON.stringify(call));
    expect([...calls, looked, answered].reduce((sum, text) => sum + encode(text).length, 0)).toBeLessThanOrEqual(180);
    expect(await api.call("inbox")).toMatchObject({ unread: 0 });
    expect(await web.call("show", { threadId: message.messageId })).toMatchObject({ messages: [{}, { body: "It is `amount`." }] });
    for (const agent of [web, api]) await agent.close();
  });
});

describe("ack with an answer", () => {
  test("close acks one's own before it clears the others'", async () => {
    const { threadId, messageId } = await act(folder, "web", "send", { to: ["api", "human"], subject: "one", body: "b" });
    await act(folder, "api", "inbox");
    expect(await act(folder, "api", "close", { threadId, status: "holding", ack: true })).toMatchObject({
      acked: [messageId],
      unread: 0,
      cleared: [],
    });
    await act(folder, "web", "reply", { threadId, body: "more" });
    await act(folder, "api", "inbox");
    expect(await act(folder, "api", "close", { threadId, ack: true })).toMatchObject({
      acked: [{}],
      cleared: [{ part: "human" }, { part: "human" }],
    });
    const { messages } = await act(folder, "web", "show", { threadId });
    expect(messages[0].receipts.find(({ part }: { part: string }) => part === "api").state).toBe("acked");
  });

  test("an answer that was sent before under its key acks all the same", async () => {
    const { threadId } = await act(folder, "web", "send", { to: ["api"], subject: "one", body: "b" });
    const input = { threadId, body: "done", idempotency_key: "k" };
    await act(folder, "api", "reply", input);
    await act(folder, "api", "inbox");
    expect(await act(folder, "api", "reply", { ...input, ack: true })).toMatchObject({ acked: [{}], unread: 0 });
  });
});

describe("bodies in the inbox", () => {
  test("short ones whole, long ones as a preview, and never more than a few pages of them", async () => {
    for (let at = 0; at < 14; at += 1)
      await act(folder, "web", "send", { to: ["api"], subject: `${at}`, body: `${at} `.repeat(250).slice(0, 500) });
    await act(folder, "web", "send", { to: ["api"], subject: "long", body: "x".repeat(601) });
    const { messages } = await act(folder, "api", "inbox");
    // Two sends of one millisecond stand in either order.
    expect(messages.find(({ subject }: { subject: string }) => subject === "long").body).toBeUndefined();
    const shown = messages.map(({ body }: { body?: string }) => body?.length ?? 0);
    expect(shown.toSorted()).toEqual([0, 0, 0, ...Array(12).fill(500)]);
  });
});

describe("short names", () => {
  test("every tool takes them, and they cost no look at other threads", async () => {
    const sent = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    const short = shortNames([sent.messageId])(sent.messageId);
    const thread = shortNames([sent.threadId])(sent.threadId);
    const api = await bound("api");
    for (const threadId of [thread, short]) expect(await api.call("show", { threadId })).toMatchObject({ messages: [{ body: "b" }] });
    expect(await api.call("search", { query: "b", thread })).toMatchObject({ total: 1 });
    expect((await api.call("next", { all: true })).text).toContain(`(${short}, now)`);
    await expect(api.client.readResource({ uri: `relay://thread/${thread}` })).resolves.toBeTruthy();
    expect(await api.call("ack", { messageIds: [short] })).toMatchObject({ acked: [short] });
    expect(await api.call("ack", { threadId: thread })).toMatchObject({ alreadyRead: [short] });
    expect(await api.call("reply", { threadId: short, body: "c" })).toMatchObject({ threadId: thread, messageId: `${thread}-2` });
    expect(await api.call("close", { threadId: thread })).toMatchObject({ threadId: thread, status: "closed" });
    await api.close();
  });

  test("two messages of one number keep their whole ids; a twin of a thread on another day is refused, and named", async () => {
    const first = "m-20260131-k3f9x2ab-2-1kg9p6je0khyvdn0me1qn97a8";
    const twin = "m-20260131-k3f9x2ab-2-1kg9p6je0khyvdn0me1qn97a9";
    const names = shortNames([first, twin, "m-20260131-k3f9x2ab-3-1kg9p6je0khyvdn0me1qn97a8", "t-20260131-k3f9x2ab"]);
    expect([first, twin].map(names)).toEqual([first, twin]);
    expect(names("t-20260131-k3f9x2ab")).toBe("k3f9x2ab");
    const { threadId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    const [, day = "", random = ""] = threadId.split("-");
    const dated = (text: string): string => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
    const from = path.join(folder, ".relay/threads", dated(day), threadId);
    const other = path.join(folder, ".relay/threads/2020-01-01", `t-20200101-${random}`);
    fs.cpSync(from, other, { recursive: true });
    await expect(act(folder, "api", "show", { threadId: random })).rejects.toMatchObject({ code: "ambiguous_id" });
    expect(await act(folder, "api", "show", { threadId })).toMatchObject({ messages: [{ body: "b" }] });
  });

  test("a piece that means a message is not taken over by a thread of that name, nor a session by another", async () => {
    const { threadId, messageId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    const piece = (messageId.split("-").at(-1) as string).slice(-5);
    expect(await act(folder, "api", "show", { threadId: piece })).toMatchObject({ messages: [{ body: "b" }] });
    const pushed = `t-20200101-${piece}aaa`;
    const from = path.join(folder, ".relay/threads", `${threadId.slice(2, 6)}-${threadId.slice(6, 8)}-${threadId.slice(8, 10)}`, threadId);
    fs.cpSync(from, path.join(folder, ".relay/threads/2020-01-01", pushed), { recursive: true });
    const error = await act(folder, "api", "reply", { threadId: piece, body: "for web" }).catch((refused) => refused);
    expect(error).toMatchObject({ code: "ambiguous_id", data: { candidates: expect.arrayContaining([threadId, pushed]) } });
  });

  test("of any number of ids that a piece fits, an answer names a few and says how many there are", async () => {
    const { threadId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    const [, day = "", random = ""] = threadId.split("-");
    const from = path.join(folder, ".relay/threads", `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`, threadId);
    for (let at = 10; at < 100; at += 1)
      fs.cpSync(from, path.join(folder, `.relay/threads/2020-01-01/t-20200101-${random.slice(0, 5)}${at}x`), { recursive: true });
    const five = Array.from({ length: 5 }, () => expect.any(String));
    const api = await bound("api");
    const answer = await raw(api, "show", { threadId: random.slice(0, 5) });
    expect(JSON.parse(answer)).toMatchObject({ code: "ambiguous_id", candidates: five, count: 91 });
    expect(answer.length).toBeLessThan(1_000);
    await api.close();
    const { json } = await relay(folder, ["show", random.slice(0, 5), "--json", "--part", "api"]);
    expect(json).toMatchObject({ candidates: five, count: 91 });
    expect(json.error).toContain("fits 91 ids");
  });

  test("an answer says that something is new, until it was told", async () => {
    const web = await bound("web");
    await web.call("next");
    await act(folder, "api", "send", { to: ["web"], subject: "Stop", body: "b" });
    const args = { to: ["api"], subject: "s", body: "b" };
    expect(await web.call("send", args)).toMatchObject({ news: "`wait` shows it" });
    await web.call("wait");
    expect(await web.call("send", args)).not.toHaveProperty("news");
    await web.close();
  });

  test("a short name that an acked message has is not taken over by an unread one", async () => {
    const { messageId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    const short = messageId.split("-").slice(2, 4).join("-");
    expect(await act(folder, "api", "ack", { messageIds: [short] })).toMatchObject({ acked: [messageId] });
    const twin = messageId.slice(0, -1) + (messageId.endsWith("0") ? "1" : "0");
    fs.writeFileSync(path.join(folder, ".relay/inbox/api/new", `${twin}.md`), "x");
    await expect(act(folder, "api", "ack", { messageIds: [short] })).rejects.toMatchObject({ code: "ambiguous_id" });
  });
});
test("an answer of the board lacks nulls and what the call gave, and says ids and instants shortly", () => {
  const comments = "An empty password is accepted, and should not be.";
  const answer = {
    ...{ success: true, claimed: true, until: 1_769_857_200 },
    review: { id: "review-k3f9x2ab7q", comments, origin: null, created_at: 1_769_853_600 },
    tasks: [{ depth: 0, status: "todo", created_by: "web", created_at: 1, updated_at: 1_769_853_840, commit: "5e817e8".padEnd(40, "0") }],
  };
  expect(leanly(answer, { comments }, 1_769_853_900_000)).toEqual({
    ...{ success: true, claimed: true, review: { id: "k3f9", created_at: "5m ago" } },
    tasks: [{ status: "todo", updated_at: "1m ago", commit: "5e817e8" }],
  });
});
