/**
 * Pages through the messages of a session by `after_seq` and prints every seq that it is shown, until a file is there
 * and nothing more comes. Arguments: the folder that holds the home, the part, the file, how many at a time.
 */
import fs from "node:fs";
import { createWorld, operations, perform } from "../../protocol/index.ts";
import { endIfAlone } from "../rig/end-with-parent.ts";

const [folder = "", part = "", enough = "", limit = "7"] = process.argv.slice(2);
const world = createWorld({ cwd: folder, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });
process.stdout.write('{"ready":true}\n');
for (let after = 0; ; ) {
  endIfAlone();
  const isLast = fs.existsSync(enough);
  const { messages } = await perform(world, operations.get_messages, { agent_id: part, after_seq: after, limit: Number(limit) });
  for (const { seq, id } of messages) {
    process.stdout.write(`${JSON.stringify({ seq, id })}\n`);
    after = seq;
  }
  if (messages.length === 0 && isLast) break;
}
