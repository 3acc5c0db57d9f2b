/**
 * Performs one operation again and again, and prints every answer.
 * Arguments: the folder, the part, the operation's name, its arguments as JSON, how often. `#` in a text is the round.
 */
import { type operations as all, answer, createWorld, operations } from "../../protocol/index.ts";
import "../rig/end-with-parent.ts";

const [folder = ".", part = "main", name = "send", given = "{}", times = "1"] = process.argv.slice(2);
const operation = operations[name as keyof typeof all];
const world = createWorld({ cwd: folder, part, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });
process.stdout.write('{"ready":true}\n');
for (let round = 0; round < Number(times); round += 1) {
  const input = JSON.parse(given.replaceAll("#", String(round)));
  process.stdout.write(`${JSON.stringify({ round, ...(await answer(world, operation, input)) })}\n`);
}
