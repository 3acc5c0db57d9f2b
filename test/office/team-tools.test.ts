/** The tools of a position, over the real server: who may call what, and what a Send answers. */
import { afterEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { endTurn } from "../../protocol/office/files/end-turn.ts";
import { readDispatch } from "../../protocol/office/files/read-dispatch.ts";
import { digestOfToken, wasConnected } from "../../protocol/office/files/token.ts";
import { officeHome, playTurn, stateAt, writeOffice } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";
import { agentText, OFFICE_FILES } from "../rig/office.ts";
import type { Agent } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";
import { childOf, closeTeamServers, idOf, serverOf, teamServer, turnOf } from "../rig/team-server.ts";

afterEach(closeTeamServers);

const toolsOf = async ({ client }: Agent): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

test("a lead's roster is exactly whom it may send to, and every other name is refused with the names that work", async () => {
  const folder = await officeHome("web");
  const { server, token, world } = await turnOf(folder, "teaparty/lead");
  const proofs = () => [token, `${token}x`].map((each) => wasConnected(world, digestOfToken(each)));
  expect(proofs()).toEqual([false, false]);
  expect(await toolsOf(server)).toEqual(["Send", "ListTeamMembers", "CloseConversation", "AskQuestion", "ReadReply"]);
  expect(proofs()).toEqual([true, false]);
  expect(await server.call("ListTeamMembers")).toMatchObject({
    you: "teaparty/lead",
    members: { "coding-lead": { description: "Builds features and repairs defects." } },
  });
  for (const member of ["teaparty-lead", "developer", "Coding-Lead", "nobody", "../om", "teaparty/coding/lead", "docs-lead"])
    expect(await server.call("Send", { member, message: "Do it." })).toMatchObject({
      success: false,
      code: "unknown_member",
      members: ["coding-lead"],
    });
  expect(await server.call("Send", { member: "coding-lead", message: "Do it.", wait: false })).toMatchObject({
    status: "queued",
    agent: "coding-lead",
  });
});

test("a Send waits for the reply, which no turn is given again", async () => {
  const folder = await officeHome("web");
  const { server, dispatch, world } = await turnOf(folder, "teaparty/lead");
  const sending = server.call("Send", { member: "coding-lead", message: "Do it." });
  const id = await childOf(folder, dispatch.id);
  playTurn(worldAt(folder), id, "It is done.\n");
  expect(await sending).toMatchObject({ status: "ok", agent: "coding-lead", result: "It is done.\n" });
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "All done." });
  expect(stateAt(folder, dispatch.id)).toMatchObject({ state: "idle", untaken: [] });
});

test("a failure below is an answer, and a long reply is read by pages", async () => {
  const folder = await officeHome("web");
  const { server, dispatch } = await turnOf(folder, "teaparty/lead");
  const failing = server.call("Send", { member: "coding-lead", message: "Do it." });
  const id = await childOf(folder, dispatch.id);
  playTurn(worldAt(folder), id, "boom", { outcome: "failed", exit: "1", problem: "it ended with 1" });
  expect(await failing).toMatchObject({ status: "failed", code: "recipient_failed", result: "(failed)\nit ended with 1\nexit: 1\n\nboom" });
  const whole = "0123456789".repeat(7_000);
  const again = server.call("Send", {
    member: "coding-lead",
    message: "More.",
    context_id: stateAt(folder, id).dispatch.context,
    wait: true,
  });
  await until("it is queued", () => readDispatch(worldAt(folder), id)?.state === "queued");
  playTurn(worldAt(folder), id, whole);
  const { pages, result, context_id } = await again;
  expect([pages, result.slice(0, 10_000)]).toEqual([7, whole.slice(0, 10_000)]);
  const read = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((page) => server.call("ReadReply", { context_id, page })));
  expect(read.map(({ text }) => text).join("")).toBe(whole);
});

test("a conversation goes on by the names of when it began, whatever the office calls its lead now", async () => {
  const folder = await officeHome("web");
  const { server, dispatch } = await turnOf(folder, "teaparty/lead");
  const send = (input: Record<string, unknown>) => server.call("Send", { member: "coding-lead", message: "More.", wait: false, ...input });
  const { context_id } = await send({});
  playTurn(worldAt(folder), idOf(folder, context_id), "Done.");
  const coding = "org/projects/teaparty/workgroups/coding.yml";
  const chief = {
    [coding]: (OFFICE_FILES[coding] as string).replace("lead: coding-lead", "lead: chief"),
    "org/agents/chief.md": agentText("chief"),
  };
  writeOffice(folder, chief);
  await perform(worldAt(folder), operations.trust_office, {});
  for (const member of ["coding-lead", "chief"]) expect(await send({ member, context_id })).toMatchObject({ status: "queued", context_id });
  expect(await send({ member: "developer", context_id })).toMatchObject({ code: "recipient_mismatch", expected: "chief" });
  expect(stateAt(folder, dispatch.id).open).toHaveLength(1);
});

test("ten Sends at once of one that may have three open: three are taken, and a slot comes free by an end", async () => {
  const folder = await officeHome("web");
  const { server, token } = await turnOf(folder, "om");
  const other = await teamServer(folder, token);
  const sent = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? server : other).call("Send", { member: "auditor", message: `Part ${n}`, wait: false }),
    ),
  );
  expect(sent.map(({ status, code }) => status ?? code).sort()).toEqual([...Array(3).fill("queued"), ...Array(7).fill("slot_limit")]);
  expect(sent.find(({ code }) => code === "slot_limit")?.open).toHaveLength(3);
  const { context_id } = sent.find(({ status }) => status === "queued") as { context_id: string };
  playTurn(worldAt(folder), idOf(folder, context_id), "Done.");
  expect(await server.call("Send", { member: "auditor", message: "Part 10", wait: false })).toMatchObject({ status: "queued" });
});

test("a leaf gives no work and closes nothing, and a server without a turn's token has no position", async () => {
  const folder = await officeHome("web");
  const lead = await turnOf(folder, "om");
  const { context_id } = await lead.server.call("Send", { member: "auditor", message: "Look.", wait: false });
  const leaf = await serverOf(folder, idOf(folder, context_id));
  expect(await toolsOf(leaf.server)).toEqual(["ListTeamMembers", "AskQuestion", "ReadReply"]);
  for (const [tool, args] of [
    ["Send", { member: "researcher", message: "x" }],
    ["CloseConversation", { context_id }],
  ] as const)
    expect(await leaf.server.call(tool, args)).toMatchObject({ success: false, code: "not_permitted" });
  const forged = await teamServer(folder, "forged");
  for (const [tool, args] of [
    ["Send", { member: "x", message: "x" }],
    ["ListTeamMembers", {}],
    ["CloseConversation", { context_id }],
    ["AskQuestion", { question: "x" }],
    ["ReadReply", { context_id }],
  ] as const)
    expect(await forged.call(tool, args), tool).toMatchObject({ success: false, code: "unauthenticated" });
  const posing = await teamServer(folder, undefined, "--part", "om");
  expect(await posing.call("Send", { member: "auditor", message: "x" })).toMatchObject({ code: "unauthenticated" });
});
