/** Recording and syncing: what a commit of a thousand messages costs, also in a large home, and what it takes to share it. */
import fs from "node:fs";
import path from "node:path";
import { agedHome } from "./rig/aged.mjs";
import { emptyHome } from "./rig/homes.mjs";
import { childEnv, interleave, p50, RELAY, relay, row, run, scratch } from "./rig/measure.mjs";
import { dice, messageOf, messageText, threadText } from "./rig/messages.mjs";

const MESSAGES = 1_000;
const SMALL = 1_000;
const LARGE = Number(process.env.RECORDED_MESSAGES ?? 100_000);
const ROUNDS = 5;
let seed = 90_000;

/** Writes messages of today into a home, as sends leave them: ten a thread, unread. */
function write(home, random = dice(seed++)) {
  const atMs = Date.now();
  const day = new Date(atMs).toISOString().slice(0, 10);
  for (let thread = 0; thread < MESSAGES / 10; thread += 1) {
    const place = { day, threadRandom: random.text(8) };
    for (let n = 1; n <= 10; n += 1) {
      const [from, to] = n % 2 === 1 ? ["web", "api"] : ["api", "web"];
      const message = messageOf(random, { ...place, n, atMs: atMs + thread + n }, from, [to]);
      const folder = path.join(home, "threads", day, message.thread);
      fs.mkdirSync(folder, { recursive: true });
      fs.mkdirSync(path.join(home, "inbox", to, "new"), { recursive: true });
      if (n === 1) fs.writeFileSync(path.join(folder, "thread.md"), threadText(message));
      fs.writeFileSync(path.join(folder, message.file), messageText(message));
      fs.linkSync(path.join(folder, message.file), path.join(home, "inbox", to, "new", `${message.id}.md`));
    }
  }
}

/** Milliseconds that a step takes, what went before it not counted. */
function timed(step) {
  const started = performance.now();
  step();
  return performance.now() - started;
}

/** A repository of git alone, for the same files. */
function bareRepository() {
  const folder = scratch();
  run("git", ["init", "--quiet"], folder);
  for (const [name, value] of [
    ["user.name", "Bench"],
    ["user.email", "bench@example.com"],
    ["gc.auto", "0"],
  ])
    run("git", ["config", name, value], folder);
  return folder;
}

function record(folder) {
  const { commit, changes } = relay(folder, "record");
  if (commit === null || changes.message !== MESSAGES) throw new Error(`a record of ${JSON.stringify(changes)}`);
}

/** A home as it is after years, recorded and packed, and sent to a remote on the same disk. */
async function recordedHome(messages) {
  const folder = await agedHome(messages);
  const home = path.join(folder, ".relay");
  // Packing in the background would be measured with what it stands beside.
  run("git", ["config", "gc.auto", "0"], home);
  const hub = path.join(scratch(), "hub.git");
  run("git", ["init", "--quiet", "--bare", hub], folder);
  run("git", ["remote", "add", "origin", hub], folder);
  relay(folder, "sync");
  run("git", ["gc", "--quiet"], home);
  return folder;
}

/** Until a change has another time on the disk than what was recorded. */
const GRAIN_MS = 2_500;

/** Samples of a home where nothing is new, and where a thousand messages are, each beside a small home in turn. */
async function growth(homes) {
  const rows = [];
  const inTurn = async (what, command, prepare) => {
    const samples = { small: [], large: [] };
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [size, folder] of Object.entries(homes)) {
        prepare(path.join(folder, ".relay"));
        const took = timed(() => void relay(folder, command));
        if (round >= 0) samples[size].push(took);
      }
    }
    for (const list of Object.values(samples)) list.sort((a, b) => a - b);
    const baseline = { what: `home of ${SMALL}`, figure: p50(samples.small) };
    rows.push(row(`\`relay ${command}\`, ${what}, home of ${LARGE}, p50`, p50(samples.large), { baseline, bars: { ratio: 1.5 } }));
  };
  for (const command of ["record", "sync"]) {
    for (const folder of Object.values(homes)) relay(folder, command);
    await new Promise((resolve) => setTimeout(resolve, GRAIN_MS));
    for (const folder of Object.values(homes)) relay(folder, command);
    await inTurn("nothing new", command, () => {});
    await inTurn(`${MESSAGES} new messages`, command, (home) => write(home));
  }
  return rows;
}

