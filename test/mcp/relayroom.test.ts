/** What agents that were written for RelayRoom say, in the shapes in which they say it. */
import { expect, test } from "vitest";
import { act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { type Agent, connect, relay } from "../rig/processes.ts";

const room = (folder: string, part: string, ...args: string[]): Promise<Agent> =>
  connect(folder, { args: ["--part", part, "--tools", "room", ...args] });

test("events, hits of search and empty arguments are in the shapes of RelayRoom", async () => {
  const folder = await homeWith("web", "api");
  const [web, api] = await Promise.all([room(folder, "web"), room(folder, "api")]);
  const limited = async (): Promise<string | undefined> =>
    (await relay(folder, ["roster", "--json"])).json.parts.find(({ part }: { part: string }) => part === "web").limitedUntil;
  // An event's detail is an object as well as a text; what a limit says of its end is in it.
  const first = await web.call("send", { to: ["api"], subject: "one", body: "the deadline" });
  for (const detail of [{ threadId: first.threadId }, "for api"])
    expect(await web.call("event", { type: "composing", detail })).toMatchObject({ success: true });
  const resetAt = new Date(Date.now() + 3_600_000).toISOString();
  expect(await web.call("event", { type: "limited", detail: { resetAt } })).toMatchObject({ limitedUntil: resetAt });
  expect(await limited()).toBe(resetAt);
  // Who is out of quota keeps its mail, and is not woken.
  await api.call("send", { to: ["web"], subject: "other", body: "b" });
  expect(await act(folder, "web", "wake_lease", { part: "web", rung: "tmux", holder: "one" })).toMatchObject({ leased: false });
  expect(await web.call("event", { type: "limited" })).toMatchObject({ success: true, lifted: true });
  expect(await limited()).toBeUndefined();
  expect(await act(folder, "web", "wake_lease", { part: "web", rung: "tmux", holder: "one" })).toMatchObject({ leased: true, unread: 1 });
  for (const detail of [{ resetAt: "soon" }, { resetAt: 7 }])
    expect(await web.call("event", { type: "limited", detail })).toMatchObject({ success: false, code: "invalid_argument" });
  expect(await web.call("event", { type: "progress", detail: { text: "x".repeat(8_200) } })).toMatchObject({ code: "invalid_argument" });

  // A hit of search is a thread, the one that was written to last first; of one thread it is a message.
  await api.call("reply", { threadId: first.threadId, body: "deadline? which deadline" });
  const second = await web.call("send", { to: ["api"], subject: "two", body: "another deadline" });
  await api.call("reply", { threadId: first.threadId, body: "that DEADLINE" });
  const found = await web.call("search", { query: "deadline" });
  expect(found).toMatchObject({ total: 4, hits: [{ threadId: first.threadId, matches: 3 }, { threadId: second.threadId }] });
  expect([found.hits[0].snippet, found.hits[1].matches]).toEqual(["that DEADLINE", undefined]);
  const paged = await web.call("search", { query: "deadline", limit: 1 });
  const rest = await web.call("search", { query: "deadline", limit: 1, cursor: paged.cursor });
  expect([paged.hits[0].threadId, rest.hits[0].threadId]).toEqual([first.threadId, second.threadId]);
  expect(await web.call("search", { query: "deadline", thread: first.threadId })).toMatchObject({ total: 3 });

  // What is empty was not given, but for a recipient: left out, it would be all.
  for (const [tool, args] of Object.entries({
    inbox: { cursor: "", limit: "" },
    threads: { status: "", part: "", q: "", cursor: "" },
    search: { query: "coast", part: "", thread: "", since: "" },
    event: { type: "progress", detail: "", resetAt: "" },
    send: { to: "api", subject: "s", body: "b", urgent: "", needsHuman: "", tags: "", idempotency_key: "" },
  }))
    expect(await web.call(tool, args), tool).toMatchObject({ success: true });
  expect(await api.call("reply", { threadId: first.threadId, body: "to whom?", to: "" })).toMatchObject({ code: "bad_part" });
  for (const agent of [web, api]) await agent.close();
});
