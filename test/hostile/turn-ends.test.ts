/** Ends of turns while processes are killed, and while several end and close at one instant: one reply, one next turn, nothing missing. */
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { createDispatch } from "../../protocol/home/dispatch/create-dispatch.ts";
import type { World } from "../../protocol/index.ts";
import { endTurn, localDispatches, nextTurn, readDispatch } from "../../protocol/internal.ts";
import { count } from "../rig/counts.ts";
import { begin, officeHome, stateAt } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";
import { type Worker, work } from "../rig/processes.ts";
import { begin as beginRound } from "../rig/rounds.ts";
import { scratch, until } from "../rig/scratch.ts";
import type { Act } from "../workers/turn-ender.ts";

const workers: { worker: Worker; rounds: string; next: number }[] = [];
afterEach(async () => {
  for (const { worker, rounds, next } of workers.splice(0)) {
    beginRound(rounds, next, "");
    await worker.ended;
  }
});

/** Processes that do what a round says. */
async function acting(folder: string, processes: number): Promise<(acts: readonly Act[]) => Promise<void>> {
  const rounds = scratch();
  const own = Array.from({ length: processes }, (_, index) => work("turn-ender", [folder, rounds, String(index)]));
  await Promise.all(own.map((worker) => until("a worker is ready", () => worker.lines.length > 0)));
  let round = 0;
  const first = { worker: own[0] as Worker, rounds, next: 0 };
  workers.push(first, ...own.slice(1).map((worker) => ({ worker, rounds, next: 0 })));
  return async (acts) => {
    beginRound(rounds, round, JSON.stringify(acts));
    const done = round;
    round += 1;
    for (const each of workers) each.next = round;
    await Promise.all(
      own
        .slice(0, acts.length)
        .map((worker) =>
          until(
            "a round is over",
            () => worker.lines.some((line) => line.round === done) || worker.child.signalCode !== null || worker.child.exitCode !== null,
          ),
        ),
    );
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

/** What a process that comes later does: it ends what has no end, and begins what is due. */
function goOn(world: World): { id: string; inputs: string[] }[] {
  for (const id of localDispatches(world)) {
    const state = readDispatch(world, id);
    const open = state?.turns.find(({ turn }) => state.ends.every((end) => end.turn !== turn));
    if (open !== undefined) endTurn(world, id, open.turn, { outcome: "ok", exit: "0", text: `Done by ${id}.` });
  }
  return localDispatches(world).flatMap((id) => {
    const next = nextTurn(world, id);
    return next === null ? [] : [{ id, inputs: next.inputs.map(({ body }) => body) }];
  });
}

test("an end that was killed before any of its calls of the disk is finished by the next look: one reply, one next turn", async () => {
  const folder = await officeHome("web");
  const home = path.join(folder, ".relay");
  const { lead, ids } = fanOut(worldAt(folder), ["om/auditor"]);
  const [id] = ids as [string];
  const before = path.join(scratch(), "before");
  fs.cpSync(home, before, { recursive: true });
  const step = count(23, 3);
  let points = 0;
  for (let killedAt = 1, early = false; !early; killedAt += step) {
    fs.rmSync(home, { recursive: true });
    fs.cpSync(before, home, { recursive: true });
    const act = await acting(folder, 1);
    await act([{ act: "end", id, killedAt }]);
    early = workers.at(-1)?.worker.lines.at(-1)?.early === true;
    const world = worldAt(folder);
    expect(goOn(world), `killed before call ${killedAt}`).toEqual([{ id: lead, inputs: [`Done by ${id}.`] }]);
    expect(goOn(world).filter((each) => each.id === lead)).toEqual([]);
    expect(stateAt(folder, id)).toMatchObject({ state: "idle", ends: [{ outcome: "ok" }] });
    points += 1;
    await Promise.all(
      workers.splice(0).map(async ({ worker, rounds, next }) => {
        if (worker.child.signalCode === null) beginRound(rounds, next, "");
        await worker.ended;
      }),
    );
  }
  expect(points).toBeGreaterThan(5);
});

test("of last replies at one instant none is missing, and they lead to one turn", async () => {
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

test("a close at the instant of the reply: the lead hears one of the two, and counts right", async () => {
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
