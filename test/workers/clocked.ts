/**
 * Replies to a thread with a clock of its own, and prints every answer.
 * Arguments: the folder, the part, the thread, how often, how far ahead the clock is (ms), and by how much it jumps back
 * half-way (ms).
 */
import { answer, createWorld, operations } from "../../protocol/index.ts";

const [folder = ".", part = "main", threadId = "", times = "1", ahead = "0", back = "0"] = process.argv.slice(2);
let jumped = 0;
const world = createWorld({
  cwd: folder,
  part,
  env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] },
  now: () => Date.now() + Number(ahead) - jumped,
});
for (let round = 0; round < Number(times); round += 1) {
  if (round === Math.floor(Number(times) / 2)) jumped = Number(back);
  process.stdout.write(`${JSON.stringify(await answer(world, operations.reply, { threadId, body: `${part} ${round}` }))}\n`);
}
