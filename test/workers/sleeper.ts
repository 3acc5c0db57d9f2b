/**
 * An agent claims a task for a second, moves it on and finishes it, round after round, and suspends itself somewhere in
 * between. Arguments: the folder that holds the home, the folder of the rounds, the agent. A round's file holds the task,
 * its session, and before which call of the disk to suspend, as JSON; an empty one ends it. It tells its calls as the
 * history of claims has them.
 */
import { answer, createWorld, newConnection, operations } from "../../protocol/index.ts";
import { type Asked, type ClaimEntry, endOf, monotonic } from "../history/claim-log.ts";
import { disarm, interruptAt } from "../rig/interrupt.ts";
import { roundsIn } from "../rig/rounds.ts";

const [folder = "", rounds = "", agent = ""] = process.argv.slice(2);
process.stdout.write('{"ready":true}\n');
for (const { round, text } of roundsIn(rounds)) {
  const { call, ...input } = JSON.parse(text);
  const world = createWorld({
    cwd: folder,
    env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] },
    part: agent,
    connection: newConnection(false),
  });
  world.home().store.lockStaleMs = 2_000;
  const log: ClaimEntry[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own fields.
  const logged = async (kind: Asked["kind"], believed: number | undefined, act: () => Promise<any>): Promise<any> => {
    const id = `${agent}-${round}-${kind}`;
    const about = kind === "claim" ? { leaseMs: 1_000 } : {};
    log.push({ phase: "invoked", call: id, at: monotonic(), kind, task: input.task_id, agent, believed, ...about });
    const told = await act();
    log.push(endOf(id, monotonic(), told));
    return told;
  };
  const update = (status: "in_review" | "done", fence: number) =>
    logged(status, fence, () => answer(world, operations.update_task, { ...input, status }));
  interruptAt(call, "SIGSTOP");
  const claim = await logged("claim", undefined, () => answer(world, operations.claim_task, { ...input, lease_s: 1 }));
  let done = null;
  if (claim.claimed === true) {
    await update("in_review", claim.fence);
    done = await update("done", claim.fence);
  }
  const early = disarm();
  process.stdout.write(`${JSON.stringify({ round, early, claim, done, log })}\n`);
}
