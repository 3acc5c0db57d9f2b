/** People and the office: what positions ask them, who waits for an answer, and who may say anything to a position. */
import { afterEach, expect, test } from "vitest";
import { createDispatch } from "../../../protocol/home/dispatch/create-dispatch.ts";
import { operations, perform } from "../../../protocol/index.ts";
import { endTurn, issueToken } from "../../../protocol/internal.ts";
import { begin, officeHome, playTurn, stateAt, writeOffice } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { OFFICE_FILES } from "../../rig/office.ts";
import { type Agent, connect, relay as relayWith } from "../../rig/processes.ts";
import { until } from "../../rig/scratch.ts";

const servers: Agent[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

const relay = async (folder: string, ...args: string[]) =>
  (await relayWith(folder, [...args, "--json"], { env: { RELAY_NO_RUNNER: "1" } })).json;

/** A turn of the office's lead, with a server of its tools. */
async function lead(folder: string) {
  const world = worldAt(folder);
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Build.", parent: null });
  return { id: dispatch.id, context: dispatch.context, ...(await nextTurnOf(folder, dispatch.id)) };
}

async function nextTurnOf(folder: string, id: string) {
  const world = worldAt(folder);
  const next = begin(world, id);
  const token = issueToken(world, id, next.turn);
  return { next, token, server: await serverOf(folder, token) };
}

async function serverOf(folder: string, token: string): Promise<Agent> {
  const server = await connect(folder, { args: ["--tools", "team"], env: { RELAY_NO_RUNNER: "1", RELAY_OFFICE_TOKEN: token } });
  servers.push(server);
  return server;
}

/** The questions that people see, with their threads. */
const asked = async (folder: string): Promise<{ messageId: string; threadId: string; body: string; needsHuman: boolean }[]> =>
  (await relay(folder, "inbox", "--part", "human")).messages;

const answer = async (folder: string, body: string, text: string): Promise<void> => {
  const question = (await asked(folder)).find((each) => each.body === body);
  expect(await relay(folder, "reply", question?.threadId as string, text, "--part", "human")).toMatchObject({ success: true });
};

test("a question waits in the call for its answer, and it is shown who waits for it", async () => {
  const folder = await officeHome("web");
  const { id, context, server } = await lead(folder);
  const asking = server.call("AskQuestion", { question: "With tax?" });
  await until("the question is there", async () => (await asked(folder)).length === 1);
  const [question] = await asked(folder);
  expect(question).toMatchObject({ needsHuman: true, from: "om" });
  const shown = async () => (await relay(folder, "office", "log", context)).conversation.awaiting_input;
  expect(await shown()).toEqual([question?.messageId]);
  const printed = await relayWith(folder, ["office"], { env: { RELAY_NO_RUNNER: "1" } });
  expect(printed.stdout).toMatch(/om asks people: relay inbox --part human/);
  await answer(folder, "With tax?", "Yes.");
  expect(await asking).toMatchObject({ status: "answered", answer: "Yes.", by: "human" });
  expect(await shown()).toEqual([]);
  endTurn(worldAt(folder), id, 1, { outcome: "ok", exit: "0", text: "Done." });
  expect(stateAt(folder, id).state).toBe("idle");
});

test("two questions are told with their answers, in the order in which they were asked", async () => {
  const folder = await officeHome("web");
  const { id, context, server } = await lead(folder);
  for (const question of ["With tax?", "Which colour?"])
    expect(await server.call("AskQuestion", { question, wait_s: 0 })).toMatchObject({ status: "queued" });
  await server.close();
  endTurn(worldAt(folder), id, 1, { outcome: "ok", exit: "0", text: "I wait." });
  const { awaiting_input: both } = (await relay(folder, "office", "tree")).conversations[0];
  expect(both).toEqual((await asked(folder)).map((each) => each.messageId).sort());
  expect(stateAt(folder, id).state).toBe("waiting");
  await answer(folder, "Which colour?", "Blue.");
  await answer(folder, "With tax?", "Yes.");
  const { envelope, inputs } = begin(worldAt(folder), id);
  expect(inputs.map(({ body }) => body)).toEqual(["Yes.", "Blue."]);
  expect(envelope).toMatch(/Answer from human\nto your question: With tax\?\n\nYes\.[\s\S]*to your question: Which colour\?\n\nBlue\./);
  endTurn(worldAt(folder), id, 2, { outcome: "ok", exit: "0", text: "Done." });
  expect((await relay(folder, "office", "log", context)).conversation).toMatchObject({ awaiting_input: [], state: "idle" });
});

test("an answer that came before the asker waits counts, and the question is asked once, over restarts too", async () => {
  const folder = await officeHome("web");
  const { id, server, token } = await lead(folder);
  const first = await server.call("AskQuestion", { question: "With tax?", wait_s: 0 });
  await server.kill();
  await answer(folder, "With tax?", "Yes.");
  const anew = await serverOf(folder, token);
  expect(await anew.call("AskQuestion", { question: "With tax?" })).toMatchObject({
    status: "answered",
    answer: "Yes.",
    question: first.question,
  });
  expect(await asked(folder)).toHaveLength(1);
  // It went on with the answer, so that the same words are another question.
  const second = await anew.call("AskQuestion", { question: "With tax?", wait_s: 0 });
  expect(second.question).not.toBe(first.question);
  // Its program is killed: the turn that follows asks the same again, and that is the same question.
  endTurn(worldAt(folder), id, 1, { outcome: "interrupted", text: "" });
  const later = await nextTurnOf(folder, id);
  expect(await later.server.call("AskQuestion", { question: "With tax?", wait_s: 0 })).toMatchObject({ question: second.question });
  expect(await asked(folder)).toHaveLength(2);
});

test("who is only informed says nothing to a position, by whatever way, and who takes no part in a piece of work neither", async () => {
  const folder = await officeHome("web", "dana", "omar", "ines");
  const office = OFFICE_FILES["org/office.yml"] as string;
  writeOffice(folder, { "org/office.yml": office.replace("advisors: [omar]", "advisors: [omar], inform: [Ines]") });
  await perform(worldAt(folder), operations.trust_office, {});
  const { threadId } = await relay(folder, "send", "om", "Go", "Build.", "--part", "dana");
  const { server, next } = await nextTurnOf(folder, threadId);
  const { question } = await server.call("AskQuestion", { question: "With tax?", wait_s: 0 });
  const asking = (await asked(folder)).find(({ messageId }) => messageId === question)?.threadId as string;
  for (const thread of [threadId, asking])
    expect(await relay(folder, "reply", thread, "Stop.", "--to", "om", "--part", "ines"), thread).toMatchObject({ code: "not_permitted" });
  expect(await relay(folder, "office", "start", "Go.", "--part", "ines")).toMatchObject({ code: "not_permitted" });
  // An advisor may give work, but this is another's.
  expect(await relay(folder, "reply", threadId, "Do mine first.", "--to", "om", "--part", "omar")).toMatchObject({ code: "not_permitted" });
  expect(await relay(folder, "reply", asking, "Yes.", "--part", "omar", "--to", "om")).toMatchObject({ success: true });
  expect(await relay(folder, "reply", threadId, "And tests.", "--to", "om", "--part", "human")).toMatchObject({ success: true });
  endTurn(worldAt(folder), threadId, next.turn, { outcome: "ok", exit: "0", text: "I wait." });
  const told = playTurn(worldAt(folder), threadId, "Done.").inputs.map(({ from, body }) => [from, body]);
  expect(told).toEqual([
    ["omar", "Yes."],
    ["human", "And tests."],
  ]);
});
