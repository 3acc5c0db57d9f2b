/**
 * Does one thing with one message, round after round, as soon as the round's file is there: so several processes begin
 * at nearly one instant. Arguments: the folder that holds the home, the folder of the rounds, what to do, the part.
 * A round's file holds the message's id; an empty one ends it.
 */
import fs from "node:fs";
import path from "node:path";
import { answer, createWorld, operations } from "../../protocol/index.ts";

const [folder = "", rounds = "", what = "ack", part = ""] = process.argv.slice(2);
const world = createWorld({ cwd: folder, part, env: {} });

const doze = new Int32Array(new SharedArrayBuffer(4));
process.stdout.write('{"ready":true}\n');
for (let round = 0; ; round += 1) {
  const file = path.join(rounds, String(round));
  // Dozing begins the round within a fraction of a millisecond, and leaves the processor to the others.
  while (!fs.existsSync(file)) Atomics.wait(doze, 0, 0, 0.2);
  const id = fs.readFileSync(file, "utf8");
  if (id === "") break;
  for (let spin = Math.random() * 300_000; spin > 0; spin -= 1);
  const told = what === "ack" ? await answer(world, operations.ack, { messageIds: [id] }) : await answer(world, operations.whoami, {});
  process.stdout.write(`${JSON.stringify({ round, ...told })}\n`);
}
