/**
 * Does one thing with one message, round after round, as soon as the round's file is there: so several processes begin
 * at nearly one instant. Arguments: the folder that holds the home, the folder of the rounds, what to do, the part.
 * A round's file holds the message's id; an empty one ends it.
 */
import { answer, createWorld, operations } from "../../protocol/index.ts";
import { roundsIn } from "../rig/rounds.ts";

const [folder = "", rounds = "", what = "ack", part = ""] = process.argv.slice(2);
const world = createWorld({ cwd: folder, part, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });

process.stdout.write('{"ready":true}\n');
for (const { round, text: id } of roundsIn(rounds)) {
  for (let spin = Math.random() * 300_000; spin > 0; spin -= 1);
  const told = what === "ack" ? await answer(world, operations.ack, { messageIds: [id] }) : await answer(world, operations.whoami, {});
  process.stdout.write(`${JSON.stringify({ round, ...told })}\n`);
}
