/**
 * Begins, ends and closes what each round says, all processes at nearly one instant; killed before a call of the disk where the round
 * says so. Arguments: the folder that holds the home, the folder of the rounds, and which of a round's acts are its own.
 */
import { createWorld } from "../../protocol/index.ts";
import { closeDispatch, endTurn, nextTurn } from "../../protocol/internal.ts";
import { disarm, interruptAt } from "../rig/interrupt.ts";
import { roundsIn } from "../rig/rounds.ts";

/** One act of a round. */
export interface Act {
  act: "begin" | "end" | "close";
  id: string;
  turn?: number;
  /** Before which call of the disk it is killed; never where it is left out. */
  killedAt?: number;
}

const [folder = "", rounds = "", index = "0"] = process.argv.slice(2);
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const world = createWorld({ cwd: folder, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });
// Its own modules are loaded before the first round.
world.home().config();
say({ ready: true });
for (const { round, text } of roundsIn(rounds)) {
  const act = (JSON.parse(text) as Act[])[Number(index)];
  if (act === undefined) continue;
  const { id, turn = 1, killedAt = 0 } = act;
  if (killedAt > 0) interruptAt(killedAt, "SIGKILL");
  if (act.act === "begin") nextTurn(world, id);
  else if (act.act === "close") closeDispatch(world, id, "main");
  else endTurn(world, id, turn, { outcome: "ok", exit: "0", text: `Done by ${id}.` });
  say({ round, early: disarm() });
}
