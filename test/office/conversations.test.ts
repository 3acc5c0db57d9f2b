/** Conversations by what they are about: the same thread for everybody who means the same, and closed with whatever it is about. */
import { expect, test } from "vitest";
import { messageId, parseThreadId, type ThreadLocation } from "../../protocol/core/format/id.ts";
import { closeDispatch } from "../../protocol/office/files/close-dispatch.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { CONVERSATION_KINDS, conversationThread, readConversation } from "../../protocol/office/nouns/conversation.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { remoteAt } from "../hostile/rig/remote.ts";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { officeHome, stateAt } from "../rig/dispatches.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { relayProcess, relay as relayWith } from "../rig/processes.ts";

const relay = async (folder: string, ...args: string[]) =>
  (await relayWith(folder, [...args, "--json"], { env: { RELAY_NO_RUNNER: "1" } })).json;
const about = (folder: string, name: string) => relay(folder, "office", "conversation", name);
const write = (folder: string, name: string, to = "api", part = "web") =>
  relay(folder, "send", to, "About it", "A word.", "--conversation", name, "--part", part);

test("each kind is read from its name, in any spelling of it, and any other name is refused with what was expected", async () => {
  const names = {
    om: "om",
    "pm:Web Shop": "pm:web-shop",
    "session:2026-01-31-001-K3F9": "session:2026-01-31-001-K3F9",
    "team:Shop/Coding": "team:shop/coding",
    "job:t-20260131-k3f9x2ab": "job:t-20260131-k3f9x2ab",
    "task:k3f9x2ab": "task:k3f9x2ab",
    "proxy:Dana": "proxy:dana",
    "liaison:om:Dana": "liaison:om:dana",
    "config:shop": "config:shop",
    "lead:Shop/Coding/Lead": "lead:shop/coding/lead",
    "agent:om:shop/lead:50d858e0-985e-4c7f-a041-8aaf0cc5ab58": "agent:om:shop/lead:50d858e0-985e-4c7f-a041-8aaf0cc5ab58",
  };
  const read = Object.keys(names).map((name) => readConversation(name));
  expect(read.map((each) => (typeof each === "string" ? each : each.name))).toEqual(Object.values(names));
  expect(read.map((each) => (typeof each === "string" ? each : each.kind))).toEqual(CONVERSATION_KINDS);
  const threads = read.flatMap((each) => (typeof each === "string" ? [] : [conversationThread(each, sha256)]));
  expect(new Set(threads).size).toBe(CONVERSATION_KINDS.length);
  const folder = await homeWith("web");
  for (const name of [
    "",
    "pm",
    "pm:",
    "om:x",
    "boss:x",
    "pm:a:b",
    "session:../x",
    "job:x",
    "liaison:om",
    "lead:../om",
    "agent:a:b:c",
    "PM:shop",
    "pm:\u202Ex",
  ])
    expect(await about(folder, name), name).toMatchObject({ code: "invalid_argument" });
  for (const name of ["session:none", "task:none", "job:t-20260131-k3f9x2ab", "agent:om:om/a:50d858e0-985e-4c7f-a041-8aaf0cc5ab58"])
    expect(await about(folder, name), name).toMatchObject({ code: "not_found" });
});

test("processes that begin one at once have one thread, and equal answers", async () => {
  const folder = await homeWith("web", "api");
  const sent = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      relayProcess(folder, [
        "send",
        "api",
        `Word ${n}`,
        "Body",
        "--conversation",
        n % 2 === 0 ? "pm:Shop" : "pm:shop",
        "--part",
        "web",
        "--json",
      ]),
    ),
  );
  const threads = new Set(sent.map(({ json }) => json.threadId));
  expect([...threads]).toEqual([(await about(folder, "pm:shop")).threadId]);
  const answers = await Promise.all(Array.from({ length: 2 }, () => relayProcess(folder, ["office", "conversation", "pm:SHOP", "--json"])));
  expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
  expect(answers[0]?.json).toMatchObject({ conversation: "pm:shop", kind: "pm", state: "active", messages: 5 });
  expect((await relay(folder, "threads", "--part", "web")).threads).toHaveLength(1);
  expect((await relay(folder, "check")).findings ?? []).toEqual([]);
});

