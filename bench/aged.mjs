/** What years of messages cost: homes of 1,000 messages and of 1,000,000, or as many as AGED_MESSAGES says, each call in turn. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { keptAgedHome } from "./rig/aged.mjs";
import { RARE } from "./rig/homes.mjs";
import { childEnv, interleave, p50, RELAY, row, run } from "./rig/measure.mjs";
import { COMMON } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const SMALL = 1_000;
const LARGE = Number(process.env.AGED_MESSAGES ?? 1_000_000);
const FIRST_CALL = fileURLToPath(new URL("./rig/first-call.mjs", import.meta.url));
const number = new Intl.NumberFormat("en");
const small = `home of ${number.format(SMALL)}`;
const large = `home of ${number.format(LARGE)}`;
const EXPRESSION = { query: `${RARE.word}$`, regex: true };

/** Each call: how often, and what must hold of the large home. */
const CALLS = [
  { what: "`threads`", rounds: 40, tool: "threads", args: {}, bars: { ratio: 1.5 } },
  { what: "`roster`", rounds: 100, tool: "roster", args: {}, bars: { ratio: 1.5 } },
  { what: "`inbox`", rounds: 100, tool: "inbox", args: { agent_id: "web" }, bars: { ratio: 1.5 } },
  { what: "`search`, a word that is everywhere, first page", rounds: 15, tool: "search", args: { query: COMMON }, bars: { most: 50 } },
  { what: "`search`, a rare word", rounds: 9, tool: "search", args: { query: RARE.word }, bars: { most: 250 } },
  { what: "`search`, an expression, first page or cursor", rounds: 3, tool: "search", args: EXPRESSION, bars: { most: 2_000 } },
  { what: "`send`", rounds: 100, tool: "send", args: { agent_id: "web", to: ["api"], subject: "s", body: COMMON }, bars: { ratio: 1.5 } },
  // Amid a burst the newest threads are looked at again with each call, because clocks have a grain of two seconds.
  { what: "`search`, the same word, right after 100 sends", rounds: 15, tool: "search", args: { query: COMMON }, bars: {} },
];

export async function measureAged() {
  const homes = { small: await keptAgedHome(SMALL), large: await keptAgedHome(LARGE) };
  return [...(await calls(homes)), ...(await commands(homes)), ...(await firstCalls(homes))];
}

async function calls(homes) {
  const servers = { small: await startServer(homes.small), large: await startServer(homes.large) };
  const rows = [];
  for (const { what, rounds, tool, args, bars } of CALLS) {
    const call = (size) => async () => void (await servers[size].must(tool, args));
    const samples = await interleave(rounds, { small: call("small"), large: call("large") });
    const baseline = { what: small, figure: p50(samples.small) };
    rows.push(row(`${what}, ${large}, p50`, p50(samples.large), { baseline, bars }));
  }
  rows.push(await callsMeanwhile(servers.large));
  for (const server of Object.values(servers)) await server.close();
  return rows;
}

/** What other calls of the same server wait at the most while an expression is searched for. */
async function callsMeanwhile(server) {
  let isSearching = true;
  const search = server.must("search", EXPRESSION).finally(() => {
    isSearching = false;
  });
  let longest = 0;
  while (isSearching) {
    const started = performance.now();
    await server.must("whoami", { agent_id: "web" });
    longest = Math.max(longest, performance.now() - started);
  }
  await search;
  return row(`\`whoami\` while the same server searches for an expression, ${large}, longest`, longest, { bars: { most: 100 } });
}

async function commands(homes) {
  const rows = [];
  for (const args of [["status"], ["threads"], ["search", RARE.word]]) {
    const command = (size) => () => void run(process.execPath, [RELAY, ...args, "--json"], homes[size]);
    const samples = await interleave(9, { small: command("small"), large: command("large") });
    const baseline = { what: small, figure: p50(samples.small) };
    const bars = args[0] === "search" ? { most: 600 } : { ratio: 1.5 };
    rows.push(row(`\`relay ${args.join(" ")}\`, ${large}, p50`, p50(samples.large), { baseline, bars }));
  }
  return rows;
}

/** The calls that number messages by the order of arrival. */
const NUMBERED = { send_message: { to: "api", content: "words" }, get_messages: {} };

/** So many pairs of first calls, one in each home: a call waits for the disk for longer than what is looked for. */
const PAIRS = 31;

/** What the first call of a process that needs the order of arrival takes longer, and holds more, than in a small home: the middle of pairs. */
async function firstCalls(homes) {
  for (const folder of Object.values(homes)) run(process.execPath, [RELAY, "session", "start", "--part", "web"], folder);
  const rows = [];
  for (const [name, input] of Object.entries(NUMBERED)) {
    const more = { ms: [], mb: [] };
    for (let pair = -1; pair < PAIRS; pair += 1) {
      // Which is first changes, so that what one leaves to the disk is in the way of each as often.
      const order = pair % 2 === 0 ? ["small", "large"] : ["large", "small"];
      const { small, large } = Object.fromEntries(order.map((size) => [size, firstCall(homes[size], name, input)]));
      if (pair >= 0) for (const of of ["ms", "mb"]) more[of].push(large[of] - small[of]);
    }
    const middle = (list) => Math.max(0, p50(list.sort((a, b) => a - b)));
    rows.push(
      row(`first \`${name}\` of a process, ${large}: longer than in a ${small}, p50 of pairs`, middle(more.ms), { bars: { most: 5 } }),
    );
    rows.push(row(`the same: held in memory, more, p50 of pairs`, middle(more.mb), { unit: "MB", bars: { most: 1 } }));
  }
  return rows;
}

function firstCall(folder, name, input) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--expose-gc", FIRST_CALL, folder, name, JSON.stringify(input)], {
    env: childEnv,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the first ${name}: ${stderr}`);
  return JSON.parse(stdout);
}
