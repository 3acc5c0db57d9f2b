/**
 * Every writing command, killed at and failed by every system call that touches the home: what it leaves is absent or
 * whole, `doctor` is content or can make it so, and doing it again does it once.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { operationList, operations } from "../../../protocol/index.ts";
import { REFUSALS } from "../../../protocol/refusals.ts";
import { survey } from "../../history/survey.ts";
import { ask, type Fixture, home, isHome, type Writing } from "../../history/verdict.ts";
import { FULL } from "../../rig/counts.ts";
import { repository, scratch } from "../../rig/scratch.ts";
import { type Fault, type Point, pointsOf, type Scene, whyNoStrace, withFault } from "../../rig/strace.ts";
import { ELSEWHERE } from "./machine-writing.ts";
import { ALL, age, doAgain, expectHealthy, hurtCommands, hurtEverywhere, layFixture, verdictOf, withJson } from "./writing.ts";

/** Over quota, and a network disk that dropped a file, are tried in full. */
const FAULTS: readonly Fault[] = ["KILL", "EIO", "ENOSPC", ...(FULL ? (["EDQUOT", "ESTALE"] as const) : [])];
const NEEDS_ROOM: readonly Fault[] = ["ENOSPC", "EDQUOT"];
const LANES = 2;

/** A copy that shares nothing; hard links stay hard links. */
function copyOf(template: Fixture): Fixture {
  const folder = path.join(scratch(), path.basename(template.folder));
  execFileSync("cp", ["-a", template.folder, folder]);
  return { ...template, folder };
}

/** Where a command begins. */
const placeFor = (name: string, writing: Writing): string => (name === "init" || writing.git === true ? repository() : scratch());

/** What strace is to run. `init` writes beside the home too; the git it starts is not followed. */
function sceneOf(name: string, writing: Writing, at: Fixture, linkless = false): Scene {
  const making = name === "init";
  const args = withJson(writing.args(at));
  // The state folder and what is made of a project by a test lie in the same place.
  const folder = making ? at.folder : writing.at === "anywhere" ? path.join(os.tmpdir(), "relay-") : home(at.folder);
  return { args, cwd: at.folder, folder, threads: !making && writing.git !== true, linkless };
}

