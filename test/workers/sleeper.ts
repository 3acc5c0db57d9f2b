/**
 * An agent claims a task for a second, moves it on and finishes it, round after round, and suspends itself somewhere in
 * between. Arguments: the folder that holds the home, the folder of the rounds, the agent. A round's file holds the task,
 * its session, and before which call of the disk to suspend, as JSON; an empty one ends it.
 */
import { answer, createWorld, newConnection, operations } from "../../protocol/index.ts";
import { disarm, interruptAt } from "../interrupt.ts";
import { roundsIn } from "../rounds.ts";

const [folder = "", rounds = "", agent = ""] = process.argv.slice(2);
process.stdout.write('{"ready":true}\n');
for (const { round, text } of roundsIn(rounds)) {
  const { call, ...input } = JSON.parse(text);
  const world = createWorld({ cwd: folder, env: {}, part: agent, connection: newConnection(false) });
  world.home().store.lockStaleMs = 2_000;
  interruptAt(call, "SIGSTOP");
  const claim = await answer(world, operations.claim_task, { ...input, lease_s: 1 });
  let done = null;
  if ((claim as { claimed?: boolean }).claimed === true) {
    await answer(world, operations.update_task, { ...input, status: "in_review" });
    done = await answer(world, operations.update_task, { ...input, status: "done" });
  }
  const early = disarm();
  process.stdout.write(`${JSON.stringify({ round, early, claim, done })}\n`);
}
