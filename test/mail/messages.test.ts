import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LIMITS, operations, perform, Refusal, type World } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { held, put, tree } from "../rig/scratch.ts";

let folder: string;
let clock: ReturnType<typeof held>;
const as = (part: string | undefined): World => worldAt(folder, { part, now: clock.now, random: clock.random });
const run = (part: string | undefined, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  perform(as(part), operations[name], input);

/** The refusal of a call, which must leave every file as it was. */
async function refused(part: string | undefined, name: keyof typeof operations, input: Record<string, unknown>): Promise<Refusal> {
  const before = tree(path.join(folder, ".relay"));
  try {
    await run(part, name, input);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect(tree(path.join(folder, ".relay"))).toEqual(before);
    return error as Refusal;
  }
  throw new Error(`${name} was not refused`);
}

beforeEach(async () => {
  folder = await homeWith("web", "api");
  clock = held();
});

describe("send", () => {
  test("lays down exactly these files", async () => {
    const sent = await run("web", "send", { to: ["api"], subject: "Price?", body: "Which field?", urgent: true });
    expect(sent).toEqual({
      threadId: "t-20260131-00000001",
      messageId: "m-20260131-00000001-1-1kg9p6je00ycrq7cwmg2dt6vj",
      recipients: [{ part: "api", state: "stored", online: false, wake: "none", reason: "no_pager" }],
    });
    const text = `---\nid: "${sent.messageId}"\nthread: "${sent.threadId}"\nfrom: "web"\nto: ["api"]\nat: "2026-01-31T09:30:00.000Z"\nsubject: "Price?"\nurgent: true\n---\nWhich field?\n`;
    expect(tree(path.join(folder, ".relay"), /^(\.|run|local|relay\.yml|RELAY\.md)/)).toEqual({
      [`threads/2026-01-31/${sent.threadId}/1-1kg9p6je00ycrq7cwmg2dt6vj.md`]: text,
      [`inbox/api/new/${sent.messageId}.md`]: text,
    });
    const inode = (at: string): number => fs.statSync(path.join(folder, ".relay", at)).ino;
    expect(inode(`inbox/api/new/${sent.messageId}.md`)).toBe(inode(`threads/2026-01-31/${sent.threadId}/1-1kg9p6je00ycrq7cwmg2dt6vj.md`));
    expect(fs.readdirSync(path.join(folder, ".relay/local/pending"))).toEqual([]);
  });

  test("to several, to all, and to human", async () => {
    expect(
      (await run("web", "send", { to: ["api", "main", "api"], subject: "s", body: "b" })).recipients.map((to: Answer) => to.part),
    ).toEqual(["api", "main"]);
    expect((await run("web", "send", { to: ["*"], subject: "s", body: "b" })).recipients.map((to: Answer) => to.part)).toEqual([
      "main",
      "api",
    ]);
    expect((await run("web", "send", { to: "human", subject: "s", body: "b", needsHuman: true })).recipients).toMatchObject([
      { part: "human", reason: "human" },
    ]);
    expect((await run("web", "send", { to: ["*", "human"], subject: "s", body: "b" })).recipients).toHaveLength(3);
  });

  test("refuses unknown parts with the nearest, oneself and an empty list, and writes nothing", async () => {
    expect(await refused("web", "send", { to: ["aip"], subject: "s", body: "b" })).toMatchObject({
      code: "unknown_part",
      exit: 3,
      data: { given: ["aip"], nearest: ["api"] },
    });
    expect(await refused("web", "send", { to: ["api", "aip"], subject: "s", body: "b" })).toMatchObject({ code: "unknown_part" });
    expect(await refused("web", "send", { to: ["web"], subject: "s", body: "b" })).toMatchObject({ code: "to_self" });
    expect(await refused("web", "send", { to: [], subject: "s", body: "b" })).toMatchObject({ code: "invalid_argument" });
    expect(await refused("web", "send", { to: ["../api"], subject: "s", body: "b" })).toMatchObject({ code: "bad_part" });
  });

  test.each([
    ["subject", "", "at least 1"],
    ["subject", "x".repeat(257), "at most 256"],
    ["subject", "two\nlines", "one line"],
    ["subject", "   ", "white space"],
    ["body", "", "at least 1"],
    ["body", "x".repeat(65_537), "at most 65536"],
    ["body", "a\0b", "NUL"],
    ["body", "\ud800", "surrogates"],
    ["body", 7, "expected a text"],
    ["urgent", "yes", "expected true or false"],
    ["tags", Array(17).fill("x"), "at most 16"],
    ["to", Array(65).fill("api"), "at most 64"],
    ["idempotency_key", "k".repeat(257), "at most 256"],
  ])("refuses %s %j by name and number, with an example", async (argument, value, expected) => {
    const refusal = await refused("web", "send", { to: ["api"], subject: "s", body: "b", [argument]: value });
    expect(refusal).toMatchObject({ code: "invalid_argument", exit: 2, data: { argument: expect.stringContaining(argument) } });
    expect(refusal.message).toContain(expected);
  });

  test("takes what is just within the limits", async () => {
    const sent = await run("web", "send", {
      to: ["api"],
      subject: "😀".repeat(128),
      body: "€".repeat(65_536),
      idempotency_key: "k".repeat(256),
    });
    expect((await run("api", "show", { threadId: sent.threadId })).messages[0].body).toHaveLength(65_536);
  });

  test("names arguments in either case style, and refuses others with the nearest", async () => {
    await run("web", "send", { to: ["human"], subject: "s", body: "b", needs_human: true, idempotencyKey: "one" });
    expect((await run("human", "inbox")).unread).toBe(1);
    expect(await refused("web", "send", { to: ["api"], subject: "s", bdy: "b" })).toMatchObject({
      code: "unknown_argument",
      data: { nearest: ["body"] },
    });
  });

  test("a question for a person reaches human too, in a send and in a reply", async () => {
    const { threadId, recipients } = await run("web", "send", { to: ["api"], subject: "Which?", body: "b", needsHuman: true });
    expect(recipients.map(({ part }: { part: string }) => part)).toEqual(["api", "human"]);
    const other = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    await run("api", "reply", { threadId: other.threadId, body: "b", needsHuman: true });
    expect((await run("human", "inbox")).unread).toBe(2);
    await run("human", "reply", { threadId, to: ["web"], body: "The first.", needsHuman: true });
    expect((await run("human", "inbox")).unread).toBe(1);
  });

  test("an idempotency key makes one message, and answers the first result whatever else is given", async () => {
    const first = await run("web", "send", { to: ["api"], subject: "s", body: "b", idempotency_key: "k" });
    const again = await run("web", "send", { to: ["main"], subject: "other", body: "other", idempotency_key: "k" });
    expect(again).toEqual(first);
    expect((await run("web", "threads")).threads).toHaveLength(1);
    const others = await run("api", "send", { to: ["main"], subject: "s", body: "b", idempotency_key: "k" });
    expect(others.messageId).not.toBe(first.messageId);
    const answered = await run("api", "reply", { threadId: first.threadId, body: "b", idempotency_key: "k" });
    expect(await run("api", "reply", { threadId: first.threadId, body: "b", idempotency_key: "k" })).toEqual(answered);
    expect((await run("web", "show", { threadId: first.threadId })).messages).toHaveLength(2);
  });
});

describe("reply", () => {
  test("goes to everyone in the thread but oneself, unless to says otherwise", async () => {
    const { threadId } = await run("web", "send", { to: ["api", "main"], subject: "s", body: "b" });
    expect((await run("api", "reply", { threadId, body: "r" })).recipients.map((to: Answer) => to.part)).toEqual(["web", "main"]);
    expect((await run("api", "reply", { threadId, body: "r", to: ["human"] })).recipients.map((to: Answer) => to.part)).toEqual(["human"]);
    expect((await run("web", "reply", { threadId, body: "r" })).recipients.map((to: Answer) => to.part)).toEqual(["api", "main", "human"]);
  });

  test("goes to those who are still there, past a removed part", async () => {
    const { threadId } = await run("web", "send", { to: ["api", "main"], subject: "s", body: "b" });
    const { threadId: alone } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    await run("human", "part_remove", { part: "api", force: true });
    expect((await run("main", "reply", { threadId, body: "r" })).recipients.map((to: Answer) => to.part)).toEqual(["web"]);
    expect((await run("web", "reply", { threadId, body: "r" })).recipients.map((to: Answer) => to.part)).toEqual(["main"]);
    expect(await refused("web", "reply", { threadId: alone, body: "r" })).toMatchObject({
      code: "to_nobody",
      message: expect.stringContaining("api is not a part now"),
    });
  });

  test("a subject is one line, however its thread came to be called", async () => {
    const content = `\u0007${"😀".repeat(39)}x\u0001${"😀".repeat(9)}`;
    const { message_id: messageId } = await run("web", "send_message", { to: "api", content });
    expect((await run("api", "inbox")).messages).toMatchObject([{ messageId }]);
    expect(await run("api", "check")).toMatchObject({ findings: [] });
  });

  test("to the asker, it sets answered; a new question opens again", async () => {
    const { threadId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    const status = async (): Promise<string> => (await run("web", "show", { threadId })).thread.status;
    expect(await status()).toBe("open");
    await run("api", "reply", { threadId, body: "r", to: ["main"] });
    expect(await status()).toBe("open");
    await run("api", "reply", { threadId, body: "r" });
    expect(await status()).toBe("answered");
    await run("web", "reply", { threadId, body: "and?" });
    expect(await status()).toBe("open");
  });

  test("to a closed or canceled thread is refused", async () => {
    for (const status of ["closed", "canceled"]) {
      const { threadId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
      await run("web", "close", { threadId, status });
      expect(await refused("api", "reply", { threadId, body: "r" })).toMatchObject({ code: "thread_closed", exit: 4, data: { status } });
      await run("web", "reopen", { threadId });
      await run("api", "reply", { threadId, body: "r" });
    }
  });

  test("to a thread that is not there is refused; a unique piece of an id is enough", async () => {
    expect(await refused("api", "reply", { threadId: "t-20260131-zzzzzzzz", body: "r" })).toMatchObject({
      code: "unknown_thread",
      exit: 3,
    });
    expect(await refused("api", "reply", { threadId: "../../x", body: "r" })).toMatchObject({ code: "unknown_thread" });
    const { threadId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    const other = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    expect((await run("api", "reply", { threadId: threadId.slice(-4), body: "r" })).threadId).toBe(threadId);
    expect((await run("api", "reply", { threadId: other.messageId, body: "r" })).threadId).toBe(other.threadId);
    expect(await refused("api", "reply", { threadId: "0000", body: "r" })).toMatchObject({ code: "ambiguous_id" });
  });
});

describe("inbox and ack", () => {
  test("newest first, with previews, and nothing marked read", async () => {
    for (const subject of ["one", "two", "three"]) {
      await run("web", "send", { to: ["api"], subject, body: `${subject}\n\n  ${"word ".repeat(60)}`, urgent: subject === "two" });
      clock.advance(1);
    }
    const first = await run("api", "inbox");
    expect(first.messages.map((message: Answer) => message.subject)).toEqual(["three", "two", "one"]);
    expect(first.messages[1]).toMatchObject({ from: "web", unread: true, urgent: true, at: "2026-01-31T09:30:00.001Z" });
    expect(first.messages[0].preview).toHaveLength(160);
    expect(await run("api", "inbox")).toEqual(first);
    expect(first).toMatchObject({ unread: 3, cursor: null });
  });

  test("pages to older entries, though some were acked meanwhile", async () => {
    for (let round = 0; round < 7; round += 1) {
      await run("web", "send", { to: ["api"], subject: `s${round}`, body: "b" });
      clock.advance(1);
    }
    const first = await run("api", "inbox", { limit: 3 });
    expect(first.messages.map((message: Answer) => message.subject)).toEqual(["s6", "s5", "s4"]);
    await run("api", "ack", { messageIds: first.messages.map((message: Answer) => message.messageId) });
    const second = await run("api", "inbox", { limit: 3, cursor: first.cursor });
    expect(second.messages.map((message: Answer) => message.subject)).toEqual(["s3", "s2", "s1"]);
    const last = await run("api", "inbox", { limit: 3, cursor: second.cursor });
    expect(last).toMatchObject({ cursor: null, unread: 4, messages: [{ subject: "s0" }] });
    const all = await run("api", "inbox", { unreadOnly: false });
    expect(all.messages.map((message: Answer) => message.unread)).toEqual([false, false, false, true, true, true, true]);
    expect(await refused("api", "inbox", { cursor: "nonsense" })).toMatchObject({ code: "invalid_argument" });
    expect(await refused("api", "inbox", { limit: 201 })).toMatchObject({ code: "invalid_argument" });
  });

  test("ack takes one, several, a thread, or a piece of an id; twice is fine", async () => {
    const one = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    clock.advance(1);
    const two = await run("web", "reply", { threadId: one.threadId, body: "b" });
    const three = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    clock.advance(1);
    expect(await run("api", "ack", { messageId: one.messageId.slice(-6) })).toEqual({ acked: [one.messageId], alreadyRead: [], unread: 2 });
    expect(await run("api", "ack", { messageIds: [one.messageId, three.messageId] })).toEqual({
      acked: [three.messageId],
      alreadyRead: [one.messageId],
      unread: 1,
    });
    await run("api", "inbox");
    expect(await run("api", "ack", { threadId: one.threadId })).toEqual({ acked: [two.messageId], alreadyRead: [], unread: 0 });
    expect(await run("api", "ack", { threadId: one.threadId })).toEqual({
      acked: [],
      alreadyRead: expect.arrayContaining([one.messageId, two.messageId]),
      unread: 0,
    });
    expect(await refused("main", "ack", { threadId: one.threadId })).toMatchObject({ code: "not_your_message" });
    const files = tree(path.join(folder, ".relay/inbox/api"));
    expect(Object.keys(files).sort()).toEqual([one, two, three].map(({ messageId }) => `read/2026-01-31/${messageId}.md`).sort());
  });

  test("another's message, and one that is not there, are refused; then nothing is acked", async () => {
    const mine = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    const other = await run("web", "send", { to: ["main"], subject: "s", body: "b" });
    expect(await refused("api", "ack", { messageIds: [mine.messageId, other.messageId] })).toMatchObject({
      code: "not_your_message",
      exit: 4,
    });
    expect(await refused("api", "ack", { messageIds: [mine.messageId, "m-20260131-zzzzzzzz-1-zzzzzzzzzzzzzz"] })).toMatchObject({
      code: "unknown_message",
    });
    expect(await refused("api", "ack", { messageIds: ["../../relay.yml"] })).toMatchObject({ code: "unknown_message" });
    expect(await refused("api", "ack", {})).toMatchObject({ code: "invalid_argument" });
    expect(await refused("api", "ack", { messageId: mine.messageId, threadId: mine.threadId })).toMatchObject({ code: "invalid_argument" });
  });
});

describe("show, threads, receipts", () => {
  test("receipts say how far each message came", async () => {
    const sent = await run("web", "send", { to: ["api", "main", "human"], subject: "s", body: "b" });
    const states = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await run("web", "show", { threadId: sent.threadId })).messages[0].receipts.map((receipt: Answer) => [
          receipt.part,
          receipt.state,
        ]),
      );
    expect(await states()).toEqual({ api: "stored", main: "stored", human: "stored" });
    await run("api", "inbox");
    expect(await states()).toEqual({ api: "fetched", main: "stored", human: "stored" });
    await run("api", "ack", { threadId: sent.threadId });
    await run("main", "reply", { threadId: sent.threadId, body: "r" });
    expect(await states()).toEqual({ api: "acked", main: "replied", human: "stored" });
    await run("web", "close", { threadId: sent.threadId });
    expect(await states()).toEqual({ api: "acked", main: "closed-unread", human: "closed-unread" });
  });

  test("show pages from the end, each page from old to new", async () => {
    const { threadId } = await run("web", "send", { to: ["api"], subject: "s", body: "0" });
    for (let round = 1; round < 5; round += 1) await run("web", "reply", { threadId, body: String(round) });
    const first = await run("api", "show", { threadId, limit: 2 });
    expect(first.messages.map((message: Answer) => message.body)).toEqual(["3", "4"]);
    const second = await run("api", "show", { threadId, limit: 2, cursor: first.cursor });
    expect(second.messages.map((message: Answer) => message.body)).toEqual(["1", "2"]);
    expect(
      (await run("api", "show", { threadId, limit: 2, cursor: second.cursor })).messages.map((message: Answer) => message.body),
    ).toEqual(["0"]);
    expect(first.thread).toMatchObject({ messages: 5, unread: 5, participants: ["web", "api"] });
  });

  test("threads: the one written to last first; by status, participant, subject; paged", async () => {
    const sent: Answer[] = [];
    for (const subject of ["alpha", "beta", "gamma"]) {
      sent.push(await run("web", "send", { to: [subject === "beta" ? "main" : "api"], subject, body: "b" }));
      clock.advance(1_000);
    }
    await run("web", "reply", { threadId: sent[0].threadId, body: "more" });
    const subjects = async (input: Record<string, unknown>): Promise<string[]> =>
      (await run("api", "threads", input)).threads.map((thread: Answer) => thread.subject);
    expect(await subjects({})).toEqual(["alpha", "gamma", "beta"]);
    await run("web", "close", { threadId: sent[1].threadId, status: "holding" });
    expect(await subjects({ status: "answered" })).toEqual([]);
    expect(await subjects({ status: "holding" })).toEqual(["beta"]);
    expect(await subjects({ part: "main" })).toEqual(["beta"]);
    expect(await subjects({ q: "ALPH" })).toEqual(["alpha"]);
    const first = await run("api", "threads", { part: "api", limit: 1 });
    expect(first.threads[0].subject).toBe("alpha");
    const second = await run("api", "threads", { part: "api", limit: 1, cursor: first.cursor });
    expect(second.threads[0]).toMatchObject({
      subject: "gamma",
      createdAt: "2026-01-31T09:30:02.000Z",
      lastAt: "2026-01-31T09:30:02.000Z",
    });
    const rest = await run("api", "threads", { part: "api", limit: 1, cursor: second.cursor });
    expect(rest).toMatchObject({ threads: [], cursor: null });
    clock.advance(1_000);
    await run("api", "reply", { threadId: sent[2].threadId, body: "r" });
    expect(await subjects({ status: "answered" })).toEqual(["gamma"]);
    expect(await subjects({})).toEqual(["gamma", "alpha", "beta"]);
    expect(await subjects({ from: "api" })).toEqual(["gamma"]);
    expect(await subjects({ from: "web", part: "main" })).toEqual(["beta"]);
    expect(await subjects({ from: "main" })).toEqual([]);
  });
});

describe("close", () => {
  test("is for participants, main and people", async () => {
    const { threadId } = await run("web", "send", { to: ["human"], subject: "s", body: "b" });
    expect(await refused("api", "close", { threadId })).toMatchObject({
      code: "not_participant",
      data: { participants: ["web", "human"] },
    });
    for (const part of ["web", "main", "human"]) expect(await run(part, "close", { threadId })).toMatchObject({ status: "closed" });
  });

  test("clears what is unread, and lists it; holding clears nothing", async () => {
    const sent = await run("web", "send", { to: ["api", "main"], subject: "s", body: "b" });
    expect(await run("web", "close", { threadId: sent.threadId, status: "holding" })).toMatchObject({ cleared: [] });
    await run("main", "ack", { messageId: sent.messageId });
    const closed = await run("web", "close", { threadId: sent.threadId });
    expect(closed.cleared).toEqual([{ part: "api", messageId: sent.messageId }]);
    expect((await run("api", "inbox")).unread).toBe(0);
    await run("web", "reopen", { threadId: sent.threadId });
    expect((await run("web", "show", { threadId: sent.threadId })).messages[0].receipts).toEqual([
      { part: "api", state: "closed-unread" },
      { part: "main", state: "acked" },
    ]);
  });

  test("keeps a lesson, dated, in the project's memory; what was there stays", async () => {
    const { threadId } = await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    const memory = path.join(folder, ".relay/memory/project.md");
    put(memory, "# Ours\r\nkeep");
    await run("web", "close", { threadId, lesson: "Prices are in cents." });
    expect(fs.readFileSync(memory, "utf8")).toBe(`# Ours\r\nkeep\r\n\r\n---\r\n_2026-01-31_\r\n\r\nPrices are in cents. (${threadId})\r\n`);
  });
});

describe("search", () => {
  beforeEach(async () => {
    await run("web", "send", { to: ["api"], subject: "The price", body: "amount (in cents), a.b" });
    clock.advance(1_000);
    await run("api", "send", { to: ["main"], subject: "Ünïcode “quoted”", body: 'back\\slash and "quotes"\nsecond line' });
    clock.advance(1_000);
    await run("main", "send", { to: ["web"], subject: "from api", body: "AMOUNT again" });
  });
  const subjects = async (input: Record<string, unknown>): Promise<string[]> =>
    (await run("web", "search", input)).hits.map((hit: Answer) => hit.subject);

  test("is literal and without regard to case, newest first, in subjects and bodies", async () => {
    expect(await subjects({ query: "amount" })).toEqual(["from api", "The price"]);
    expect(await subjects({ query: "a.b" })).toEqual(["The price"]);
    expect(await subjects({ query: "(in" })).toEqual(["The price"]);
    expect(await subjects({ query: "the PRICE" })).toEqual(["The price"]);
    expect(await subjects({ query: "ünïcode" })).toEqual(["Ünïcode “quoted”"]);
    expect(await subjects({ query: '\\slash and "q' })).toEqual(["Ünïcode “quoted”"]);
    expect(await subjects({ query: "-e" })).toEqual([]);
    expect(await subjects({ query: "2026-01-31" })).toEqual([]);
    expect(await subjects({ query: "thread" })).toEqual([]);
    for (const input of [{ query: "(", regex: true }, { query: "x".repeat(LIMITS.query + 1) }])
      expect(await refused("web", "search", input)).toMatchObject({ code: "invalid_argument" });
  });
});

describe("event", () => {
  test("is one whole line, also after a torn one", async () => {
    const { eventId } = await run("web", "event", { type: "composing", detail: "a\nb", usage: { input: 3 } });
    const folderOf = path.join(folder, ".relay/events/2026-01-31");
    const file = path.join(folderOf, fs.readdirSync(folderOf)[0] as string);
    fs.appendFileSync(file, '{"torn');
    await run("api", "event", { type: "error", parentEventId: eventId });
    for (const odd of ["../../../x", "x", `${eventId}/..`, "m-20260131-00000001-1-1kg9p6je00ycrq7cwmg2dt6vj"])
      expect(await refused("api", "event", { type: "error", parentEventId: odd })).toMatchObject({ code: "invalid_argument" });
    const lines = fs.readFileSync(file, "utf8").split("\n");
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[0] as string)).toEqual({
      id: eventId,
      at: "2026-01-31T09:30:00.000Z",
      part: "web",
      type: "composing",
      detail: "a\nb",
      usage: { input: 3 },
    });
    expect(JSON.parse(lines[2] as string)).toMatchObject({ part: "api", type: "error", parent_event_id: eventId });
  });

  test("limited says until when, at most a day, and a sender sees it", async () => {
    expect(await run("web", "event", { type: "limited" })).toMatchObject({ lifted: false });
    expect(await refused("web", "event", { type: "limited", resetAt: "soon" })).toMatchObject({ code: "invalid_argument" });
    await run("web", "event", { type: "limited", resetAt: "2027-01-01T00:00:00Z" });
    expect((await run("api", "roster")).parts.find((part: Answer) => part.part === "web").limitedUntil).toBe("2026-02-01T09:30:00.000Z");
    expect((await run("api", "send", { to: ["web"], subject: "s", body: "b" })).recipients[0].reason).toBe("limited");
    clock.advance(86_400_001);
    expect((await run("api", "send", { to: ["web"], subject: "s", body: "b" })).recipients[0].reason).toBe("no_pager");
  });
});

