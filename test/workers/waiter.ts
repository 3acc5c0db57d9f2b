/**
 * Waits for a part and rings it as a hook of an idle session does, or a server with a channel; prints each doorbell. Over a channel it then looks at its mail, as an agent would, and acks nothing.
 *
 * Arguments: the folder, the part, `hook` or `channel`.
 */
import { openChannel } from "../../mcp/channel.ts";
import { waitIdle } from "../../pager/hook/idle-waiter.ts";
import { createWorld, operations, perform } from "../../protocol/index.ts";
import "../rig/end-with-parent.ts";

const [folder = ".", part = "web", rung = "hook"] = process.argv.slice(2);
// Given, so that no time of the disk counts: the test drives the clock.
const world = createWorld({ cwd: folder, part, now: () => Date.now() });
const rang = async (line: string): Promise<void> => void process.stdout.write(`${JSON.stringify({ line })}\n`);
const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());
if (rung === "hook") await waitIdle(world, "claude", {}, { signal: ending.signal, remind: rang });
else {
  const channel = openChannel(world, async (_method, { content }) => {
    await rang(String(content));
    setImmediate(() => void perform(world, operations.inbox, {}).then(() => channel.called("inbox")));
  });
  await new Promise<void>((resolve) => ending.signal.addEventListener("abort", () => resolve(), { once: true }));
  await channel.close();
}
