/**
 * The four tools of the plugin that write, against a server that only remembers: the same calls over the same SDK, with its state in the
 * memory of the process and gone with it. Each call of one stands beside the same call of the other, and beside the least that an answer can
 * cost that waits for the disk: the same call of the stand-in, and one file flushed with its name.
 */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { emptyHome } from "./rig/homes.mjs";
import { interleave, p50, row, scratch } from "./rig/measure.mjs";
import { dice, messageOf } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 500;
const MOST = 2;
const IN_MEMORY = fileURLToPath(new URL("./rig/in-memory.mjs", import.meta.url));

export async function measurePlugin() {
  const folder = emptyHome("web", "api");
  const servers = {
    memory: await startServer(folder, { program: [IN_MEMORY] }),
    disk: await startServer(folder, { args: ["--tools", "room,plugin"] }),
  };
  await servers.disk.must("start_session", { agent_id: "api" });
  const random = dice(1);
  const text = () => messageOf(random, { day: "2026-01-31", threadRandom: random.text(8), n: 1, atMs: 0 }, "api", ["web"]).body;
  const tasks = {};
  const acts = {
    send_message: () => ({ agent_id: "api", to: "web", content: text() }),
    create_task: () => ({ agent_id: "api", title: "A task", description: text(), priority: "medium" }),
    claim_task: (side) => ({ agent_id: "web", task_id: tasks[side] }),
    update_task: (side) => ({ agent_id: "web", task_id: tasks[side], status: "done" }),
  };
  const things = Object.entries(acts).flatMap(([tool, args]) =>
    Object.entries(servers).map(([side, server]) => [
      `${tool} ${side}`,
      async () => {
        const given = args(side);
        const started = performance.now();
        const { task_id } = await server.must(tool, given);
        const took = performance.now() - started;
        if (tool === "create_task") tasks[side] = task_id;
        return took;
      },
    ]),
  );
  const samples = await interleave(ROUNDS, { ...Object.fromEntries(things), flushed: flushOne(text) });
  for (const server of Object.values(servers)) await server.close();
  return Object.keys(acts).flatMap((tool) => {
    const memory = p50(samples[`${tool} memory`]);
    const baseline = { what: "a stand-in that keeps the same in memory", figure: memory };
    return [
      row(`\`${tool}\`, on the disk, p50`, p50(samples[`${tool} disk`]), { baseline, bars: { ratio: MOST } }),
      row(`\`${tool}\` of the stand-in and one flushed file with its name, p50`, memory + p50(samples.flushed), { baseline }),
    ];
  });
}

/** Writes a file, and waits until the disk has it and its name. */
function flushOne(text) {
  const folder = scratch();
  let n = 0;
  const flushed = (at, flags) => {
    const descriptor = fs.openSync(at, flags);
    if (flags === "wx") fs.writeSync(descriptor, text());
    fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
  };
  return () => {
    n += 1;
    flushed(path.join(folder, `${n}`), "wx");
    flushed(folder, "r");
  };
}
