/**
 * A pager's rung in a process of its own, which a test can kill: rings one wake, and says what came of it.
 *
 * Arguments: socket, home, part, wake id, line, and the file whose exclusive create is the wake's right to be delivered.
 */
import fs from "node:fs";
import { tmuxRung } from "../../pager/tmux.ts";

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
const outcome = await rung.ring({
  part,
  wakeId,
  unread: 1,
  urgent: false,
  sinceMs: 0,
  resumed: false,
  line,
  commit,
  signal: new AbortController().signal,
});
process.stdout.write(`${JSON.stringify(outcome)}\n`);
