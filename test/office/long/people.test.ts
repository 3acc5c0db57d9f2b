/** People and the office: what positions ask them, who waits for an answer, and who may say anything to a position. */
import { afterEach, expect, test } from "vitest";
import { operations, perform } from "../../../protocol/index.ts";
import { endTurn } from "../../../protocol/office/files/end-turn.ts";
import { officeHome, playTurn, stateAt, writeOffice } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { OFFICE_FILES } from "../../rig/office.ts";
import { relay as relayWith } from "../../rig/processes.ts";
import { until } from "../../rig/scratch.ts";
import { closeTeamServers, serverOf, turnOf } from "../../rig/team-server.ts";

afterEach(closeTeamServers);

const relay = async (folder: string, ...args: string[]) =>
  (await relayWith(folder, [...args, "--json"], { env: { RELAY_NO_RUNNER: "1" } })).json;

/** The questions that people see, with their threads. */
const asked = async (folder: string): Promise<{ messageId: string; threadId: string; body: string; needsHuman: boolean }[]> =>
  (await relay(folder, "inbox", "--part", "human")).messages;

const answer = async (folder: string, body: string, text: string): Promise<void> => {
  const question = (await asked(folder)).find((each) => each.body === body);
  expect(await relay(folder, "reply", question?.threadId as string, text, "--part", "human")).toMatchObject({ success: true });
};

test("a question waits in the call for its answer, and it is shown who waits for it", async () => {
  const folder = await officeHome("web");
  const { dispatch, server } = await turnOf(folder, "om");
  const { id, context } = dispatch;
  const asking = server.call("AskQuestion", { question: "With tax?" });
  await until("the question is there", async () => (await asked(folder)).length === 1);
  const [question] = await asked(folder);
  expect(question).toMatchObject({ needsHuman: true, from: "om" });
  const shown = async () => (await relay(folder, "office", "log", context)).conversation.awaiting_input;
  // It is noted once it lies in the inbox.
  await until("the question is noted", async () => (await shown()).length > 0);
  expect(await shown()).toEqual([question?.messageId]);
  const printed = await relayWith(folder, ["office"], { env: { RELAY_NO_RUNNER: "1" } });
  expect(printed.stdout).toMatch(/om asks people: relay inbox --part human/);
  await answer(folder, "With tax?", "Yes.");
  expect(await asking).toMatchObject({ status: "answered", answer: "Yes.", by: "human" });
  expect(await shown()).toEqual([]);
  endTurn(worldAt(folder), id, 1, { outcome: "ok", exit: "0", text: "Done." });
  expect(stateAt(folder, id).state).toBe("idle");
});

test("people who are only informed, or take no part in a piece of work, cannot write to its positions in any way", async () => {
  const folder = await officeHome("web", "dana", "omar", "ines");
  const office = OFFICE_FILES["org/office.yml"] as string;
  writeOffice(folder, { "org/office.yml": office.replace("advisors: [omar]", "advisors: [omar], inform: [Ines]") });
  await perform(worldAt(folder), operations.trust_office, {});
  const { threadId } = await relay(folder, "send", "om", "Go", "Build.", "--part", "dana");
  const { server, next } = await serverOf(folder, threadId);
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
