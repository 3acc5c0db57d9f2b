/** Waking: how long from an answered send to a nudge, and what a pager of many parts costs while nothing happens. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { emptyHome, settle } from "./rig/homes.mjs";
import { childEnv, p50, p99, relay, row, scratch } from "./rig/measure.mjs";
import { cpuSeconds, ended, startPager } from "./rig/pagers.mjs";
import { residentMb, startServer } from "./rig/server.mjs";

const ROUNDS = 60;
const PARTS = 200;
const IDLE_SECONDS = 60;

/** The exec rung against a bare start of the same command; and 200 parts, idle. */
export async function measureWaking() {
  // Wakes are counted for the user; the bench must not spend theirs.
  childEnv.XDG_STATE_HOME = scratch();
  return [...(await measureNudges()), ...(await measureIdle())];
}

async function measureNudges() {
  const folder = emptyHome("web", "api");
  settle(folder, "wake: { budget: { per_hour: 100000 }, cooldown: { wakes: 100000 } }\n");
  const bell = path.join(scratch(), "bell");
  fs.writeFileSync(bell, "");
  relay(folder, "part", "deliver", "web", "exec", "--json", "--", "sh", "-c", `echo x >> '${bell}'`);
  const pager = await startPager(folder);
  const server = await startServer(folder);
  const nudges = [];
  const bare = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = fs.statSync(bell).size;
    const { messageId } = await server.must("send", { agent_id: "api", to: ["web"], subject: "s", body: "b" });
    const answered = performance.now();
    await grown(bell, before);
    nudges.push(performance.now() - answered);
    await server.must("ack", { agent_id: "web", messageId });
    const size = fs.statSync(bell).size;
    const started = performance.now();
    spawn("sh", ["-c", `echo x >> '${bell}'`], { stdio: "ignore" });
    await grown(bell, size);
    bare.push(performance.now() - started);
  }
  await server.close();
  await ended(pager);
  for (const list of [nudges, bare]) list.sort((a, b) => a - b);
  const baseline = { what: "starting the same command", figure: p50(bare) };
  return [
    row("`send` answered → command has run (exec), p50", p50(nudges), { baseline, bars: { most: 100 } }),
    row("`send` answered → command has run (exec), p99", p99(nudges), { baseline: { ...baseline, figure: p99(bare) } }),
  ];
}

async function measureIdle() {
  const folder = emptyHome(...Array.from({ length: PARTS }, (_, index) => `p${index}`));
  const pager = await startPager(folder);
  await pause(3_000);
  const before = cpuSeconds(pager.pid);
  await pause(IDLE_SECONDS * 1_000);
  const share = ((cpuSeconds(pager.pid) - before) / IDLE_SECONDS) * 100;
  const memory = residentMb(pager.pid);
  await ended(pager);
  return [
    row(`a pager of ${PARTS} parts, idle for ${IDLE_SECONDS} s: of a core`, share, { unit: "%", bars: { most: 1 } }),
    row(`a pager of ${PARTS} parts, idle: memory`, memory, { unit: "MB", bars: { most: 120 } }),
  ];
}

/** Waits until a file is larger than it was, looking as often as it can. */
async function grown(file, size) {
  while (fs.statSync(file).size === size) await new Promise((resolve) => setImmediate(resolve));
}
