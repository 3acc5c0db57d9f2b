/** What a server holds in memory after a long day in a large home. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { makeHome, RARE } from "./rig/homes.mjs";
import { childEnv, row } from "./rig/measure.mjs";
import { residentMb, startServer } from "./rig/server.mjs";

const MESSAGES = 100_000;
const CALLS = 5_000;
/** Every hundred calls hold one `threads` and one `search`; the rest is what agents do all day. */
const HUNDRED = 100;

/** Resident memory after thousands of mixed calls, against that of Node doing nothing. */
export async function measureMemory() {
  const server = await startServer(makeHome(MESSAGES));
  await server.empty();
  const fresh = server.residentMb();
  let last = await server.must("send", letter(0));
  for (let done = 1; done < CALLS; done += 1) {
    const at = done % HUNDRED;
    if (at === 50) await server.must("threads", { agent_id: "web" });
    else if (at === 99) await server.must("search", { query: RARE.word });
    else if (at % 4 === 0) last = await server.must("send", letter(done));
    else if (at % 4 === 1) await server.must("inbox", { agent_id: "docs" });
    else if (at % 4 === 2) await server.must("show", { agent_id: "docs", threadId: last.threadId });
    else await server.must("ack", { agent_id: "docs", messageId: last.messageId });
  }
  const after = server.residentMb();
  await server.close();
  const node = await idleNode();
  const baseline = { what: "Node doing nothing", figure: node };
  return [
    row("memory of a server, after its first call", fresh, { unit: "MB", baseline }),
    row("memory of a server after 5,000 calls, home of 100,000", after, { unit: "MB", baseline, bars: { most: 90 } }),
  ];
}

function letter(number) {
  return { agent_id: "api", to: ["docs"], subject: `Letter ${number}`, body: `Number ${number}. ${"What was said and done. ".repeat(40)}` };
}

async function idleNode() {
  const child = spawn(process.execPath, ["-e", 'process.stdin.resume(); console.log("ready")'], {
    env: childEnv,
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const resident = residentMb(child.pid);
  child.stdin.end();
  await once(child, "close");
  return resident;
}
