/** Ends of turns while several end and close at one instant: one reply, one next turn, nothing missing. */
import { afterEach, expect, test } from "vitest";
import type { World } from "../../protocol/index.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { endTurn } from "../../protocol/office/files/end-turn.ts";
import { nextTurn } from "../../protocol/office/files/next-turn.ts";
import { count } from "../rig/counts.ts";
import { begin, officeHome, stateAt } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";
import { work } from "../rig/processes.ts";
import { begin as beginRound } from "../rig/rounds.ts";
import { scratch, until } from "../rig/scratch.ts";
import type { Act } from "../workers/turn-ender.ts";

/** Ends the processes of the test. */
let endAll = async (): Promise<void> => {};
afterEach(() => endAll());

/** Processes that do what a round says. */
async function acting(folder: string, processes: number): Promise<(acts: readonly Act[]) => Promise<void>> {
  const rounds = scratch();
  const own = Array.from({ length: processes }, (_, index) => work("turn-ender", [folder, rounds, String(index)]));
  let round = 0;
  endAll = async () => {
    beginRound(rounds, round, "");
    for (const worker of own) await worker.ended;
  };
  for (const worker of own) await until("a worker is ready", () => worker.lines.length > 0);
  return async (acts) => {
    const done = round;
    round += 1;
    beginRound(rounds, done, JSON.stringify(acts));
    const acted = own.slice(0, acts.length);
    await until("the round is over", () => acted.every(({ lines }) => lines.some((line) => line.round === done)));
  };
}

/** Work of the office's lead that waits for these, each of which runs its first turn. */
function fanOut(world: World, members: readonly string[]): { lead: string; ids: string[] } {
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Build.", parent: null });
  begin(world, dispatch.id);
  const parent = { dispatch, turn: 1 };
  const ids = members.map(
    (recipient) => createDispatch(world, { initiator: "om", recipient, text: `For ${recipient}`, parent }).dispatch.id,
  );
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "I wait." });
  for (const id of ids) begin(world, id);
  return { lead: dispatch.id, ids };
}

test("last replies at one instant are all there, and lead to one turn", async () => {
  const folder = await officeHome("web");
  const world = worldAt(folder);
  const act = await acting(folder, 3);
  for (let round = 0; round < count(20, 200); round += 1) {
    const { lead, ids } = fanOut(world, ["om/auditor", "om/researcher", "om/strategist"]);
    const ending = act(ids.map((id) => ({ act: "end", id })));
    let begun: ReturnType<typeof nextTurn> = null;
    await until("the lead goes on", () => {
      begun ??= nextTurn(world, lead);
      return begun !== null;
    });
    await ending;
    const { turn, inputs } = begun as unknown as NonNullable<ReturnType<typeof nextTurn>>;
    expect([turn, inputs.map(({ body }) => body).sort()]).toEqual([2, ids.map((id) => `Done by ${id}.`).sort()]);
    endTurn(world, lead, 2, { outcome: "ok", text: "All." });
    expect([nextTurn(world, lead), stateAt(folder, lead, world).state]).toEqual([null, "idle"]);
  }
});

test("a close at the instant of the reply gives the lead one of the two, and the right count", async () => {
  const folder = await officeHome("web");
  const world = worldAt(folder);
  const act = await acting(folder, 2);
  for (let round = 0; round < count(12, 50); round += 1) {
    const { lead, ids } = fanOut(world, ["om/auditor"]);
    const [id] = ids as [string];
    await act([
      { act: "end", id },
      { act: "close", id },
    ]);
    const { inputs } = begin(world, lead);
    expect(inputs).toHaveLength(1);
    const closed = "(closed)\nmain closed the conversation.";
    // An end that finds the conversation closed, and not yet answered, says both.
    expect([`Done by ${id}.`, closed, `${closed}\nexit: 0\n\nDone by ${id}.`]).toContain(inputs[0]?.body);
    expect(stateAt(folder, id, world)).toMatchObject({ state: "closed", turns: [{ turn: 1 }], ends: [{ reply: inputs[0]?.id }] });
    expect(stateAt(folder, lead, world).facts.childrenAtWork).toBe(0);
    endTurn(world, lead, 2, { outcome: "ok", text: "All." });
    expect(nextTurn(world, lead)).toBeNull();
  }
});
