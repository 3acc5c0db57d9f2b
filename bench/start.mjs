/** How long until the command answered, and until the server can be spoken to, against Node doing nothing. */

import { makeHome } from "./rig/homes.mjs";
import { interleave, p50, RELAY, relay, row, run } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 40;

/** Starts each in turn. */
export async function measureStart() {
  const home = makeHome(100);
  // Its files were laid by hand. Where Relay itself wrote something, as nearly everywhere, this machine keeps what `relay.yml` says.
  relay(home, "send", "docs", "Begun", "The first message.", "--part", "api");
  const samples = await interleave(ROUNDS, {
    node: () => void run(process.execPath, ["-e", "0"], home),
    command: () => void run(process.execPath, [RELAY, "inbox", "--json", "--part", "web"], home),
    async server() {
      const started = performance.now();
      const server = await startServer(home, { greetOnly: true });
      const took = performance.now() - started;
      await server.kill();
      return took;
    },
  });
  const baseline = { what: "`node -e 0`", figure: p50(samples.node) };
  return [
    row("`relay inbox --json`, from start to end, p50", p50(samples.command), { baseline, bars: { ratio: 1.65 } }),
    row("`relay mcp`, from start to the answer to `initialize`, p50", p50(samples.server), { baseline, bars: { ratio: 2.5 } }),
  ];
}
