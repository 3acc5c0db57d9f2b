/** What agents that were written for RelayRoom say, in the shapes in which they say it. */
import { beforeEach, expect, test } from "vitest";
import { homeWith } from "../rig/home.ts";
import { type Agent, connect, relay } from "../rig/processes.ts";

let folder: string;
let web: Agent;
let api: Agent;
beforeEach(async () => {
  folder = await homeWith("web", "api");
  [web, api] = (await Promise.all(["web", "api"].map((part) => connect(folder, { args: ["--part", part, "--tools", "room"] })))) as [
    Agent,
    Agent,
  ];
});
/** A test of both, who leave at its end. */
const both = (what: string, step: () => Promise<void>): void =>
  test(what, async () => {
    await step();
    await web.close();
    await api.close();
  });
const limited = async (): Promise<string | undefined> =>
  (await relay(folder, ["roster", "--json"])).json.parts.find(({ part }: { part: string }) => part === "web").limitedUntil;

both("an event's detail is an object as well as a text; what a limit says of its end is in it", async () => {
  const { threadId } = await web.call("send", { to: ["api"], subject: "s", body: "b" });
  expect(await web.call("event", { type: "composing", detail: { threadId } })).toMatchObject({ success: true });
  expect(await web.call("event", { type: "composing", detail: "for api" })).toMatchObject({ success: true });
  const resetAt = new Date(Date.now() + 3_600_000).toISOString();
  expect(await web.call("event", { type: "limited", detail: { resetAt } })).toMatchObject({ limitedUntil: resetAt });
  expect(await limited()).toBe(resetAt);
  expect(await web.call("event", { type: "limited" })).toMatchObject({ success: true, lifted: true });
  expect(await limited()).toBeUndefined();
  for (const detail of [{ resetAt: "soon" }, { resetAt: 7 }])
    expect(await web.call("event", { type: "limited", detail })).toMatchObject({ success: false, code: "invalid_argument" });
  expect(await web.call("event", { type: "progress", detail: { text: "x".repeat(8_200) } })).toMatchObject({ code: "invalid_argument" });
});

both("an event that belongs to one that is not there is refused", async () => {
  const { eventId } = await web.call("event", { type: "begun" });
  expect(await web.call("event", { type: "progress", parentEventId: eventId })).toMatchObject({ success: true });
  const foreign = await web.call("event", { type: "progress", parentEventId: "e-20200101-00000000000000" });
  expect(foreign).toMatchObject({ success: false, code: "invalid_argument" });
});

both("a hit of search is a thread, the one that was written to last first; of one thread it is a message", async () => {
  const first = await web.call("send", { to: ["api"], subject: "one", body: "the deadline" });
  await api.call("reply", { threadId: first.threadId, body: "deadline? which deadline" });
  const second = await web.call("send", { to: ["api"], subject: "two", body: "another deadline" });
  await api.call("reply", { threadId: first.threadId, body: "that DEADLINE" });
  const found = await web.call("search", { query: "deadline" });
  expect(found).toMatchObject({ total: 4, hits: [{ threadId: first.threadId, matches: 3 }, { threadId: second.threadId }] });
  expect(found.hits[0].snippet).toBe("that DEADLINE");
  expect(found.hits[1].matches).toBeUndefined();
  const [head] = (await web.call("search", { query: "deadline", limit: 1 })).hits;
  const paged = await web.call("search", { query: "deadline", limit: 1 });
  const rest = await web.call("search", { query: "deadline", limit: 1, cursor: paged.cursor });
  expect([head.threadId, rest.hits[0].threadId]).toEqual([first.threadId, second.threadId]);
  expect(await web.call("search", { query: "deadline", thread: first.threadId })).toMatchObject({ total: 3 });
});
