import { expect, test } from "vitest";
import { parseThreadId, type ThreadLocation } from "../../../protocol/core/format/id.ts";
import { operations, perform, Refusal } from "../../../protocol/index.ts";
import { newThread, post } from "../../../protocol/mail/files/post.ts";
import { requireRoute } from "../../../protocol/office/files/create-dispatch.ts";
import { localDispatches, lookAfter } from "../../../protocol/office/files/next-turn.ts";
import { issueToken } from "../../../protocol/office/files/token.ts";
import type { Dispatch } from "../../../protocol/office/nouns/dispatch.ts";
import { begin, officeHome, playTurn, stateAt } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { officeOf } from "../../rig/office.ts";
import { relay as relayWith } from "../../rig/processes.ts";

/** Runs a command that starts no runner: the test plays it. */
const relay = (folder: string, args: readonly string[]) => relayWith(folder, args, { env: { RELAY_NO_RUNNER: "1" } });

const only = (folder: string): string => {
  const [id, ...others] = localDispatches(worldAt(folder));
  expect(others).toEqual([]);
  return id as string;
};

test("of all ordered pairs of positions work goes from a lead to its members, and from people to leads", async () => {
  const folder = await officeHome("web");
  const world = worldAt(folder);
  const office = officeOf();
  const ids = [...office.positions.keys()];
  const parent = { dispatch: {} as Dispatch, turn: 1 };
  const isTaken = (from: string, to: string, inTurn: boolean): boolean => {
    try {
      return requireRoute(office, world, from, to, inTurn ? parent : null) !== null;
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({ code: "routing", data: { from, to } });
      return false;
    }
  };
  const pairs = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to] as const));
  expect(pairs).toHaveLength(90);
  expect(pairs.filter(([from, to]) => isTaken(from, to, true)).map((pair) => pair.join(" > "))).toEqual([
    "om > teaparty/lead",
    "om > pybayes/lead",
    "om > om/auditor",
    "om > om/researcher",
    "om > om/strategist",
    "teaparty/lead > teaparty/coding/lead",
    "teaparty/coding/lead > teaparty/coding/developer",
    "teaparty/coding/lead > teaparty/coding/reviewer",
    "teaparty/coding/lead > teaparty/coding/architect",
  ]);
  expect(ids.filter((to) => isTaken("web", to, false))).toEqual(["om", "teaparty/lead", "teaparty/coding/lead", "pybayes/lead"]);
  // Outside of a turn no position gives work.
  expect(pairs.filter(([from, to]) => isTaken(from, to, false))).toEqual([]);
});

test("mail to a lead begins its work, a reply goes on with it, and what cannot be work is refused before it is sent", async () => {
  const folder = await officeHome("web", "api");
  const run = (...args: string[]) => relay(folder, [...args, "--part", "web", "--json"]);
  const sent = await run("send", "om", "Go", "Build it.");
  expect(sent).toMatchObject({ code: 0, json: { recipients: [{ part: "om", wake: "owed" }] } });
  const id = only(folder);
  expect(id).toBe(sent.json.threadId);
  playTurn(worldAt(folder), id, "Built.");
  expect((await run("inbox")).json.messages).toMatchObject([{ from: "om" }]);
  expect(await run("reply", id, "Now the tests.")).toMatchObject({ code: 0 });
  expect(begin(worldAt(folder), id)).toMatchObject({ turn: 2, reason: "message", inputs: [{ body: "Now the tests." }] });
  expect((await run("office", "stop", id)).json.closed).toHaveLength(1);
  expect((await run("reply", id, "More.")).json).toMatchObject({ code: "conversation_closed" });
  for (const [to, code] of [
    ["om/auditor", "routing"],
    ["om,api", "invalid_argument"],
    ["om/nobody", "unknown_part"],
  ] as const)
    expect((await run("send", to, "Go", "Build it.")).json, to).toMatchObject({ success: false, code });
  // A lead that writes mail in its turn is told what gives work.
  const env = { RELAY_NO_RUNNER: "1", RELAY_OFFICE_TOKEN: issueToken(worldAt(folder), id, 2), RELAY_PART: "om" };
  for (const to of ["om/auditor", "auditor"])
    expect((await relayWith(folder, ["send", to, "Go", "Build it."], { env })).stderr, to).toContain("`relay office send auditor TEXT`");
});

test("a send or a reply that was killed before its work began begins it when it is tried again with its key", async () => {
  const folder = await officeHome("web");
  const world = worldAt(folder);
  const again = (operation: "send" | "reply", input: object) =>
    perform(worldAt(folder), operations[operation], { agent_id: "web", idempotency_key: "once", ...input } as never) as Promise<{
      threadId: string;
      messageId: string;
    }>;
  const key = (operation: string) => ({ scope: { owner: "web", operation }, key: "once" });
  const said = { from: "web", to: ["om"], subject: "Go" };
  const first = post(world, newThread(world), { ...said, body: "Build." }, key("send"));
  expect(localDispatches(world)).toEqual([]);
  const sent = await again("send", { to: ["om"], subject: "Go", body: "Build." });
  expect([sent.messageId, only(folder)]).toEqual([first.id, sent.threadId]);
  playTurn(worldAt(folder), sent.threadId, "Built.");
  expect([lookAfter(world, sent.threadId), localDispatches(world)]).toEqual([null, []]);
  const second = post(world, parseThreadId(sent.threadId) as ThreadLocation, { ...said, body: "More." }, key("reply"));
  const replied = await again("reply", { threadId: sent.threadId, body: "More." });
  expect([replied.messageId, only(folder)]).toEqual([second.id, sent.threadId]);
  expect(begin(worldAt(folder), sent.threadId).inputs.map(({ body }) => body)).toEqual(["More."]);
});

test("relay office shows what each position does, and relay office log the turns", async () => {
  const folder = await officeHome("web");
  const shown = async (...args: string[]) => (await relay(folder, ["office", ...args, "--part", "web"])).stdout;
  expect(await shown()).toContain("Nothing is at work");
  const started = await relay(folder, ["office", "start", "Show prices with tax", "--part", "web", "--no-wait", "--json"]);
  expect(started.json).toMatchObject({ status: "queued", agent: "om" });
  expect(await shown()).toMatch(/office-manager +om +queued +Show prices with tax/);
  const id = only(folder);
  playTurn(worldAt(folder), id, "", { outcome: "failed", exit: "1", problem: "it ended with 1" });
  expect(await shown()).toMatch(/office-manager +om +failed/);
  const log = await shown("log", started.json.context_id);
  expect(log).toMatch(/turn 1 .*start +claude +failed +it ended with 1/);
  expect((await relay(folder, ["office", "log", id, "--json"])).json).toMatchObject({ turns: [{ turn: 1, outcome: "failed", exit: "1" }] });
  for (const piece of [id.slice(11, 15), started.json.context_id.split(":").at(-1).slice(0, 4)])
    expect(await shown("log", piece), piece).toContain(started.json.context_id);
  expect((await relay(folder, ["office", "log", "zzzz", "--json"])).json).toMatchObject({ code: "not_found" });
  expect(await shown("conversation", "om")).toContain("Each piece of work has a thread of its own: relay office tree");
  expect(await shown("stop")).toContain("Nothing was at work");
  expect(stateAt(folder, id).state).toBe("failed");
});
