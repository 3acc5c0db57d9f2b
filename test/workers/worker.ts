/** A part that works on the board: it creates, claims, changes and finishes tasks, posts artifacts, asks for reviews and remembers. */
import fs from "node:fs";
import { answer, createWorld, newConnection, operations } from "../../protocol/index.ts";
import { endIfAlone } from "../rig/end-with-parent.ts";

const { folder, part, until } = JSON.parse(process.argv[2] ?? "{}") as { folder: string; part: string; until: string };
const world = createWorld({ cwd: folder, part, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] }, connection: newConnection(true) });
// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own fields.
const call = async (name: keyof typeof operations, input: object): Promise<any> => answer(world, operations[name], input);

process.stdout.write('{"ready":true}\n');
for (let round = 0; !fs.existsSync(until); round += 1) {
  endIfAlone();
  const { task_id } = await call("create_task", { title: `${part} ${round}` });
  await call("claim_task", { task_id, agent_id: part });
  await call("post_artifact", { name: `plan-${part}`, type: "report", content: `round ${round}`, task_id });
  await call("append_memory", { key: `${part}-${round % 5}`, content: `round ${round}` });
  await call("update_task", { task_id, status: round % 3 === 0 ? "todo" : "done" });
  process.stdout.write(`{"round":${round}}\n`);
}
