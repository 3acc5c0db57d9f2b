/**
 * A pager's rung in a process of its own, which a test can kill: rings one wake until it is delivered, and says what came of it.
 *
 * Arguments: socket, home, part, wake id, line, and the file whose exclusive create is the wake's right to be delivered.
 */
import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { tmuxRung } from "../../pager/tmux/tmux-typing.ts";
import "../rig/end-with-parent.ts";

const [socket, home, part, wakeId, line, right] = process.argv.slice(2) as [string, string, string, string, string, string];

function commit(): boolean {
  try {
    fs.closeSync(fs.openSync(right, "wx"));
    return true;
  } catch {
    return false;
  }
}

const rung = tmuxRung({ part, home, servers: [{ name: socket }] });
const ring = { part, wakeId, unread: 1, urgent: false, sinceMs: 0, resumed: false, line, commit, signal: new AbortController().signal };
// As a pager does: where the pane is not ready, again after a while; but not where the wake is another's.
for (;;) {
  const outcome = await rung.ring(ring);
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
  if (outcome.kind !== "waiting" || outcome.reason === "not_committed") break;
  await pause(200);
}
