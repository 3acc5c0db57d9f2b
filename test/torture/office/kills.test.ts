/** The runner of an office is killed before each change of the disk that it makes: the next one completes all, and nothing is done twice. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { endTurn, localDispatches, nextTurn } from "../../../protocol/internal.ts";
import { count } from "../../rig/counts.ts";
import { officeFolder, worldAt } from "../../rig/home.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { work } from "../../rig/processes.ts";
import { cleanEnv, tree } from "../../rig/scratch.ts";
import { numbersTo, severalAtOnce } from "../../rig/several.ts";

const MEMBERS = ["om/auditor", "om/researcher"] as const;

/** A lead that waits for two, whose turns are due; its own is when both have answered. */
async function fanOut(): Promise<{ stage: OfficeStage; lead: string; below: string[] }> {
  const stage = await OfficeStage.open();
  await stage.quick();
  const lead = stage.give("om", "Ask both.");
  nextTurn(stage.world, lead);
  const parent = { dispatch: stage.state(lead).dispatch, turn: 1 };
  const below = MEMBERS.map((member) => stage.give(member, `Do it, ${member}.`, "om", parent));
  endTurn(stage.world, lead, 1, { outcome: "ok", exit: "0", text: "I wait." });
  return { stage, lead, below };
}

const home = (stage: OfficeStage): string => path.join(stage.folder, ".relay");
const left = (stage: OfficeStage): string[] =>
  ["launches", "tokens"].flatMap((name) => {
    const folder = path.join(officeFolder(stage.folder), name);
    return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  });

/** What must be so at the end of all, whoever was killed. */
function expectDone(stage: OfficeStage, lead: string, below: readonly string[]): void {
  for (const id of [lead, ...below]) {
    const { state, turns, ends, dispatch } = stage.state(id);
    const own = dispatch.recipient;
    const outcomes = ends.map(({ outcome }) => outcome).filter((outcome) => outcome !== "interrupted");
    expect([own, state, outcomes]).toEqual([own, "idle", id === lead ? ["waiting", "ok"] : ["ok"]]);
    expect([own, ends.length]).toEqual([own, turns.length]);
    const said = stage.messages(id).map(({ from, body }) => [from, body]);
    expect(said).toEqual([
      [dispatch.initiator, said[0]?.[1]],
      [own, `done by ${own}`],
    ]);
    // Its program ran once, whatever it was that was killed.
    const told = stage.told(own);
    expect([own, told.length]).toEqual([own, 1]);
    const words = id === lead ? MEMBERS.map((member) => `done by ${member}`) : [`Do it, ${own}.`];
    for (const each of words) expect(told[0]?.split(each)).toHaveLength(2);
  }
  expect(fs.existsSync(path.join(stage.notes, "overlap"))).toBe(false);
  expect(left(stage)).toEqual([]);
  expect(localDispatches(worldAt(stage.folder))).toEqual([]);
  const before = tree(home(stage));
  for (const id of [lead, ...below])
    for (const { turn } of stage.state(id).turns) endTurn(stage.world, id, turn, { outcome: "failed", text: "Otherwise." });
  expect(tree(home(stage))).toEqual(before);
}

/** Runs the runner up to a change, then another one to its end. @returns how many changes the first one made; null where it was killed */
async function killedAt(change: number): Promise<number | null> {
  const { stage, lead, below } = await fanOut();
  const first = work("office-runner", [stage.folder, String(change)], cleanEnv());
  await first.ended;
  if (first.child.signalCode !== "SIGKILL") expect([first.child.exitCode, first.stderr()]).toEqual([0, ""]);
  await stage.runHere();
  expectDone(stage, lead, below);
  return (first.lines[0]?.changes as number | undefined) ?? null;
}

test("a runner that is killed between any two of its steps is followed by one that completes them, each once", async () => {
  const most = (await killedAt(0)) as number;
  let kills = 0;
  const faults = await severalAtOnce(numbersTo(most, count(6, most)), 3, async (change) => {
    if ((await killedAt(change)) === null) kills += 1;
  });
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(count(0, most / 2));
});
