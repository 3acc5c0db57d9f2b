/**
 * Eight clients at once, each with a server of its own, that send, look and ack in turn: against the version that the redesign of
 * writing began from, in turn, so that a change of the whole is told from the noise of the machine. RELAY_BEFORE names another commit.
 */
import { earlierRelay } from "./rig/earlier.mjs";
import { homeAt } from "./rig/homes.mjs";
import { p50, RELAY, row, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const CLIENTS = 8;
const ROUNDS = 5;
const SECONDS = 4;
const BEFORE = process.env.RELAY_BEFORE ?? "3d5b864";
const parts = Array.from({ length: CLIENTS }, (_, n) => `part-${n + 1}`);

/** Calls a second of each version, in turn. */
export async function measureClients() {
  const before = await earlierRelay(BEFORE);
  const rates = { now: [], before: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.now.push(await rateOf(RELAY));
    if (before !== null) rates.before.push(await rateOf(before));
  }
  for (const list of Object.values(rates)) list.sort((a, b) => a - b);
  const baseline = before === null ? undefined : { what: `commit ${BEFORE}`, figure: p50(rates.before) };
  return [
    row(`\`send\`, \`inbox\`, \`ack\` of ${CLIENTS} clients at once`, p50(rates.now), {
      unit: "calls a second",
      ...(baseline === undefined ? {} : { baseline, bars: { least: 1.8 } }),
    }),
  ];
}

/** Calls a second that all clients together get of one version, in a home that it made. */
async function rateOf(relay) {
  const home = homeAt(scratch(), parts, relay);
  const servers = await Promise.all(parts.map((part) => startServer(home, { program: [relay, "mcp", "--part", part] })));
  await Promise.all(servers.map((server) => server.must("inbox", {})));
  const end = performance.now() + SECONDS * 1_000;
  let calls = 0;
  const client = async (server, n) => {
    const to = [parts[(n + 1) % CLIENTS]];
    while (performance.now() < end) {
      await server.must("send", { to, subject: "About it", body: "word ".repeat(40) });
      const { messages } = await server.must("inbox", { limit: 5 });
      if (messages.length > 0) await server.must("ack", { messageIds: messages.map(({ messageId }) => messageId) });
      calls += messages.length > 0 ? 3 : 2;
    }
  };
  const started = performance.now();
  await Promise.all(servers.map(client));
  const rate = calls / ((performance.now() - started) / 1_000);
  await Promise.all(servers.map((server) => server.close()));
  return rate;
}
