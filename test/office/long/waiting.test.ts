/** Sends that wait no more: past their time, cancelled by the client, or into a conversation that is open. The reply comes later, once. */
import { afterEach, expect, test } from "vitest";
import { withSignal } from "../../../protocol/core/world.ts";
import { awaitReply } from "../../../protocol/office/files/await-reply.ts";
import { closeDispatch } from "../../../protocol/office/files/close-dispatch.ts";
import { createDispatch } from "../../../protocol/office/files/create-dispatch.ts";
import { endTurn } from "../../../protocol/office/files/end-turn.ts";
import { localDispatches, nextTurn } from "../../../protocol/office/files/next-turn.ts";
import { turnCalling } from "../../../protocol/office/files/token.ts";
import { begin, officeHome, playTurn, stateAt } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { childOf, closeTeamServers, teamServer, turnOf } from "../../rig/team-server.ts";

afterEach(closeTeamServers);

/** The lead's first turn, and a server of its tools. */
async function leadAt(folder: string) {
  const { dispatch, token, server } = await turnOf(folder, "om");
  return { id: dispatch.id, token, server };
}

/** Ends the first turn of a lead, and gives the replies of its next turn, which is the only one. */
function repliesLater(folder: string, id: string): string[] {
  const world = worldAt(folder);
  endTurn(world, id, 1, { outcome: "ok", exit: "0", text: "I wait." });
  const next = begin(world, id);
  endTurn(world, id, next.turn, { outcome: "ok", exit: "0", text: "Done." });
  expect([nextTurn(world, id), stateAt(folder, id).state]).toEqual([null, "idle"]);
  return next.inputs.map(({ body }) => body);
}

test("past its time a Send is queued, and the reply comes by the next turn, once", async () => {
  const folder = await officeHome("web");
  const { id, server } = await leadAt(folder);
  const answer = await server.call("Send", { member: "auditor", message: "Look.", wait_s: 1 });
  const child = await childOf(folder, id);
  expect(answer).toEqual({ success: true, status: "queued", agent: "auditor", context_id: stateAt(folder, child).dispatch.context });
  playTurn(worldAt(folder), child, "Seen.");
  expect(repliesLater(folder, id)).toEqual(["Seen."]);
});

test("a Send whose client cancels it goes on, the server too, and the reply comes by the next turn, once", async () => {
  const folder = await officeHome("web");
  const { id, server } = await leadAt(folder);
  const stop = new AbortController();
  const call = { name: "Send", arguments: { member: "auditor", message: "Look." } };
  const sending = server.client.callTool(call, undefined, { signal: stop.signal, timeout: 120_000 });
  const child = await childOf(folder, id);
  stop.abort("enough");
  await expect(sending).rejects.toThrow("enough");
  // The server answers in order, so by now it has heard that the call is cancelled.
  expect(await server.call("ListTeamMembers")).toMatchObject({ you: "om" });
  playTurn(worldAt(folder), child, "Seen.");
  expect(stateAt(folder, child).state).toBe("idle");
  // An equal call takes nothing of it: that is another piece of work.
  expect(await server.call("Send", { member: "researcher", message: "Look.", wait: false })).toMatchObject({ status: "queued" });
  const another = await childOf(folder, id);
  playTurn(worldAt(folder), another, "Read.");
  expect(repliesLater(folder, id).sort()).toEqual(["Read.", "Seen."]);
});

test("a reply that comes while a call is cancelled is the call's or the next turn's, and never of neither", async () => {
  const folder = await officeHome("web");
  const { id, token } = await leadAt(folder);
  const world = worldAt(folder, { env: { RELAY_OFFICE_TOKEN: token } });
  const caller = turnCalling(world) as NonNullable<ReturnType<typeof turnCalling>>;
  const { dispatch } = caller;
  const child = createDispatch(world, { initiator: "om", recipient: "om/auditor", text: "Look.", parent: { dispatch, turn: 1 } }).dispatch
    .id;
  const stop = new AbortController();
  const waiting = awaitReply(withSignal(world, stop.signal), { by: "turn", ...caller }, child, 120_000);
  let ended = false;
  const answered = waiting.then((came) => {
    ended = true;
    return { came, wasCancelled: stop.signal.aborted };
  });
  const reply = playTurn(worldAt(folder), child, "Seen.") && (stateAt(folder, child).ends[0]?.reply as string);
  // The client cancels at the moment at which the call has taken the reply, if there is one before it answers.
  const isTaken = (): boolean => stateAt(folder, id).untaken.every(({ message }) => message.id !== reply);
  while (!ended && !isTaken()) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  const { came, wasCancelled } = await answered;
  if (wasCancelled) expect(repliesLater(folder, id)).toEqual(["Seen."]);
  else expect(came?.message.body).toBe("Seen.");
});

test("a Send into an open conversation is answered before anybody works on it, in order, and by a server that was started anew", async () => {
  const folder = await officeHome("web");
  const { server, token } = await leadAt(folder);
  const { context_id } = await server.call("Send", { member: "auditor", message: "0", wait: false });
  await server.kill();
  const anew = await teamServer(folder, token);
  const send = (input: Record<string, unknown>) => anew.call("Send", { member: "auditor", context_id, message: "x", ...input });
  // Nobody runs a turn here: an answer that waited for one would never come.
  for (const message of ["1", "2", "3"]) expect(await send({ message })).toMatchObject({ status: "queued", context_id });
  const child = localDispatches(worldAt(folder)).find((each) => stateAt(folder, each).dispatch.context === context_id) as string;
  expect(playTurn(worldAt(folder), child, "Done.").inputs.map(({ body }) => body)).toEqual(["0", "1", "2", "3"]);
  expect(await send({ message: "4" })).toMatchObject({ status: "queued" });
  expect(playTurn(worldAt(folder), child, "Done again.").inputs.map(({ body }) => body)).toEqual(["4"]);
  const others = createDispatch(worldAt(folder), { initiator: "web", recipient: "pybayes/lead", text: "Else.", parent: null }).dispatch;
  expect(await send({ member: "researcher" })).toMatchObject({ code: "recipient_mismatch" });
  expect(await send({ context_id: "agent:om:om/auditor:0b6c1d1e-7a43-4d5e-9f00-1c2d3e4f5a6b" })).toMatchObject({ code: "not_found" });
  expect(await send({ member: "pybayes-lead", context_id: others.context })).toMatchObject({ code: "not_permitted" });
  closeDispatch(worldAt(folder), child, "om");
  expect(await send({})).toMatchObject({ code: "conversation_closed" });
  expect(localDispatches(worldAt(folder)).filter((each) => stateAt(folder, each).dispatch.recipient === "om/auditor")).toHaveLength(1);
});
