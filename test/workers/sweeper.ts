/**
 * Performs an operation round after round, and suspends itself before its first call of the disk, in the next round
 * before its second, and so on, until a round has fewer. It suspends itself between the rounds too, so that each can be
 * laid out and looked at. Arguments: the folder that holds the home, the part, the operation, and a file that holds its
 * input as JSON, read anew for each round.
 */
import fs from "node:fs";
import { answer, createWorld, operations } from "../../protocol/index.ts";
import { disarm, interruptAt } from "../rig/interrupt.ts";

const [folder = "", part = "", name = "", file = ""] = process.argv.slice(2);
const operation = operations[name as keyof typeof operations];
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

for (let call = 1, early = false; !early; call += 1) {
  say({ laid: call });
  process.kill(process.pid, "SIGSTOP");
  const input = JSON.parse(fs.readFileSync(file, "utf8"));
  const world = createWorld({ cwd: folder, part, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });
  say({ armed: call });
  interruptAt(call, "SIGSTOP");
  const told = await answer(world, operation, input);
  early = disarm();
  say({ call, early, answer: told });
}
