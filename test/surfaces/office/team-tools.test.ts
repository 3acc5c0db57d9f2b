/** The tools of a position, over the real server: who may call what, and what a Send answers. */
import { afterEach, expect, test } from "vitest";
import { createDispatch } from "../../../protocol/home/dispatch/create-dispatch.ts";
import { operations, perform } from "../../../protocol/index.ts";
import {
  closeDispatch,
  digestOfToken,
  endTurn,
  issueToken,
  localDispatches,
  readDispatch,
  wasConnected,
} from "../../../protocol/internal.ts";
import { begin, officeHome, playTurn, stateAt, writeOffice } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { agentText, OFFICE_FILES } from "../../rig/office.ts";
import { type Agent, connect } from "../../rig/processes.ts";
import { until } from "../../rig/scratch.ts";

/** A turn that runs, of work that a person gave a position, and a server with its token. */
async function turnOf(folder: string, recipient: string) {
  const world = worldAt(folder);
  const { dispatch } = createDispatch(world, { initiator: "web", recipient, text: "Build.", parent: null });
  return { dispatch, world, ...(await serverOf(folder, dispatch.id)) };
}

const servers: Agent[] = [];
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

/** A server of the team's tools; with a token it is that of a turn. */
async function teamServer(folder: string, token?: string, ...args: string[]): Promise<Agent> {
  const env: Record<string, string> = { RELAY_NO_RUNNER: "1", ...(token === undefined ? {} : { RELAY_OFFICE_TOKEN: token }) };
  const server = await connect(folder, { args: ["--tools", "team", ...args], env });
  servers.push(server);
  return server;
}

const toolsOf = async ({ client }: Agent): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

/** Begins the next turn of a dispatch, and starts a server with the token of that turn. */
async function serverOf(folder: string, id: string) {
  const world = worldAt(folder);
  const next = begin(world, id);
  const token = issueToken(world, id, next.turn);
  const server = await teamServer(folder, token);
  return { next, token, server };
}

/** The id of the dispatch of a context. */
const idOf = (folder: string, context: string): string => {
  const found = localDispatches(worldAt(folder)).find((id) => readDispatch(worldAt(folder), id)?.dispatch.context === context);
  return found as string;
};

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

/** The dispatch that another led to, once it is there with its mail. */
async function childOf(folder: string, parent: string): Promise<string> {
  let found: string | undefined;
  await until("work was given", () => {
    found = localDispatches(worldAt(folder)).find((id) => {
      const state = readDispatch(worldAt(folder), id);
      return state?.dispatch.parent === parent && state.untaken.length > 0;
    });
    return found !== undefined;
  });
  return found as string;
}

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

test("whoever gave the work is asked through its blocked Send, and answers in the same conversation", async () => {
  const folder = await officeHome("web");
  const { server, dispatch } = await turnOf(folder, "teaparty/lead");
  const sending = server.call("Send", { member: "coding-lead", message: "Do it." });
  const id = await childOf(folder, dispatch.id);
  const child = await serverOf(folder, id);
  expect((await child.server.call("ListTeamMembers")).members["teaparty-lead"]).toMatchObject({ type: "requestor" });
  expect(await child.server.call("Send", { member: "teaparty-lead", message: "Which colour?" })).toMatchObject({ status: "queued" });
  const asked = await sending;
  expect(asked).toMatchObject({ status: "question", agent: "coding-lead", question: "Which colour?" });
  endTurn(worldAt(folder), id, 1, { outcome: "ok", text: "I wait." });
  expect(stateAt(folder, id).state).toBe("waiting");
  const answering = server.call("Send", { member: "coding-lead", message: "Blue.", context_id: asked.context_id, wait: true });
  await until("the answer is there", () => readDispatch(worldAt(folder), id)?.state === "queued");
  expect(playTurn(worldAt(folder), id, "It is blue.").inputs.map(({ body }) => body)).toEqual(["Blue."]);
  expect(await answering).toMatchObject({ status: "ok", result: "It is blue." });
  expect(stateAt(folder, dispatch.id).turns).toHaveLength(1);
});

test("an open conversation goes on, a closed one does not, and only those in it may", async () => {
  const folder = await officeHome("web");
  const { server, dispatch, world } = await turnOf(folder, "om");
  const send = (input: Record<string, unknown>) => server.call("Send", { message: "More.", wait: false, ...input });
  const { context_id } = await send({ member: "auditor" });
  for (const message of ["1", "2", "3"]) expect(await send({ member: "auditor", context_id, message })).toMatchObject({ status: "queued" });
  const id = idOf(folder, context_id);
  expect(begin(worldAt(folder), id).inputs.map(({ body }) => body)).toEqual(["More.", "1", "2", "3"]);
  expect(await send({ member: "researcher", context_id })).toMatchObject({ code: "recipient_mismatch", expected: "auditor" });
  expect(await send({ member: "auditor", context_id: `${context_id.slice(0, -1)}${context_id.endsWith("0") ? "1" : "0"}` })).toMatchObject({
    code: "not_found",
  });
  const other = createDispatch(world, { initiator: "web", recipient: "pybayes/lead", text: "Else.", parent: null }).dispatch;
  expect(await send({ member: "pybayes-lead", context_id: other.context })).toMatchObject({ code: "not_permitted" });
  expect(await server.call("CloseConversation", { context_id })).toMatchObject({ closed: [context_id] });
  expect(await server.call("CloseConversation", { context_id })).toMatchObject({ success: true, closed: [] });
  expect(await send({ member: "auditor", context_id })).toMatchObject({ code: "conversation_closed" });
  closeDispatch(world, dispatch.id, "web");
  expect(await send({ member: "auditor" })).toMatchObject({ code: "conversation_closed" });
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

test("a leaf gives no work and closes nothing, and who has no token of a turn is nobody", async () => {
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
