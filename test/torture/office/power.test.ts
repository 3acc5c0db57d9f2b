/** A loss of power while somebody gives work: whatever it leaves, a position that has mail is rung, so that somebody does the work. */
import { expect, test } from "vitest";
import { operations } from "../../../protocol/index.ts";
import { unreadIdsSeen } from "../../../protocol/mail/files/inbox-files.ts";
import { goOnForKilled } from "../../../protocol/office/files/adopt-mail.ts";
import { localDispatches } from "../../../protocol/office/files/next-turn.ts";
import { readDispatch } from "../../../protocol/office/files/read-dispatch.ts";
import { ask } from "../../history/verdict.ts";
import { count } from "../../rig/counts.ts";
import { diskAt } from "../../rig/crash/disk.ts";
import { callOfOtherBoot, layOut, ofOtherBoot } from "../../rig/crash/lay.ts";
import { statesOf } from "../../rig/crash/states.ts";
import { record } from "../../rig/crash/trace.ts";
import { officeHome } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { cleanEnv } from "../../rig/scratch.ts";
import { whyNoStrace } from "../../rig/strace.ts";

/** In every run so many states are asked, evenly from all. */
const STATES = count(60, Number.POSITIVE_INFINITY);
const why = whyNoStrace();

test.skipIf(why !== null && process.env["CI"] === undefined)(
  `work that was given is rung in every state that a loss of power leaves${why === null ? "" : ` (skipped: ${why})`}`,
  async () => {
    const folder = await officeHome("web");
    const roots = [folder, cleanEnv()["XDG_STATE_HOME"] as string];
    const disk = diskAt(roots, ofOtherBoot);
    const args = ["office", "start", "Build it.", "--no-wait", "--part", "web", "--json"];
    const calls = (await record(args, folder, roots, { RELAY_NO_RUNNER: "1" })).map(callOfOtherBoot);
    const all = statesOf(disk, calls);
    const step = Math.max(1, Math.ceil(all.length / STATES));
    const asked = { given: 0, not: 0 };
    for (const { laid, answers, words } of all.toReversed().filter((_, at) => at % step === 0)) {
      layOut(roots, laid);
      await ask(folder, operations.whoami);
      const world = worldAt(folder);
      const isGiven = unreadIdsSeen(world.home().store, "om").length > 0;
      asked[isGiven ? "given" : "not"] += 1;
      if (answers > 0) expect(isGiven, words).toBe(true);
      if (!isGiven) continue;
      expect(localDispatches(world), words).toHaveLength(1);
      goOnForKilled(world);
      expect(readDispatch(world, localDispatches(world)[0] as string), words).toMatchObject({ state: "queued", isOwn: true });
    }
    expect(Math.min(asked.given, asked.not), `${all.length} states`).toBeGreaterThan(0);
  },
);
