/**
 * Eight clients at once, each with a server of its own, that send, look and ack in turn: against the version that the redesign of
 * writing began from, in turn, so that a change of the whole is told from the noise of the machine. RELAY_BEFORE names another commit.
 * Beside them stands what bounds both on this machine: as many servers that are asked for nothing (empty calls), and as many processes that
 * do the files and flushes of these calls, and nothing else.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { earlierRelay } from "./rig/earlier.mjs";
import { homeAt } from "./rig/homes.mjs";
import { p50, RELAY, row, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const CLIENTS = 8;
const ROUNDS = 5;
const SECONDS = 4;
const BEFORE = process.env.RELAY_BEFORE ?? "3d5b864";
const parts = Array.from({ length: CLIENTS }, (_, n) => `part-${n + 1}`);

const BARE = fileURLToPath(new URL("./rig/bare-server.mjs", import.meta.url));

/** Calls a second of each, in turn. */
export async function measureClients() {
  const before = await earlierRelay(BEFORE);
  const rates = { now: [], before: [], empty: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.now.push(await rateOf(RELAY, mixed));
    if (before !== null) rates.before.push(await rateOf(before, mixed));
    rates.empty.push(await rateOf(RELAY, empty));
    rates.bare.push(await bareRate());
  }
  for (const list of Object.values(rates)) list.sort((a, b) => a - b);
  const unit = "calls a second";
  const baseline = before === null ? undefined : { what: `commit ${BEFORE}`, figure: p50(rates.before) };
  return [
    row(`\`send\`, \`inbox\`, \`ack\` of ${CLIENTS} clients at once`, p50(rates.now), {
      unit,
      ...(baseline === undefined ? {} : { baseline, bars: { least: 1.8 } }),
    }),
    row(`empty calls of ${CLIENTS} clients at once`, p50(rates.empty), { unit, baseline }),
    row(`bare files of \`send\`, \`inbox\`, \`ack\` by ${CLIENTS} processes at once, without a server`, p50(rates.bare), {
      unit,
      baseline,
    }),
    // Each call costs the time of both, one after the other.
    row("what these two leave at the most: an empty call and bare files for each call", 1 / (1 / p50(rates.empty) + 1 / p50(rates.bare)), {
      unit,
      baseline,
    }),
  ];
}

/** One round of a client. @returns how many calls it made */
async function mixed(server, n) {
  await server.must("send", { to: [parts[(n + 1) % CLIENTS]], subject: "About it", body: "word ".repeat(40) });
  const { messages } = await server.must("inbox", { limit: 5 });
  if (messages.length > 0) await server.must("ack", { messageIds: messages.map(({ messageId }) => messageId) });
  return messages.length > 0 ? 3 : 2;
}

async function empty(server) {
  await server.empty();
  return 1;
}

/** Calls a second that all clients together get of one version, in a home that it made. */
async function rateOf(relay, round) {
  const home = homeAt(scratch(), parts, relay);
  const servers = await Promise.all(parts.map((part) => startServer(home, { program: [relay, "mcp", "--part", part] })));
  await Promise.all(servers.map((server) => server.must("inbox", {})));
  const rate = await callsASecond(servers.map((server, n) => () => round(server, n)));
  await Promise.all(servers.map((server) => server.close()));
  return rate;
}

/** The same of processes that only do the files. */
async function bareRate() {
  const root = scratch();
  const processes = parts.map((_, n) => spawn(process.execPath, [BARE, root, String(n)], { stdio: ["pipe", "pipe", "inherit"] }));
  const asked = processes.map(({ stdin, stdout }) => {
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    return async (name) => {
      stdin.write(`${name}\n`);
      await lines.next();
    };
  });
  await Promise.all(asked.map((ask) => ask("inbox")));
  const round = async (ask) => {
    for (const name of ["send", "inbox", "ack"]) await ask(name);
    return 3;
  };
  const rate = await callsASecond(asked.map((ask) => () => round(ask)));
  await Promise.all(
    processes.map(async (child) => {
      child.stdin.end();
      await once(child, "close");
    }),
  );
  return rate;
}

/** @param rounds what each client does again and again; gives how many calls it made */
async function callsASecond(rounds) {
  const started = performance.now();
  const end = started + SECONDS * 1_000;
  let calls = 0;
  const client = async (round) => {
    while (performance.now() < end) {
      const made = await round();
      // The sum is read after the wait: other clients added to it meanwhile.
      calls += made;
    }
  };
  await Promise.all(rounds.map(client));
  return calls / ((performance.now() - started) / 1_000);
}
