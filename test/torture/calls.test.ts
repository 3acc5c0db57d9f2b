/**
 * Every system call with which a writing command touches the home: killed just before it, and failing with EIO and with
 * ENOSPC. What the command was to do is there afterwards or it is not; the next look completes it; a retry makes it whole.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { operations } from "../../protocol/index.ts";
import { FULL, TIMEOUT_MS } from "../counts.ts";
import { type Fault, type Hurt, hurt, type Point, pointsOf, whyNoFaults } from "../faults.ts";
import { scratch } from "../rig.ts";
import { survey } from "../survey.ts";
import {
  ask,
  doAgain,
  expectHealthy,
  type Fixture,
  home,
  isHome,
  layFixture,
  type Verdict,
  verdictOf,
  WRITING,
  type Writing,
} from "../writing.ts";

const FAULTS: readonly Fault[] = ["SIGKILL", "EIO", "ENOSPC"];
/** In every run of the tests only each so manieth point, another one for each fault. */
const EACH = FULL ? 1 : 16;
const why = whyNoFaults();

/** A copy whose second names of a file are second names of its copy. */
function copyOf(folder: string): string {
  const copy = path.join(scratch(), "project");
  execFileSync("cp", ["-a", folder, copy]);
  return copy;
}

/** A command that failed says so in one JSON object; one that says it is done, did it. */
function expectSaid({ code, stdout, stderr }: Hurt, fault: Fault, now: Verdict, inSteps: boolean): void {
  expect(stderr).not.toMatch(/^\s+at .*[:(]\d+/m);
  const said = JSON.parse(stdout);
  if (code === 0) {
    expect(said).toMatchObject({ success: true });
    expect(now).toBe("whole");
  } else {
    expect(said).toMatchObject({ success: false, code: fault === "EIO" ? "disk_error" : "disk_full", error: expect.any(String) });
    expect(code).toBe(6);
    if (!inSteps) expect(now, "told as a failure").toBe("absent");
  }
}

/** Who died with a lock has been silent for an hour, as the lock sees it. */
function silenceLocks(folder: string): void {
  const locks = home(folder, "run/locks");
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of fs.existsSync(locks) ? fs.readdirSync(locks) : []) fs.utimesSync(path.join(locks, name), hourAgo, hourAgo);
}

async function sweep(each: Writing, at: Fixture, point: Point, fault: Fault): Promise<void> {
  const args = [...each.args(at), "--json"];
  const ended = await hurt(() => copyOf(at.folder), args, fault, point);
  const { folder } = ended;
  if (isHome(folder)) await ask(folder, operations.roster);
  expect(survey(home(folder)).pending, "pending after a look").toEqual([]);
  const now = await verdictOf(each, folder, at);
  if (fault === "SIGKILL") expect(now).toBeOneOf(each.inSteps ? ["absent", "begun", "whole"] : ["absent", "whole"]);
  else expectSaid(ended, fault, now, each.inSteps === true);
  if (isHome(folder)) await expectHealthy(folder);
  silenceLocks(folder);
  await doAgain(each, folder, at);
  expect(await verdictOf(each, folder, at), "after a retry").toBe("whole");
  await expectHealthy(folder);
}

describe.skipIf(why !== null)(`faults at every system call${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test.each(Object.entries(WRITING))(
    "%s",
    async (name, each) => {
      const at = await layFixture(name, scratch());
      const points = await pointsOf(copyOf(at.folder), [...each.args(at), "--json"]);
      expect(points.length).toBeGreaterThan(10);
      const all = FAULTS.flatMap((fault, shift) => points.map((point, nth) => ({ fault, point, due: (nth + shift * 5) % EACH === 0 })));
      const wrong: string[] = [];
      for (const { fault, point } of all.filter(({ due }) => due)) {
        await sweep(each, at, point, fault).catch((error) =>
          wrong.push(`${fault} at ${point.call} ${point.nth} (${point.about}): ${error.message}`),
        );
      }
      expect(wrong).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
