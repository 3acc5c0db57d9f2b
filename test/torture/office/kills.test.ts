/** The runner of an office is killed before each change of the disk that it makes: the next one completes all, and nothing is done twice. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { endTurn, localDispatches, RUNNER_PATH } from "../../../protocol/internal.ts";
import { count, TIMEOUT_MS } from "../../rig/counts.ts";
import { hasEnded } from "../../rig/hurt.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { tree, until, work, worldAt } from "../../rig/rig.ts";
import { numbersTo, severalAtOnce } from "../../rig/several.ts";

const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;
const WORDS = { auditor: "the books are right", researcher: "the paper is found" } as const;
const MEMBERS = Object.keys(WORDS) as (keyof typeof WORDS)[];

/** A lead that gives work to two at once and goes on when both have answered. */
async function fanOut(): Promise<{ stage: OfficeStage; lead: string }> {
  const stage = await OfficeStage.open();
  stage.limits({ idle_s: 0.1 });
  const send = (member: keyof typeof WORDS): object => ({ send: { member, message: does({ say: WORDS[member] }), wait: false } });
  stage.plan({ om: [MEMBERS.map(send), [{ say: "all in" }]] });
  return { stage, lead: stage.give("om", "Ask both.") };
}

/** Waits until no runner lives: a Send of an agent starts one, too. */
const noRunner = (stage: OfficeStage): Promise<unknown> =>
  until("no runner lives", () => {
    const file = path.join(stage.folder, ".relay", RUNNER_PATH);
    const holder = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    return holder === "" || hasEnded(Number(holder.split("-")[0]));
  });

const home = (stage: OfficeStage): string => path.join(stage.folder, ".relay");
const left = (stage: OfficeStage): string[] =>
  ["launches", "tokens"].flatMap((name) => {
    const folder = path.join(home(stage), "run/office", name);
    return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  });

/** What must be so at the end of all, whoever was killed. */
function expectDone(stage: OfficeStage, lead: string, when: string): void {
  const ids = fs.readdirSync(path.join(home(stage), "local/office")).filter((name) => name.startsWith("t-"));
  expect(ids, when).toHaveLength(3);
  for (const id of ids) {
    const { state, turns, ends, dispatch } = stage.state(id);
    const outcomes = ends.map(({ outcome }) => outcome).filter((outcome) => outcome !== "interrupted");
    expect([dispatch.recipient, state, outcomes], when).toEqual([dispatch.recipient, "idle", id === lead ? ["waiting", "ok"] : ["ok"]]);
    expect(ends, when).toHaveLength(turns.length);
    expect(
      stage.messages(id).map(({ from }) => from),
      when,
    ).toEqual([dispatch.initiator, dispatch.recipient]);
    const begins = stage.noted("begin").filter(({ context }) => context === dispatch.context);
    expect([dispatch.recipient, begins.length], when).toEqual([dispatch.recipient, outcomes.length]);
    const last = begins.at(-1)?.["envelope"] as string;
    if (id === lead) for (const words of Object.values(WORDS)) expect(last.split(words), when).toHaveLength(2);
  }
  expect(stage.noted("overlap"), when).toEqual([]);
  expect(left(stage), when).toEqual([]);
  expect(localDispatches(worldAt(stage.folder)), when).toEqual([]);
  const before = tree(home(stage));
  for (const id of ids)
    for (const { turn } of stage.state(id).turns) endTurn(stage.world, id, turn, { outcome: "failed", text: "Otherwise." });
  expect(tree(home(stage)), when).toEqual(before);
}

/** Runs the runner up to a change, then another one to its end. @returns how many changes the first one made; null where it was killed */
async function killedAt(change: number): Promise<number | null> {
  const { stage, lead } = await fanOut();
  const first = work("office-runner", [stage.folder, String(change)]);
  await first.ended;
  if (first.child.signalCode !== "SIGKILL") expect([first.child.exitCode, first.stderr()]).toEqual([0, ""]);
  await noRunner(stage);
  const second = stage.run();
  await until("the second runner ended", () => second.exitCode !== null);
  expectDone(stage, lead, `killed before change ${change}`);
  return (first.lines[0]?.changes as number | undefined) ?? null;
}

test(
  "a runner that is killed between any two of its steps is followed by one that completes them, each once",
  async () => {
    const most = (await killedAt(0)) as number;
    let kills = 0;
    const faults = await severalAtOnce(numbersTo(most, count(4, most)), 4, async (change) => {
      if ((await killedAt(change)) === null) kills += 1;
    });
    expect(faults).toEqual([]);
    expect(kills).toBeGreaterThan(count(0, most / 2));
  },
  TIMEOUT_MS,
);
