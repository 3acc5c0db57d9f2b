/** What grows with the home: the same calls in a running server on homes of 100, 10,000 and 100,000 messages. */
import path from "node:path";
import { makeHome, RARE, UNREAD } from "./rig/homes.mjs";
import { interleave, p50, RELAY, row, run } from "./rig/measure.mjs";
import { COMMON } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const SIZES = [100, 10_000, 100_000];
const LARGEST = 100_000;
const number = new Intl.NumberFormat("en");

/** Each call: how often, and what must hold of the largest home (`ratio` is against the smallest one). */
const CALLS = [
  { what: `\`inbox\`, ${UNREAD} unread`, rounds: 300, tool: "inbox", args: { agent_id: "web" }, bars: { ratio: 1.5 } },
  {
    ...{ what: `\`next\`, all, ${UNREAD} unread`, rounds: 300, tool: "next", args: { agent_id: "web", all: true }, against: "inbox" },
    bars: { ratio: 1.5 },
  },
  { what: "`wait`, nothing new", rounds: 150, tool: "wait", args: { agent_id: "web", timeoutSeconds: 0 }, bars: { ratio: 1.5 } },
  { what: "`roster`", rounds: 300, tool: "roster", args: {}, bars: {} },
  { what: "`threads`", rounds: 15, tool: "threads", args: {}, bars: {} },
  { what: "`search`, a rare word", rounds: 15, tool: "search", args: { query: RARE.word }, bars: { most: 400 } },
  { what: "`search`, a word that is everywhere", rounds: 5, tool: "search", args: { query: COMMON }, bars: {} },
];

/** Asks the servers of all sizes in turn. */
export async function measureSizes() {
  const servers = new Map();
  for (const size of SIZES) servers.set(size, await startServer(makeHome(size)));
  const rows = [];
  const largest = new Map();
  for (const { what, rounds, tool, args, bars, against } of CALLS) {
    const samples = await interleave(
      rounds,
      Object.fromEntries(SIZES.map((size) => [size, async () => void (await servers.get(size).must(tool, args))])),
    );
    const baseline = { what: `home of ${SIZES[0]}`, figure: p50(samples[SIZES[0]]) };
    for (const size of SIZES.slice(1))
      rows.push(row(`${what}, home of ${number.format(size)}, p50`, p50(samples[size]), { baseline, bars: size === LARGEST ? bars : {} }));
    largest.set(tool, p50(samples[LARGEST]));
    if (against === undefined) continue;
    const other = { baseline: { what: `\`${against}\``, figure: largest.get(against) }, bars: { ratio: 2 } };
    rows.push(row(`${what}, against \`${against}\``, largest.get(tool), other));
  }
  for (const server of servers.values()) await server.close();
  return [...rows, ...(await commandLine())];
}

/** Searching from the command line, against git alone over the same files. */
async function commandLine() {
  const folder = makeHome(LARGEST);
  const samples = await interleave(9, {
    git: () => void run("git", ["grep", "--no-index", "-l", "-i", "-F", "-e", RARE.word, "--", "threads"], path.join(folder, ".relay")),
    rare: () => void run(process.execPath, [RELAY, "search", RARE.word, "--json"], folder),
  });
  return [
    row(`\`relay search --json\`, a rare word, home of ${number.format(LARGEST)}, p50`, p50(samples.rare), {
      baseline: { what: "`git grep` alone", figure: p50(samples.git) },
      bars: { most: 1_000 },
    }),
  ];
}
