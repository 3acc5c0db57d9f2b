/**
 * `npm run bench` measures everything and writes RESULTS.md, each section as soon as it is measured; `npm run bench -- start tools`
 * measures just these, and leaves the other sections as they are. Every figure stands beside a baseline that was measured in the same run
 * and in turn with it, so that a busy machine weighs on both alike. `history.json` keeps the ratios of each version, and a run says what
 * became worse, how long each section took, and which sections of RESULTS.md are of another version. A section that fails, or takes too
 * long, ends nothing but itself. Exits with 1 when a bar is missed, or a section could not be measured.
 */
import os from "node:os";
import { measureAged } from "./aged.mjs";
import { measureBoard } from "./board.mjs";
import { measureCheck } from "./check.mjs";
import { measureClaims } from "./claims.mjs";
import { measureClients } from "./clients.mjs";
import { measureDashboard } from "./dashboard.mjs";
import { measureDisk } from "./disk.mjs";
import { measureGit } from "./git.mjs";
import { measureGuard } from "./guard.mjs";
import { measureHour } from "./hour.mjs";
import { measureJourneys } from "./journeys.mjs";
import { measureLoop } from "./loop.mjs";
import { measureMemory } from "./memory.mjs";
import { measureOffice } from "./office.mjs";
import { measureParts } from "./parts.mjs";
import { measurePlugin } from "./plugin.mjs";
import { keepRatios, version } from "./rig/history.mjs";
import { clearScratch } from "./rig/measure.mjs";
import { sectionOf, staleSections, writeSection } from "./rig/results.mjs";
import { measureSizes } from "./sizes.mjs";
import { measureStart } from "./start.mjs";
import { measureTmux } from "./tmux.mjs";
import { measureTokens } from "./tokens.mjs";
import { measureTools } from "./tools.mjs";
import { measureUndelivered } from "./undelivered.mjs";
import { measureUsage } from "./usage.mjs";
import { measureWaiters } from "./waiters.mjs";
import { measureWaking } from "./waking.mjs";
import { measureWriters } from "./writers.mjs";

const MEASURES = {
  journeys: ["Following one act", measureJourneys],
  start: ["Starting", measureStart],
  tools: ["Calling tools", measureTools],
  loop: ["The breaker of loops", measureLoop],
  tokens: ["Tokens", measureTokens],
  board: ["The board", measureBoard],
  plugin: ["Beside a server that only remembers", measurePlugin],
  waiters: ["Waking by hook and channel", measureWaiters],
  clients: ["Eight clients", measureClients],
  disk: ["What the disk holds", measureDisk],
  writers: ["Writing at once", measureWriters],
  claims: ["Claims", measureClaims],
  sizes: ["Growing", measureSizes],
  aged: ["Years of messages", measureAged],
  check: ["Checking", measureCheck],
  parts: ["Many parts", measureParts],
  memory: ["Memory", measureMemory],
  hour: ["An hour of messages", measureHour],
  tmux: ["Waking in tmux", measureTmux],
  git: ["Recording and syncing", measureGit],
  guard: ["Guarding", measureGuard],
  usage: ["Usage", measureUsage],
  office: ["The office", measureOffice],
  waking: ["Waking", measureWaking],
  dashboard: ["The dashboard", measureDashboard],
  undelivered: ["Mail that nothing can deliver", measureUndelivered],
};

const ABOUT = `# Benchmarks

Written by \`npm run bench\`, which anyone can run. Look at the ratios: a baseline is measured in the same run, in turn with
what stands beside it. Figures in milliseconds and megabytes, and the bars in them, are this machine's.
A message is about a kilobyte; every answer waits for the disk (\`durability: full\`).

- **empty call**: a tool call that is refused for an unknown argument before anything is read. It costs the pipes, the
  protocol and the process, and no disk.
- **bare files**: the same files, flushes and links as a send, by bare calls in the bench's own process. It waits for all five flushes; a
  server answers after the first three, by which a loss of power loses nothing, and waits for the others meanwhile.
- **source files that run**: those of which at least one named function ran for the act: after the program had loaded, the server
  was greeted, or the pager had started. "With loading, starting and ending" counts the whole life of that process; until the
  act was told from it, the bars were held against this figure.

Homes of years have one to forty threads a day over 340 days or more, sessions with their tasks, and events of two clones; they are laid
once, and kept for the next run. No other project runs here: where a bar is against one, a stand-in says so, and what has none is not measured.
`;

const machine = `Machine: ${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 2 ** 30)} GB of memory, ${process.platform} ${process.arch}, Node ${process.versions.node}.\n`;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(MEASURES, name));
if (unknown.length > 0) {
  process.stderr.write(`no such measure: ${unknown.join(", ")}. There are: ${Object.keys(MEASURES).join(", ")}\n`);
  process.exit(2);
}
process.once("exit", clearScratch);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** A section that has not ended by then is given up; only the whole hour of messages takes longer. */
const LONGEST_MS = (process.env.HOUR_MESSAGES === undefined ? 15 : 90) * 60_000;
let fail = () => {};
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => fail(error));

/** Runs a measure. What goes wrong beside it, such as in an event that nobody waits for, is its fault too. */
async function measured(measure) {
  let timer;
  const failed = new Promise((_resolve, reject) => {
    fail = reject;
    timer = setTimeout(() => reject(new Error(`it did not end within ${LONGEST_MS / 60_000} minutes`)), LONGEST_MS);
  });
  try {
    return await Promise.race([measure(), failed]);
  } finally {
    clearTimeout(timer);
    fail = (error) => process.stderr.write(`after it ended: ${error.stack}\n`);
  }
}

const titles = Object.values(MEASURES).map(([title]) => title);
const missed = [];
const worse = [];
const took = [];
const begun = performance.now();
let bars = 0;
process.stdout.write(`${machine}\n`);
for (const name of wanted.length > 0 ? wanted : Object.keys(MEASURES)) {
  const [title, measure] = MEASURES[name];
  const load = os.loadavg()[0].toFixed(1);
  const started = performance.now();
  try {
    const rows = await measured(measure);
    const seconds = Math.round((performance.now() - started) / 1_000);
    took.push(`${name}: ${seconds} s`);
    const section = sectionOf(title, rows, `Measured at ${version()} in ${seconds} s; the load of the machine before it was ${load}.`);
    writeSection(section, `${ABOUT}\n${machine}`, titles);
    process.stdout.write(`${section}\n`);
    worse.push(...keepRatios(title, rows));
    bars += rows.filter(({ met }) => met !== null).length;
    for (const { what, measured, ratio, bar, met } of rows)
      if (met === false) missed.push(`${name}: ${what}: ${measured} ${ratio} (${bar})`);
  } catch (error) {
    missed.push(`${name}: not measured: ${error.message}`);
    process.stdout.write(`${name}: not measured: ${error.stack}\n\n`);
  }
}
const more = (what, lines) => process.stdout.write(lines.length === 0 ? "" : `\n${what}\n${lines.map((line) => `- ${line}\n`).join("")}`);
process.stdout.write(`${bars} bars, in ${Math.ceil((performance.now() - begun) / 60_000)} minutes: ${took.join(", ")}.\n`);
more("Missed:", missed);
more("Worse than before:", worse);
more("Of another version in RESULTS.md:", staleSections(titles, version()));
// A measure that was given up may still run.
process.exit(missed.length > 0 ? 1 : 0);