describe("wait", () => {
  test("is woken by mail, and by a finished draft in an outbox", async () => {
    const waiting = run("api", "wait", { timeoutSeconds: 120 });
    await run("web", "send", { to: ["api"], subject: "s", body: "b" });
    expect(await waiting).toMatchObject({ timedOut: false });
    await run("api", "ack", { messageIds: [(await run("api", "inbox")).messages[0].messageId] });
    const again = run("api", "wait", { timeoutSeconds: 120 });
    const outbox = path.join(folder, ".relay/outbox/web");
    put(path.join(outbox, ".x"), "---\nto: api\nsubject: shell\n---\nhi\n");
    fs.renameSync(path.join(outbox, ".x"), path.join(outbox, "x.md"));
    expect(await again).toMatchObject({ timedOut: false, messages: [{ subject: "shell" }] });
  });
});

test("a refusal repeats no more than the beginning of what was given, however large, deep or long it is", async () => {
  const world = worldAt(await homeWith("web"), { part: "web" });
  const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;
  const text = "x".repeat(300_000);
  const wrong: [name: string, given: Record<string, unknown>][] = [
    ["an object", { subject: { [text]: text, b: text } }],
    ["a list", { subject: [text, [text], { a: text }] }],
    ["a deep list", { subject: deep }],
    ["a deep list of names", { to: [deep] }],
    ["a name", { [text]: "x" }],
  ];
  for (const [name, given] of wrong) {
    const refusal = await perform(world, operations.send, { to: ["main"], subject: "s", body: "b", ...given } as never).catch(
      (error: Refusal) => error,
    );
    expect(refusal, name).toBeInstanceOf(Refusal);
    const { message, data } = refusal as Refusal;
    expect(`${message} ${JSON.stringify(data)}`.length, name).toBeLessThan(4_000);
    expect(message, name).toContain("…");
  }
  const small = await perform(world, operations.send, { to: ["main"], subject: { a: [1, "b"] }, body: "b" } as never).catch(
    (error) => error,
  );
  expect((small as Refusal).message).toContain('given {"a":[1,"b"]}');
});
