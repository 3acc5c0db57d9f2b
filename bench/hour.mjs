/**
 * What a pager and a `watch` hold in memory after very many messages, sent as fast as two processes can. An hour at 100 a second brings
 * 360,000: `HOUR_MESSAGES=360000 npm run bench -- hour`. By itself a run sends fewer, so that it ends in minutes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { emptyHome, settle } from "./rig/homes.mjs";
import { childEnv, RELAY, row, scratch } from "./rig/measure.mjs";
import { ended, startPager } from "./rig/pagers.mjs";
import { residentMb } from "./rig/server.mjs";

const MESSAGES = Number(process.env.HOUR_MESSAGES ?? 20_000);
const PARTS = ["web", "api", "docs", "tests"];
const LOOK_MS = 1_000;
const MOST_MB = 80;
const BUSY = fileURLToPath(new URL("./rig/busy.mjs", import.meta.url));
const number = new Intl.NumberFormat("en");

export async function measureHour() {
  childEnv.XDG_STATE_HOME = scratch();
  const folder = emptyHome(...PARTS);
  // The rate of a disk is no part of this.
  settle(folder, "durability: process\n");
  const pager = await startPager(folder);
  const watch = spawn(process.execPath, [RELAY, "watch", "--json"], { cwd: folder, env: childEnv, stdio: ["ignore", "pipe", "inherit"] });
  let told = 0;
  watch.stdout.on("data", (bytes) => {
    for (const byte of bytes) if (byte === 0x0a) told += 1;
  });
  const most = { pager: 0, watch: 0 };
  const look = setInterval(() => {
    most.pager = Math.max(most.pager, residentMb(pager.pid));
    most.watch = Math.max(most.watch, residentMb(watch.pid));
  }, LOOK_MS);
  const started = performance.now();
  const senders = [PARTS.slice(0, 2), PARTS.slice(2)].map((pair) =>
    spawn(process.execPath, [BUSY, folder, ...pair, String(MESSAGES / 2)], { cwd: folder, env: childEnv, stdio: "inherit" }),
  );
  for (const codes of await Promise.all(senders.map((sender) => once(sender, "close"))))
    if (codes[0] !== 0) throw new Error("a sender failed");
  const minutes = (performance.now() - started) / 60_000;
  clearInterval(look);
  await ended(pager);
  await ended(watch);
  if (told < MESSAGES) throw new Error(`watch told ${told} lines of ${MESSAGES} messages`);
  const what = `${number.format(MESSAGES)} messages in ${minutes.toFixed(1)} minutes`;
  return [
    row(`a pager, ${what}: the most memory`, most.pager, { unit: "MB", bars: { most: MOST_MB } }),
    row(`\`relay watch\`, the same: the most memory`, most.watch, { unit: "MB", bars: { most: MOST_MB } }),
  ];
}
