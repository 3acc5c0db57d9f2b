/** How long an idle agent in tmux waits for its nudge: from the answer to `send` to Enter, 500 ms of it the pause before Enter. */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { emptyHome, settle } from "./rig/homes.mjs";
import { childEnv, p50, p99, RELAY, row, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 40;
/** An agent that has done nothing for so long is idle. */
const IDLE_MS = 2_500;
const MOST_MS = 20_000;
const PROMPT = fileURLToPath(new URL("prompt.mjs", import.meta.url));
const POLICY = "wake:\n  budget: { per_hour: 100000 }\n  cooldown: { wakes: 100000 }\n";

/** Messages to an idle part, one after the other, each acked once it was nudged. */
export async function measureTmux() {
  if (spawnSync("tmux", ["-V"]).status !== 0) return [];
  const socket = `relay-bench-${process.pid}`;
  const env = { ...childEnv, RELAY_TMUX_SOCKET: socket, XDG_STATE_HOME: scratch() };
  const folder = emptyHome("web", "api");
  settle(folder, POLICY, RELAY, env);
  const entered = path.join(scratch(), "entered");
  fs.writeFileSync(entered, "");
  const up = spawnSync(process.execPath, [RELAY, "up", "--part", "web", "--", process.execPath, PROMPT, entered], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  if (up.status !== 0) throw new Error(up.stderr);
  const pager = spawn(process.execPath, [RELAY, "pager"], { cwd: folder, env, stdio: "ignore" });
  const server = await startServer(folder);
  const samples = [];
  try {
    for (let round = -1; round < ROUNDS; round += 1) {
      await pause(IDLE_MS);
      const { messageId } = await server.must("send", { agent_id: "api", to: ["web"], subject: "About it", body: "Text." });
      const answered = Date.now();
      const at = await nudge(entered, round + 2);
      if (round >= 0) samples.push(at - answered);
      await server.must("ack", { agent_id: "web", messageId });
    }
  } finally {
    pager.kill("SIGTERM");
    await server.close();
    spawnSync("tmux", ["-L", socket, "kill-server"]);
  }
  samples.sort((a, b) => a - b);
  return [
    row("message to an idle agent in tmux → nudge entered, p50", p50(samples), { bars: { most: 900 } }),
    row("the same, p99", p99(samples), { bars: { most: 1_500 } }),
  ];
}

/** When the nth nudge was entered. */
async function nudge(file, n) {
  for (const end = Date.now() + MOST_MS; Date.now() < end; await pause(5)) {
    const lines = fs.readFileSync(file, "utf8").split("\n");
    if (lines.length > n) return Number(lines[n - 1].split(" ")[0]);
  }
  throw new Error(`nudge ${n} never came`);
}
