/** Pagers that run against each other, are killed and suspended, go blind, or have very many parts: one nudge each, none lost. */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { drivenClock, untilInTime } from "../rig/clock/driven.ts";
import { count } from "../rig/counts.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { pause } from "../rig/hurt.ts";
import { type Bell, bellFor, follow, setPolicy, startPager } from "../rig/pagers.ts";
import { relayFile } from "../rig/processes.ts";
import { cleanEnv, until } from "../rig/scratch.ts";

const NO_LIMITS = "budget: { per_hour: 100000 }, cooldown: { wakes: 100000 }";

const send = (folder: string, to: string[], now = Date.now) =>
  perform(worldAt(folder, { part: "main", now }), operations.send, { to, subject: "s", body: "b" });

async function ack(folder: string, messageId: unknown): Promise<void> {
  await perform(worldAt(folder, { part: "web" }), operations.ack, { messageId });
}

const lineCount = (file: string): number => fs.readFileSync(file, "latin1").split("\n").length - 1;

test("pagers are killed and suspended at random moments: no wake twice, none lost", async () => {
  const folder = await homeWith("web");
  const refireMs = 3_000;
  setPolicy(folder, `{ lease_s: 1, refire_s: ${refireMs / 1_000}, ${NO_LIMITS} }`);
  const bell = await bellFor(folder, ["web"]);
  const pagers = [await startPager(folder), await startPager(folder)];
  const asleep: Promise<void>[] = [];
  for (let round = 0; round < count(6, 500); round += 1) {
    const before = lineCount(bell.file);
    const { messageId } = await send(folder, ["web"]);
    const victim = round % 2;
    await pause(Math.random() * 30);
    if (round % 3 === 0) {
      await pagers[victim]?.kill();
      pagers[victim] = await startPager(folder);
    } else {
      const pager = pagers[victim];
      pager?.signal("SIGSTOP");
      asleep.push(pause(100 + Math.random() * 2_000).then(() => pager?.signal("SIGCONT")));
    }
    await until(`a nudge in round ${round}`, () => lineCount(bell.file) > before);
    expectSpaced(bell, before, refireMs);
    await ack(folder, messageId);
  }
  const ids = bell.nudges().map(({ wakeId }) => wakeId);
  expect(new Set(ids).size, "a wake was delivered twice").toBe(ids.length);
  await Promise.all(asleep);
  for (const pager of pagers) await pager.end();
});

/** What was rung since some line was for one message: never again before its re-fire. */
function expectSpaced(bell: Bell, from: number, refireMs: number): void {
  const times = bell
    .nudges()
    .slice(from)
    .map(({ atMs }) => atMs)
    .sort((a, b) => a - b);
  for (const [index, at] of times.entries()) if (index > 0) expect(at - (times[index - 1] as number)).toBeGreaterThan(refireMs - 500);
}

/** A machine that does much else makes every second of processor time longer; the full run has it for itself. */
const IDLE_PERCENT = count(3, 1);

test(`200 parts: one process, at most 120 MB, at most ${IDLE_PERCENT} % of a core when idle`, async () => {
  const parts = Array.from({ length: 200 }, (_, index) => `team/p${index}`);
  const folder = await homeWith(...parts);
  const bell = await bellFor(folder, ["team/p7"]);
  const clock = drivenClock();
  const pager = await startPager(folder, [], clock.env);
  await send(folder, ["team/p7"]);
  await until("the nudge", () => bell.nudges().length > 0);
  await clock.pass(30_000);
  const beats = count(20, 120);
  const seconds = beats * BEAT_S;
  const before = cpuSeconds(pager.pid);
  for (let beat = 0; beat < beats; beat += 1) await clock.pass(BEAT_S * 1_000);
  const share = (cpuSeconds(pager.pid) - before) / seconds;
  const residentMb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pager.pid}/status`, "latin1"))?.[1]) / 1_024;
  console.log(`200 parts: ${(share * 100).toFixed(2)} % of a core, ${residentMb.toFixed(1)} MB`);
  expect(residentMb).toBeLessThanOrEqual(120);
  expect(share * 100).toBeLessThanOrEqual(IDLE_PERCENT);
  await pager.end();
});

/** How often a pager looks by itself. */
const BEAT_S = 4.5;

/** Processor time that a process has used, in seconds. */
function cpuSeconds(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Whether a process may be put where it has limits of its own. */
const canUnshare = ((): boolean => {
  try {
    execFileSync("unshare", ["-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!canUnshare)(
  "out of inotify: it says so by name, the beat finds mail within 5 seconds, and it watches again when there is room",
  async () => {
    const folder = await homeWith("web");
    setPolicy(folder, `{ ${NO_LIMITS} }`);
    const bell = await bellFor(folder, ["web"]);
    const clock = drivenClock({ stands: true });
    const limit = "/proc/sys/user/max_inotify_instances";
    const script = `echo 0 > ${limit}; "$0" "$1" pager --json & read go; echo 100 > ${limit}; read end; kill $!; wait $!`;
    const child = spawn("unshare", ["-Ur", "sh", "-c", script, process.execPath, path.resolve(relayFile())], {
      cwd: folder,
      env: cleanEnv(clock.env),
      stdio: "pipe",
    });
    try {
      const pager = await follow(child as Parameters<typeof follow>[0]);
      expect(await pager.said("not_watching")).toMatchObject({ code: "EMFILE", problem: expect.stringContaining("max_user_instances") });
      for (let round = 1; round <= 3; round += 1) {
        const { messageId } = await send(folder, ["web"], clock.now);
        await clock.pass(5_000);
        expect(lineCount(bell.file)).toBe(round);
        await ack(folder, messageId);
      }
      child.stdin.write("go\n");
      await untilInTime("it watches again", clock, () => pager.lines.some(({ type }) => type === "watching"));
      child.stdin.write("end\n");
      await until("it ended", () => pager.lines.find(({ type }) => type === "ended"));
    } finally {
      child.stdin.end();
    }
  },
);
