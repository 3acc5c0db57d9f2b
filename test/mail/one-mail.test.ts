/** One mail system under two names: what an agent got by `get_messages` is read for its inbox, its hooks and its wakes. */
import { beforeEach, expect, test } from "vitest";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { connect, onTerminal, type Ran, relay } from "../rig/processes.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});
const stop = async (): Promise<Ran> =>
  relay(folder, ["hook", "stop"], { env: { RELAY_PART: "web" }, input: JSON.stringify({ session_id: "s1", stop_hook_active: false }) });
const unread = async (part = "web"): Promise<number> => (await relay(folder, ["inbox", "--part", part, "--json"])).json.unread;
const say = (content: string, to: string | null = "web"): Promise<Ran> =>
  relay(folder, ["message", "send", content, ...(to === null ? [] : ["--to", to]), "--part", "api", "--json"]);

test("messages that get_messages gave hold no turn, wake no part, and are acked; the others are unread", async () => {
  for (const [at, to] of ["web", null, "web"].entries()) await say(`message ${at}`, to);
  expect(await unread()).toBe(3);
  const web = await connect(folder, { args: ["--part", "web", "--tools", "plugin"] });
  const first = await web.call("get_messages", { limit: 2 });
  expect(first.messages.map(({ content }: { content: string }) => content)).toEqual(["message 0", "message 1"]);
  expect(await unread()).toBe(1);
  expect((await stop()).stdout).toContain("1 unread message");
  const rest = await web.call("get_messages", { after_seq: first.messages[1].seq });
  expect(rest.messages).toMatchObject([{ content: "message 2" }]);
  expect(await unread()).toBe(0);
  expect(await stop()).toMatchObject({ code: 0, stdout: "" });
  expect((await relay(folder, ["wakes", "--part", "web", "--json"])).json.waiting).toEqual([]);
  const { messages } = (await relay(folder, ["inbox", "--part", "web", "--all", "--json"])).json;
  const show = await relay(folder, ["show", messages[0].threadId, "--json"]);
  expect(show.json.messages[0].receipts).toMatchObject([{ part: "web", state: "acked" }]);
  // Whoever was killed before it acted asks from its own place again.
  expect((await web.call("get_messages", { after_seq: 0 })).messages).toHaveLength(3);
  await web.close();
});

test("mail stays unread when a person reads it, and when an earlier record is read", async () => {
  await say("hello");
  expect(onTerminal(folder, ["message", "list", "--part", "web"])).toContain("hello");
  await relay(folder, ["record"]);
  await relay(folder, ["message", "list", "--part", "web", "--at", "HEAD", "--json"]);
  expect(await unread()).toBe(1);
  await relay(folder, ["message", "list", "--part", "web", "--json"]);
  expect(await unread()).toBe(0);
});

test("mail that was read on one machine is read on the other", async () => {
  const { hub, code: one } = await shop("web", "api");
  const { session_id } = await act(one, "api", "start_session");
  await act(one, "api", "send_message", { to: "web", content: "hello", session_id });
  await act(one, undefined, "sync");
  const two = await cloneOf(hub);
  expect(await act(two, "web", "inbox")).toMatchObject({ unread: 1 });
  expect(await act(one, "web", "get_messages", { session_id })).toMatchObject({ messages: [{ content: "hello" }] });
  for (const clone of [one, two]) await act(clone, undefined, "sync");
  expect(await act(two, "web", "inbox")).toMatchObject({ unread: 0 });
});
