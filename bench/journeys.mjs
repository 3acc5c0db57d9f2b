/**
 * How many source files one must open to follow a message, a claim and a nudge: the files of which at least one named function ran.
 * Built as the command is, but readable, so that V8's coverage names each function, and the bundle each file.
 *
 * What is counted is the act: a send, from the moment when the program has loaded; a claim, by a server that was greeted and waits,
 * from the call to the answer; a nudge, by a pager that started and waits, from the arrival of the mail to the report of the wake.
 * The second figure counts all that the same process ran: loading (where each module makes its schemas and tables), starting and
 * ending as well.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { emptyHome, settle } from "./rig/homes.mjs";
import { childEnv, row, run, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROMPT = fileURLToPath(new URL("prompt.mjs", import.meta.url));
const MOST = { send: 30, claim: 40, nudge: 50 };
const WAIT_MS = 30_000;
/** After it said so, a pager makes its first look, and begins to watch. */
const START_MS = 1_500;

/** Walks the three ways, each in a process of its own. `JOURNEYS=list` prints the files with the functions that ran. */
export async function measureJourneys() {
  const command = path.join(scratch(), "command.cjs");
  run(process.execPath, ["build.mjs", "--readable", command], ROOT);
  const fileAt = filesOf(fs.readFileSync(command, "utf8"));
  const ways = { send: sendCoverage, claim: claimCoverage, nudge: nudgeCoverage };
  const rows = [];
  for (const [name, walk] of Object.entries(ways)) {
    const reports = await walk(command);
    if (reports === null) continue;
    const act = entered([reports.act], command, fileAt);
    if (process.env.JOURNEYS === "list") list(name, act);
    rows.push(row(`source files that run: ${name}`, act.size, { unit: "files", bars: { most: MOST[name] } }));
    rows.push(row(`${name}, with loading, starting and ending`, entered(reports.all, command, fileAt).size, { unit: "files" }));
  }
  return rows;
}

/** `relay send`. The reports: loading, and the rest. */
async function sendCoverage(command) {
  const folder = emptyHome("web", "api");
  const coverage = scratch();
  const env = { ...childEnv, NODE_V8_COVERAGE: coverage };
  run(process.execPath, [command, "send", "api", "Price?", "What does it cost?", "--part", "web"], folder, env);
  const all = reportsOf(coverage);
  return { all, act: all[1] };
}

/** `claim_task` over MCP, of a task that is there. The reports: loading, starting, the call, ending. */
async function claimCoverage(command) {
  const folder = emptyHome("web", "api");
  const relay = (...args) => JSON.parse(run(process.execPath, [command, ...args, "--part", "web", "--json"], folder));
  relay("session", "start");
  const { task_id: task } = relay("task", "create", "A task");
  const coverage = scratch();
  const server = await startServer(folder, { program: [command, "mcp"], args: ["--part", "web"], env: { NODE_V8_COVERAGE: coverage } });
  await server.empty();
  await nextReport(coverage, server.pid);
  await server.must("claim_task", { task_id: task });
  await nextReport(coverage, server.pid);
  await server.close();
  const all = reportsOf(coverage);
  return { all, act: all[2] };
}

/** A pager that finds mail and types a doorbell into the terminal of an idle agent. The reports: loading, starting, the nudge, ending. */
async function nudgeCoverage(command) {
  if (spawnSync("tmux", ["-V"]).status !== 0) return null;
  const socket = `relay-bench-${process.pid}`;
  const tmux = { ...childEnv, RELAY_TMUX_SOCKET: socket, XDG_STATE_HOME: scratch() };
  const folder = emptyHome("web", "api");
  // What a pager records of it is another journey.
  settle(folder, "record: { auto: false }\n", command, tmux);
  const typed = path.join(scratch(), "typed");
  fs.writeFileSync(typed, "");
  const relay = (...args) => run(process.execPath, [command, ...args], folder, tmux);
  relay("up", "--part", "web", "--", process.execPath, PROMPT, typed);
  const coverage = scratch();
  const log = path.join(scratch(), "log");
  const out = fs.openSync(log, "w");
  const pager = spawn(process.execPath, [command, "pager", "--json"], {
    cwd: folder,
    env: { ...tmux, NODE_V8_COVERAGE: coverage },
    stdio: ["ignore", out, "ignore"],
  });
  const ended = once(pager, "close");
  const told = (type) => until(`the pager said "${type}"`, () => fs.readFileSync(log, "utf8").includes(`"type":"${type}"`));
  try {
    await told("started");
    await pause(START_MS);
    await nextReport(coverage, pager.pid);
    relay("send", "web", "About it", "Text.", "--part", "api");
    await told("typed");
    if (fs.readFileSync(typed, "utf8") === "") throw new Error("the nudge never came");
    await nextReport(coverage, pager.pid);
  } finally {
    pager.kill("SIGTERM");
    await ended;
    spawnSync("tmux", ["-L", socket, "kill-server"]);
  }
  const all = reportsOf(coverage);
  return { all, act: all[2] };
}

async function until(what, isSo) {
  for (const end = Date.now() + WAIT_MS; !isSo(); await pause(20)) if (Date.now() > end) throw new Error(`not seen: ${what}`);
}

/** Has the process write what ran since its last report; returns when the report is whole. */
async function nextReport(coverage, pid) {
  const before = fs.readdirSync(coverage).length;
  process.kill(pid, "SIGUSR2");
  await until("a report of coverage", () => reportsOf(coverage).length > before);
}

/** The reports of one process in the order in which they were written; without one that is not whole. */
function reportsOf(coverage) {
  const reports = [];
  const order = (name) => Number(/-(\d+)\.json$/.exec(name)[1]);
  for (const name of fs.readdirSync(coverage).sort((a, b) => order(a) - order(b))) {
    try {
      reports.push(JSON.parse(fs.readFileSync(path.join(coverage, name), "utf8")).result);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return reports;
}

/** The functions that ran in these reports, by file. */
function entered(reports, command, fileAt) {
  const files = new Map();
  for (const { url, functions } of reports.flat()) {
    if (url !== pathToFileURL(command).href) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      const file = fileAt(startOffset);
      // The bundle wraps a module that is loaded late in a function of the module's name.
      if (count === 0 || functionName === "" || functionName.includes("/") || file === null) continue;
      files.set(file, [...(files.get(file) ?? []), functionName]);
    }
  }
  if (files.size === 0) throw new Error("no coverage");
  return files;
}

/** Which source file of the project a place of the bundle came from, by the comments that esbuild leaves; null for a package's. */
function filesOf(bundle) {
  const starts = [...bundle.matchAll(/^ *\/\/ ((?:node:|[\w@.-]+\/)\S+)$/gm)].map(({ index, 1: file }) => ({ index, file }));
  return (offset) => {
    const file = starts.findLast(({ index }) => index <= offset)?.file ?? "";
    return /^(cli|mcp|pager|protocol)\//.test(file) ? file : null;
  };
}

function list(name, files) {
  process.stdout.write(`${name}: ${files.size}\n`);
  for (const [file, functions] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`  ${file}: ${[...new Set(functions)].join(" ")}\n`);
}