/** Samples of recording in turn: git alone, and a small home. */
function recordings() {
  const bare = bareRepository();
  const small = emptyHome("web", "api");
  run("git", ["config", "gc.auto", "0"], path.join(small, ".relay"));
  const samples = { git: [], small: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const home of [bare, path.join(small, ".relay")]) write(home);
    samples.git.push(
      timed(() => {
        run("git", ["add", "--all"], bare);
        run("git", ["commit", "--quiet", "--message", "x"], bare);
      }),
    );
    samples.small.push(timed(() => record(small)));
  }
  for (const list of Object.values(samples)) list.sort((a, b) => a - b);
  return samples;
}

/** Samples of sharing: what one clone sends, and another lays out. */
function syncings() {
  const one = emptyHome("web", "api");
  const hub = path.join(scratch(), "hub.git");
  run("git", ["init", "--quiet", "--bare", hub], one);
  run("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "--allow-empty", "--message", "x"], one);
  run("git", ["remote", "add", "origin", hub], one);
  run("git", ["push", "--quiet", "origin", "HEAD"], one);
  relay(one, "sync");
  const { folder: two } = relay(scratch(), "clone", hub, "two");
  const samples = { sent: [], laid: [], both: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    write(path.join(one, ".relay"));
    const sent = timed(() => relay(one, "sync"));
    const laid = timed(() => {
      const { arrived } = relay(two, "sync");
      if (arrived.messages !== MESSAGES) throw new Error(`${arrived.messages} messages arrived`);
    });
    samples.sent.push(sent);
    samples.laid.push(laid);
    samples.both.push(sent + laid);
  }
  for (const list of Object.values(samples)) list.sort((a, b) => a - b);
  return samples;
}

/** Sends of each kind, one after the other. */
const SENDS = Number(process.env.SENDS ?? 100);

/** Calls that leave a recorder where none waits, in turn with calls that leave none; all that the recorders do falls into both alike. */
async function calls() {
  const homes = { itself: emptyHome("web", "api"), never: emptyHome("web", "api") };
  const { RELAY_NO_RECORDER: _off, ...recording } = childEnv;
  const send = (folder, env) => void run(process.execPath, [RELAY, "send", "api", "s", "b", "--part", "web", "--json"], folder, env);
  const samples = await interleave(SENDS, {
    never: () => send(homes.never, childEnv),
    itself: () => send(homes.itself, recording),
  });
  const figure = mean(samples.never);
  return row(`\`relay send\` in a home that records itself, mean of ${SENDS}`, mean(samples.itself), {
    baseline: { what: "in one that does not", figure },
    bars: { ratio: 1.02 },
  });
}

const mean = (samples) => samples.reduce((sum, each) => sum + each, 0) / samples.length;

export async function measureGit() {
  const { git, small } = recordings();
  const { sent, laid, both } = syncings();
  return [
    row("`relay record` of 1,000 new messages, p50", p50(small), {
      baseline: { what: "`git add` + `git commit` of the same files", figure: p50(git) },
      bars: { ratio: 2, most: 1_000 },
    }),
    await calls(),
    ...(await growth({ small: await recordedHome(SMALL), large: await recordedHome(LARGE) })),
    row("`relay sync` that sends 1,000 messages, p50", p50(sent)),
    row("`relay sync` that lays them out elsewhere, p50", p50(laid)),
    row("both together, p50", p50(both), { bars: { most: 4_000 } }),
  ];
}