test("a closed conversation takes no more words until it is reopened", async () => {
  const folder = await homeWith("web", "api");
  const { threadId } = await write(folder, "pm:shop");
  await relay(folder, "close", threadId, "--part", "web");
  expect(await about(folder, "pm:shop")).toMatchObject({ state: "closed" });
  expect(await write(folder, "pm:shop")).toMatchObject({ code: "conversation_closed", context_id: "pm:shop" });
  expect(await relay(folder, "reply", threadId, "More.", "--part", "api")).toMatchObject({ success: false });
  await relay(folder, "reopen", threadId, "--part", "web");
  expect(await write(folder, "pm:shop")).toMatchObject({ success: true, threadId });
  expect(await about(folder, "pm:shop")).toMatchObject({ state: "active", messages: 2 });
});

test("one about a session, a task or a piece of work closes with it", async () => {
  const folder = await officeHome("web", "api");
  const { session_id: session } = await relay(folder, "session", "start", "--part", "web");
  const { task_id: task } = await relay(folder, "task", "create", "Ship", "--session", session, "--part", "web");
  const { dispatch } = createDispatch(worldAt(folder), { initiator: "web", recipient: "om", text: "Build.", parent: null });
  const named = { session: `session:${session}`, task: `task:${task}`, job: `job:${dispatch.id}`, agent: dispatch.context };
  for (const name of [named.session, named.task, named.job]) expect(await write(folder, name), name).toMatchObject({ success: true });
  expect(await write(folder, named.agent, "om")).toMatchObject({ success: true, threadId: dispatch.id });
  for (const name of Object.values(named)) expect(await about(folder, name), name).toMatchObject({ state: "active" });
  const { threadId } = await about(folder, named.session);
  await relay(folder, "task", "update", task, "done", "--session", session, "--part", "web");
  await relay(folder, "session", "end", session, "--part", "web");
  closeDispatch(worldAt(folder), dispatch.id, "web");
  for (const [kind, name] of Object.entries(named)) {
    expect(await about(folder, name), name).toMatchObject({ state: "closed" });
    expect(await write(folder, name, kind === "agent" ? "om" : "api"), name).toMatchObject({ code: "conversation_closed" });
  }
  expect(await relay(folder, "reply", threadId, "More.", "--part", "api")).toMatchObject({ code: "conversation_closed" });
  // What is not about the session goes on.
  expect(await write(folder, "team:coding")).toMatchObject({ success: true });
  await relay(folder, "session", "reopen", session, "--part", "web");
  expect(await relay(folder, "reply", threadId, "More.", "--part", "api")).toMatchObject({ success: true });
  expect(stateAt(folder, dispatch.id).state).toBe("closed");
});

test("two clones that began the same one have one thread, and a push changes neither what it is about nor its end", async () => {
  const { hub, code } = await shop("web", "api");
  const other = await cloneOf(hub);
  const { session_id } = await act(code, "web", "start_session");
  const name = `session:${session_id}`;
  const send = { to: ["api"], subject: "s", body: "b" };
  await act(code, undefined, "sync");
  await act(other, undefined, "sync");
  const { threadId } = await act(code, "web", "send", { ...send, conversation: name });
  expect(await act(other, "web", "send", { ...send, conversation: name })).toMatchObject({ threadId });
  for (const clone of [code, other, code]) await act(clone, undefined, "sync");
  for (const clone of [code, other])
    expect(await act(clone, undefined, "office_conversation", { conversation: name })).toMatchObject({
      threadId,
      messages: 2,
      state: "active",
    });
  // Somebody pushes a first message that says another name.
  const remote = remoteAt(hub);
  const key = parseThreadId(threadId) as ThreadLocation;
  const token = "0zzzzzzz000001";
  const id = messageId({ ...key, n: 1, token });
  const head = `id: "${id}"\nthread: "${threadId}"\nfrom: "web"\nto: ["api"]\nat: "2020-03-01T09:30:00.000Z"\nsubject: "s"\nmetadata: {"conversation": "pm:shop"}`;
  remote.write(`threads/${key.day}/${threadId}/1-${token}.md`, `---\n${head}\n---\nx\n`);
  remote.commit();
  await act(code, undefined, "sync");
  expect(await act(code, undefined, "office_conversation", { conversation: "pm:shop" })).toMatchObject({ messages: 0 });
  await act(code, "web", "end_session", { session_id });
  await expect(act(code, "api", "reply", { threadId, body: "More." })).rejects.toThrow("closed");
});
