/** What a home of 1,000 parts costs, beside one of ten: the roster, a message to all, and an idle pager. */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { emptyHome } from "./rig/homes.mjs";
import { childEnv, interleave, p50, relay, row, scratch } from "./rig/measure.mjs";
import { cpuSeconds, ended, startPager } from "./rig/pagers.mjs";
import { residentMb, startServer } from "./rig/server.mjs";

const FEW = 10;
const MANY = 1_000;
const ROUNDS = 15;
const SETTLED_MS = 5_000;
const IDLE_SECONDS = 60;
const number = new Intl.NumberFormat("en");

/** Milliseconds of both calls in both homes in turn, then a pager of the large one. */
export async function measureParts() {
  childEnv.XDG_STATE_HOME = scratch();
  const homes = { few: homeOf(FEW), many: homeOf(MANY) };
  const servers = { few: await startServer(homes.few), many: await startServer(homes.many) };
  const roster = (size) => async () => void (await servers[size].must("roster", {}));
  const send = (size) => async () => void (await servers[size].must("send", { agent_id: "p0", to: ["*"], subject: "s", body: "b" }));
  const rosters = await interleave(ROUNDS, { few: roster("few"), many: roster("many") });
  const sends = await interleave(ROUNDS, { few: send("few"), many: send("many") });
  for (const server of Object.values(servers)) await server.close();
  const beside = (of) => ({ baseline: { what: `home of ${FEW} parts`, figure: p50(of.few) } });
  const what = `${number.format(MANY)} parts`;
  return [
    row(`\`roster\`, ${what}, p50`, p50(rosters.many), { ...beside(rosters), bars: { most: 100 } }),
    row(`\`send\` to \`*\`, ${what}, p50`, p50(sends.many), { ...beside(sends), bars: { most: 200 } }),
    ...(await idle(what)),
  ];
}

/** As people have it after a while: each part has an inbox, and none has mail. @param count of all parts, `main` and `human` too */
function homeOf(count) {
  const folder = emptyHome("p0");
  const config = path.join(folder, ".relay/relay.yml");
  const text = fs.readFileSync(config, "utf8");
  const more = Array.from({ length: count - 3 }, (_, at) => `  p${at + 1}: {}\n`).join("");
  const at = /^ {2}p0:.*\n/m.exec(text);
  if (at === null) throw new Error(`no part in ${text}`);
  fs.writeFileSync(config, text.slice(0, at.index + at[0].length) + more + text.slice(at.index + at[0].length));
  const { parts } = relay(folder, "roster", "--part", "p0");
  if (parts.length < count) throw new Error(`${parts.length} parts instead of ${count}`);
  for (let part = 0; part < count - 2; part += 1) fs.mkdirSync(path.join(folder, `.relay/inbox/p${part}/new`), { recursive: true });
  return folder;
}

async function idle(what) {
  const pager = await startPager(homeOf(MANY));
  await pause(SETTLED_MS);
  const before = cpuSeconds(pager.pid);
  await pause(IDLE_SECONDS * 1_000);
  const share = ((cpuSeconds(pager.pid) - before) / IDLE_SECONDS) * 100;
  const memory = residentMb(pager.pid);
  await ended(pager);
  return [
    row(`a pager of ${what}, idle for ${IDLE_SECONDS} s: of a core`, share, { unit: "%", bars: { most: 1 } }),
    row(`a pager of ${what}, idle: memory`, memory, { unit: "MB" }),
  ];
}
