/** From the answer to `send` until who waits for one part was told: a hook's process ended, a channel's doorbell arrived. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { emptyHome, settle } from "./rig/homes.mjs";
import { childEnv, interleave, p50, p99, RELAY, relay, row } from "./rig/measure.mjs";

const ROUNDS = 40;
const CHANNEL = "notifications/claude/channel";

/** Sends to `web`; gives the message's id, and when the answer was there. */
function send(home) {
  const { messageId } = relay(home, "send", "web", "Ready?", "Say so.", "--part", "api");
  return { messageId, at: performance.now() };
}

async function waiterOf(home, pid) {
  const folder = path.join(home, ".relay/run/waiters/web");
  while (!fs.existsSync(folder) || !fs.readdirSync(folder).some((name) => name.startsWith(`${pid}-`)))
    await new Promise((resolve) => setTimeout(resolve, 5));
  // A waiter that has just registered has yet to arm its watch.
  await new Promise((resolve) => setTimeout(resolve, 200));
}

/** One idle session that is woken. */
async function hook(home) {
  const child = spawn(process.execPath, [RELAY, "hook", "idle", "--part", "web"], {
    cwd: home,
    env: childEnv,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end(JSON.stringify({ session_id: "bench" }));
  const ended = once(child, "exit").then(([code]) => ({ code, at: performance.now() }));
  await waiterOf(home, child.pid);
  const { messageId, at } = send(home);
  const end = await ended;
  if (end.code !== 2) throw new Error(`the waiter ended with ${end.code}`);
  relay(home, "ack", messageId, "--part", "web");
  return Math.max(0, end.at - at);
}

/** A server with a channel; `ring` sends once and gives how long the doorbell took. */
async function openChannel(home) {
  const child = spawn(process.execPath, [RELAY, "mcp", "--channel", "--part", "web"], {
    cwd: home,
    env: childEnv,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let rest = "";
  let rung = () => {};
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    if (lines.some((line) => JSON.parse(line).method === CHANNEL)) rung(performance.now());
  });
  let id = 0;
  const write = (method, params, asks = true) => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...(asks ? { id } : {}), method, params })}\n`);
  };
  write("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  write("notifications/initialized", undefined, false);
  await waiterOf(home, child.pid);
  return {
    async ring() {
      const doorbell = new Promise((resolve) => {
        rung = resolve;
      });
      const { messageId, at } = send(home);
      const took = (await doorbell) - at;
      // Acked over the connection, which shows that it was heard.
      write("tools/call", { name: "ack", arguments: { messageIds: [messageId] } });
      while (fs.readdirSync(path.join(home, ".relay/inbox/web/new")).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 50));
      return Math.max(0, took);
    },
    async close() {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

/** Wakes each in turn, in a home of its own. */
export async function measureWaiters() {
  const homes = { hook: wakefulHome(), channel: wakefulHome() };
  const channel = await openChannel(homes.channel);
  const samples = await interleave(ROUNDS, { hook: () => hook(homes.hook), channel: () => channel.ring() });
  await channel.close();
  return [
    row("idle session's hook: `send` answered → its process ended, p50", p50(samples.hook), { bars: { most: 100 } }),
    row("the same, p99", p99(samples.hook)),
    row("channel: `send` answered → doorbell arrived, p50", p50(samples.channel), { bars: { most: 100 } }),
    row("the same, p99", p99(samples.channel)),
  ];
}

/** A home in which nothing is unread, and that may be woken as often as this needs. */
function wakefulHome() {
  const home = emptyHome("web", "api");
  settle(
    home,
    "wake:\n  budget: { per_hour: 100000, part_minimum: 100000, home_minimum: 100000 }\n  cooldown: { wakes: 100000, within_s: 1 }\n",
  );
  return home;
}
