/**
 * The four tools of the plugin that write, against a server that only remembers: the same calls over the same SDK, with its state in the
 * memory of the process and gone with it. Each call of one stands beside the same call of the other.
 */
import { fileURLToPath } from "node:url";
import { emptyHome } from "./rig/homes.mjs";
import { interleave, p50, row } from "./rig/measure.mjs";
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
  const samples = await interleave(ROUNDS, Object.fromEntries(things));
  for (const server of Object.values(servers)) await server.close();
  return Object.keys(acts).map((tool) => {
    const baseline = { what: "a stand-in that keeps the same in memory", figure: p50(samples[`${tool} memory`]) };
    return row(`\`${tool}\`, on the disk, p50`, p50(samples[`${tool} disk`]), { baseline, bars: { ratio: MOST } });
  });
}