/** @returns whether the fault came where it was meant to */
async function tryOne(name: string, writing: Writing, template: Fixture, point: Point, fault: Fault, linkless = false): Promise<boolean> {
  const at = copyOf(template);
  try {
    return await tryAt(name, writing, at, point, fault, linkless);
  } finally {
    // Hundreds of copies are too many to be removed at the end.
    fs.rmSync(path.dirname(at.folder), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function tryAt(name: string, writing: Writing, at: Fixture, point: Point, fault: Fault, linkless: boolean): Promise<boolean> {
  const ended = await withFault(sceneOf(name, writing, at, linkless), point, fault);
  if (ended.at === null) return false;
  try {
    const answered = fault !== "KILL" && checkAnswer(ended);
    age(at.folder);
    await lookAfter(writing, at, answered);
  } catch (error) {
    throw new Error(`${fault} at ${ended.at}\n${ended.stdout}${ended.stderr}\n${(error as Error).message}`, { cause: error });
  }
  return true;
}

/** A command that lives answers in JSON, with a code of the catalogue; never with a stack. @returns whether it was done */
function checkAnswer({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }): boolean {
  expect(stderr).not.toMatch(/\n {4}at |node:internal/);
  const told = JSON.parse(stdout);
  if (told.success === true) return true;
  expect(Object.keys(REFUSALS)).toContain(told.code);
  expect(told.code).not.toBe("internal");
  expect(code).toBe(REFUSALS[told.code as keyof typeof REFUSALS].exit);
  return false;
}

async function lookAfter(writing: Writing, at: Fixture, answered: boolean): Promise<void> {
  const { folder } = at;
  if (isHome(folder)) {
    await ask(folder, operations.whoami);
    const verdict = await verdictOf(writing, folder, at);
    if (answered) expect(verdict).toBe("whole");
    if (!writing.inSteps) expect(verdict).not.toBe("begun");
    expect(survey(home(folder)).pending).toEqual([]);
    const { findings } = await ask(folder, operations.doctor);
    if (!writing.ill || verdict === "whole")
      expect(findings.filter((finding: { severity: string; fixable: boolean }) => finding.severity !== "note" && !finding.fixable)).toEqual(
        [],
      );
    if (!writing.ill) await expectHealthy(folder);
  }
  await doAgain(writing, folder, at);
  expect(await verdictOf(writing, folder, at)).toBe("whole");
  await expectHealthy(folder);
}

test("every operation that writes is hurt at every call, or is named with the reason why not", () => {
  const writing = operationList.filter(({ effect }) => effect !== "read").map(({ command }) => command);
  const hurt = Object.keys(ALL).map((name) => name.replace(/ --.*/, ""));
  expect(writing.toSorted()).toEqual([...hurt, ...Object.keys(ELSEWHERE)].toSorted());
});

const why = whyNoStrace();
test.skipIf(why !== null).each(hurtEverywhere())(
  `%s, killed and failed at every call${why === null ? "" : ` (skipped: ${why})`}`,
  async (name, writing) => {
    const template = await layFixture(name, placeFor(name, writing));
    const points = await pointsOf(sceneOf(name, writing, copyOf(template)));
    expect(points.length).toBeGreaterThan(10);
    // Not in full: every twelfth call, each by one of the faults; fewer for the slow one.
    const step = name === "init" ? 20 : 12;
    const chosen = (at: number, kind: number): boolean => FULL || (at % step === 0 && (at / step) % FAULTS.length === kind);
    const trials = points.flatMap((point, at) =>
      FAULTS.filter((fault, kind) => (!NEEDS_ROOM.includes(fault) || point.makes) && chosen(at, kind)).map((fault) => ({ point, fault })),
    );
    const planned = trials.length;
    let hit = 0;
    const lane = async (): Promise<void> => {
      for (let next = trials.shift(); next !== undefined; next = trials.shift()) {
        // Node's own calls between the recorded ones may differ in number from run to run: what was missed is tried again.
        for (let left = 3; left > 0; left -= 1) {
          if (!(await tryOne(name, writing, template, next.point, next.fault))) continue;
          hit += 1;
          break;
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    console.info(`${name}: ${points.length} calls, ${planned} faults, ${hit} where they were meant`);
    expect(hit).toBeGreaterThanOrEqual(Math.floor(planned * 0.7));
  },
);

/** Writers that take a name exclusively, by a copy where there are no hard links. What `init` left half made is no home yet. */
const EXCLUSIVE = hurtCommands().filter(([name]) => (FULL ? name !== "init" : ["send", "task claim", "review submit"].includes(name)));

test.skipIf(why !== null).each(EXCLUSIVE)(
  `%s, killed at calls on a disk without hard links${why === null ? "" : ` (skipped: ${why})`}`,
  async (name, writing) => {
    const template = await layFixture(name, placeFor(name, writing));
    const points = await pointsOf(sceneOf(name, writing, copyOf(template), true));
    // Between the reservation and the copy that takes its place lies a rename.
    const between = points.filter(({ call }) => (FULL ? ["rename", "openat", "fsync", "unlink"] : ["rename"]).includes(call));
    expect(between.length).toBeGreaterThan(0);
    const linkSync = fs.linkSync;
    // What comes after finds the same disk.
    fs.linkSync = (source, target) => {
      throw Object.assign(new Error(`EPERM: operation not permitted, link '${source}' -> '${target}'`), {
        code: "EPERM",
        errno: -1,
        syscall: "link",
      });
    };
    let hit = 0;
    try {
      // Node's own calls may differ in number from run to run: a point that was missed is tried once more.
      const isHit = (point: Point): Promise<boolean> => tryOne(name, writing, template, point, "KILL", true);
      for (const point of between) if ((await isHit(point)) || (await isHit(point))) hit += 1;
    } finally {
      fs.linkSync = linkSync;
    }
    expect(hit).toBeGreaterThanOrEqual(between.length * 0.7);
  },
);
