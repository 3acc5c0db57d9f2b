/**
 * Several agents of one process claim one task, round after round, as soon as the round's file is there. Arguments: the
 * folder that holds the home, the folder of the rounds, the agents as JSON. A round's file holds the task and its
 * session as JSON; an empty one ends it.
 */
import { answer, createWorld, newConnection, operations } from "../../protocol/index.ts";
import { monotonic } from "../history/claim-log.ts";
import { roundsIn } from "../rig/rounds.ts";

const [folder = "", rounds = "", agents = "[]"] = process.argv.slice(2);
/** A suspended holder of a file's lock is waited for no longer than this. */
const LOCK_STALE_MS = 2_000;
const worlds = (JSON.parse(agents) as string[]).map((agent) => {
  const world = createWorld({
    cwd: folder,
    env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] },
    part: agent,
    connection: newConnection(false),
  });
  world.home().store.lockStaleMs = LOCK_STALE_MS;
  return { agent, world };
});

process.stdout.write('{"ready":true}\n');
for (const { round, text } of roundsIn(rounds)) {
  const input = JSON.parse(text);
  const told = await Promise.all(
    worlds.map(async ({ agent, world }) => {
      const from = monotonic();
      const told = await answer(world, operations.claim_task, input);
      return { agent, from, to: monotonic(), ...told };
    }),
  );
  process.stdout.write(`${JSON.stringify({ round, told })}\n`);
}
