/** What years of messages cost: homes of 1,000 messages and of 100,000, or as many as AGED_MESSAGES says, each call in turn. */
import { agedHome } from "./rig/aged.mjs";
import { RARE } from "./rig/homes.mjs";
import { interleave, p50, RELAY, row, run } from "./rig/measure.mjs";
import { COMMON } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const SMALL = 1_000;
const LARGE = Number(process.env.AGED_MESSAGES ?? 100_000);
const number = new Intl.NumberFormat("en");

/** Each call: how often, and what must hold of the large home. */
const CALLS = [
  { what: "`threads`", rounds: 40, tool: "threads", args: {}, bars: { ratio: 1.5 } },
  { what: "`roster`", rounds: 100, tool: "roster", args: {}, bars: { ratio: 1.5 } },
  { what: "`inbox`", rounds: 100, tool: "inbox", args: { agent_id: "web" }, bars: { ratio: 1.5 } },
  { what: "`send`", rounds: 100, tool: "send", args: { agent_id: "web", to: ["api"], subject: "s", body: "b" }, bars: { ratio: 1.5 } },
  { what: "`search`, a word that is everywhere, first page", rounds: 15, tool: "search", args: { query: COMMON }, bars: { most: 50 } },
  { what: "`search`, a rare word", rounds: 9, tool: "search", args: { query: RARE.word }, bars: { most: 250 } },
  {
    what: "`search`, an expression, first page or cursor",
    rounds: 3,
    tool: "search",
    args: { query: `${RARE.word}$`, regex: true },
    bars: { most: 2_000 },
  },
];

export async function measureAged() {
  const homes = { small: agedHome(SMALL), large: agedHome(LARGE) };
  const servers = { small: await startServer(homes.small), large: await startServer(homes.large) };
  const rows = [];
  for (const { what, rounds, tool, args, bars } of CALLS) {
    const call = (size) => async () => void (await servers[size].must(tool, args));
    const samples = await interleave(rounds, { small: call("small"), large: call("large") });
    const baseline = { what: `home of ${number.format(SMALL)}`, figure: p50(samples.small) };
    rows.push(row(`${what}, home of ${number.format(LARGE)}, p50`, p50(samples.large), { baseline, bars }));
  }
  for (const server of Object.values(servers)) await server.close();
  for (const args of [["status"], ["threads"], ["search", RARE.word]]) {
    const command = (size) => () => void run(process.execPath, [RELAY, ...args, "--json"], homes[size]);
    const samples = await interleave(9, { small: command("small"), large: command("large") });
    const baseline = { what: `home of ${number.format(SMALL)}`, figure: p50(samples.small) };
    const bars = args[0] === "search" ? { most: 600 } : { ratio: 1.5 };
    rows.push(row(`\`relay ${args.join(" ")}\`, home of ${number.format(LARGE)}, p50`, p50(samples.large), { baseline, bars }));
  }
  return rows;
}
