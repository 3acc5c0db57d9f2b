/**
 * The proof that an answer may be given after as few flushes as it is. The calls of each writing command are recorded, every state is
 * laid out in which a loss of power may leave a disk between them, and each is opened: nothing that was answered is lost, nothing half
 * is shown, no ack comes back, no number goes down, and one look mends the rest. Faults that are planted into the records are found.
 *
 * One command alone: `RELAY_TORTURE=1 npx vitest run test/torture/crash-states.test.ts -t "^send,"`.
 * What a disk promises is in `test/rig/crash/disk.ts`, what must hold in `test/torture/faults/crash-judge.ts`.
 */

import { expect, test } from "vitest";
import { operationList, operations } from "../../protocol/index.ts";
import { ask, type Writing } from "../history/verdict.ts";
import { count, FULL } from "../rig/counts.ts";
import type { Call } from "../rig/crash/trace.ts";
import { settle } from "../rig/home.ts";
import { whyNoStrace } from "../rig/strace.ts";
import { EARLIEST, PLANTED } from "./faults/crash-faults.ts";
import { judge } from "./faults/crash-judge.ts";
import { recordScene, recordSteps, type Scene } from "./faults/crash-scene.ts";
import { STORIES } from "./faults/crash-stories.ts";
import { COVERED, CRASH_ONLY } from "./faults/crash-writing.ts";
import { DISPOSABLE, mayBeGone } from "./faults/disposable-writing.ts";
import { ALL } from "./faults/writing.ts";

/**
 * In every run so many states of a few commands are asked, evenly from all of them. In torture all are; of commands that start git, each
 * look at which starts git too, so many, evenly.
 */
const STATES = count(24, Number.POSITIVE_INFINITY);
const STATES_WITH_GIT = 400;
const SAMPLE = ["reply", "ack", "task claim", "part add"];
const HURT_IN_SAMPLE = ["ack"];

/** Every command that is recorded. */
const SCENES: Readonly<Record<string, Writing>> = { ...ALL, ...CRASH_ONLY };

const why = whyNoStrace();
const skipped = why === null ? "" : ` (skipped: ${why})`;
const without = test.skipIf(why !== null && process.env["CI"] === undefined);

test("every operation that writes is recorded, or is named with what shows the same", () => {
  const writing = operationList.filter(({ effect }) => effect !== "read").map(({ command }) => command);
  const recorded = [...new Set(Object.keys(SCENES).map((name) => name.replace(/ --.*/, "")))];
  expect([...recorded, ...Object.keys(COVERED)].toSorted()).toEqual(writing.toSorted());
  for (const { as } of Object.values(COVERED)) expect(recorded).toContain(as);
});

/** The paths that calls changed, at which something else lay before or lies now. */
const changedBy = (calls: readonly Call[]): string[] =>
  calls.flatMap((call) => {
    const isChange =
      call.call === "open" ? call.creates || call.truncates : !["write", "seek", "read", "flush", "answer"].includes(call.call);
    return isChange ? [call.path] : [];
  });

/** Judges the states of a scene, and removes it. */
async function expectWhole(scene: Scene, calls: readonly Call[], most = Number.POSITIVE_INFINITY): Promise<void> {
  try {
    const { states, kinds, violations } = await judge(scene, calls, { states: most });
    console.info(`${scene.name}: ${scene.calls.length} calls, ${states} states, ${kinds} homes after a look`);
    expect(violations).toEqual([]);
  } finally {
    scene.remove();
  }
}

without.each(Object.entries(SCENES).filter(([name]) => FULL || SAMPLE.includes(name)))(
  `%s, in every state that a loss of power leaves${skipped}`,
  async (name, writing) => {
    const scene = await recordScene(name, writing);
    const changed = name in DISPOSABLE ? changedBy(scene.calls) : [];
    await expectWhole(scene, scene.calls, writing.git ? Math.min(STATES, STATES_WITH_GIT) : STATES);
    expect(changed.filter((at) => !mayBeGone(at))).toEqual([]);
  },
);

without.each(Object.entries(EARLIEST).filter(([name]) => FULL || SAMPLE.includes(name)))(
  `%s, answered as early as it may be, in every state that a loss of power leaves${skipped}`,
  async (name, early) => {
    const scene = await recordScene(name, SCENES[name] as Writing);
    await expectWhole(scene, early(scene), STATES);
  },
);

without.each(Object.entries(STORIES).filter(() => FULL))(
  `%s, in every state that a loss of power leaves${skipped}`,
  async (name, steps) => {
    const scene = await recordSteps(name, null, steps, false);
    await expectWhole(scene, scene.calls);
  },
);

without.each(Object.entries(PLANTED).filter(([name]) => FULL || HURT_IN_SAMPLE.includes(name)))(
  `%s with planted faults is found to lose what it answered, or to show half of it${skipped}`,
  async (name, faults) => {
    const story = STORIES[name];
    const scene = await (story === undefined ? recordScene(name, SCENES[name] as Writing) : recordSteps(name, null, story, false));
    try {
      const missed: string[] = [];
      for (const [fault, plant] of Object.entries(faults)) {
        const { violations } = await judge(scene, plant(scene), { enough: 1 });
        if (violations.length === 0) missed.push(fault);
        else console.info(`${name}: ${fault}: ${violations[0]}`);
      }
      expect(missed).toEqual([]);
    } finally {
      scene.remove();
    }
  },
);

without(`a home whose answers need not outlive a loss of power waits for no disk, and no git of its own does${skipped}`, async () => {
  const { before, ...record } = ALL["record"] as Writing;
  const scene = await recordScene("record", {
    ...record,
    async before(folder) {
      const about = (await before?.(folder)) ?? "";
      settle(folder, "durability: process\n");
      await ask(folder, operations.whoami);
      return about;
    },
  });
  try {
    expect(scene.calls.filter(({ call }) => call === "link" || call === "rename").length).toBeGreaterThan(0);
    expect(scene.calls.filter(({ call }) => call === "flush").map(({ path }) => path)).toEqual([]);
  } finally {
    scene.remove();
  }
});
