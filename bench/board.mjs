/** What the board costs an agent: over stdin and stdout of a real server, one call after the other. */
import { bareSend, layBare } from "./rig/bare.mjs";
import { emptyHome, tasksHome } from "./rig/homes.mjs";
import { interleave, p50, p99, row, scratch } from "./rig/measure.mjs";
import { dice, messageOf } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 1_000;
const LISTS = 100;
const SECTIONS = 20;

/** In each round a bare send, an empty call, a message, and a task from its making to its end. */
export async function measureBoard() {
  return [...(await measureChanges()), ...(await measureLists(1_000, 10)), ...(await measureLists(10_000, 80))];
}

async function measureChanges() {
  const random = dice(1);
  const draft = () => messageOf(random, { day: "2026-01-31", threadRandom: random.text(8), n: 1, atMs: Date.now() }, "api", ["web"]);
  const bare = scratch();
  layBare(bare);
  const server = await startServer(emptyHome("web", "api"), { args: ["--tools", "room,plugin"] });
  await server.must("start_session", { agent_id: "api" });
  const made = { agent_id: "api", title: "A task", description: draft().body, priority: "medium" };
  let task_id;
  let round = 0;
  const samples = await interleave(ROUNDS, {
    bare: () => timed(bareSend, bare, draft()),
    empty: () => timed(server.empty),
    send: () => timed(server.must, "send_message", { agent_id: "api", to: "web", content: draft().body }),
    create: () => timed(async () => ({ task_id } = await server.must("create_task", made))),
    claim: () => timed(server.must, "claim_task", { agent_id: "web", task_id }),
    update: () => timed(server.must, "update_task", { agent_id: "web", task_id, status: "done" }),
    memory: () => timed(server.must, "write_memory", { key: `section ${round++ % SECTIONS}`, content: draft().body }),
  });
  await server.close();
  const { bare: files, empty } = samples;
  const baseline = (of) => ({ what: "bare files + empty call", figure: of(files) + of(empty) });
  const tools = { create: ["create_task", 1.5], claim: ["claim_task", 1.5], update: ["update_task", 1.5], send: ["send_message", 1.2] };
  return [
    ...Object.entries(tools).flatMap(([key, [name, ratio]]) => [
      row(`\`${name}\`, p50`, p50(samples[key]), { baseline: baseline(p50), bars: { ratio } }),
      row(`\`${name}\`, p99`, p99(samples[key]), { baseline: baseline(p99) }),
    ]),
    row(`\`write_memory\`, ${SECTIONS} sections, p50`, p50(samples.memory), { baseline: baseline(p50) }),
  ];
}

async function measureLists(tasks, most) {
  const home = tasksHome(tasks);
  const server = await startServer(home);
  const { tasks: listed } = await server.must("get_all_tasks", {});
  if (listed.length !== tasks) throw new Error(`${listed.length} tasks were listed, expected ${tasks}`);
  const { empty, list } = await interleave(LISTS, {
    empty: () => timed(server.empty),
    // Until the answer is here whole: what a client takes to parse it is not Relay's.
    list: async () => {
      const started = performance.now();
      await server.must("get_all_tasks", {});
      return server.arrivedAt() - started;
    },
  });
  await server.close();
  // A server of its own: what a search keeps would be carried along by the other.
  const searching = await startServer(home);
  await searching.must("search", { query: "no such words" });
  const { search } = await interleave(LISTS, { search: () => timed(() => searching.must("search", { query: "no such words" })) });
  await searching.close();
  const baseline = { what: "empty call", figure: p50(empty) };
  return [
    row(`\`get_all_tasks\` of ${tasks}, p50`, p50(list), { baseline, bars: { most } }),
    row(`\`search\` through ${tasks} tasks, p50`, p50(search), { baseline }),
  ];
}

/** Milliseconds of one step, without what was prepared for it. */
async function timed(step, ...input) {
  const started = performance.now();
  await step(...input);
  return performance.now() - started;
}
