/**
 * How many source files one must open to follow a message, a claim and a nudge: the files of which at least one named function ran.
 * Built as the command is, but readable, so that V8's coverage names each function, and the bundle each file.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { emptyHome } from "./rig/homes.mjs";
import { childEnv, row, run, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROMPT = fileURLToPath(new URL("prompt.mjs", import.meta.url));
const MOST = { send: 30, claim: 40, nudge: 50 };
const WAIT_MS = 30_000;

/** Walks the three ways, each in a process of its own. `JOURNEYS=list` prints the files with the functions that ran. */
export async function measureJourneys() {
  const command = path.join(scratch(), "command.cjs");
  run(process.execPath, ["build.mjs", "--readable", command], ROOT);
  const ways = { send: sendFiles, claim: claimFiles, nudge: nudgeFiles };
  const rows = [];
  for (const [name, walk] of Object.entries(ways)) {
    const files = await walk(command);
    if (files === null) continue;
    if (process.env.JOURNEYS === "list") list(name, files);
    rows.push(row(`source files that run: ${name}`, files.size, { unit: "files", bars: { most: MOST[name] } }));
  }
  return rows;
}

/** `relay send`. */
function sendFiles(command) {
  const folder = emptyHome("web", "api");
  return covered(command, folder, (env) => {
    run(process.execPath, [command, "send", "api", "Price?", "What does it cost?", "--part", "web"], folder, { ...childEnv, ...env });
  });
}

/** `claim_task` over MCP, of a task that is there. */
function claimFiles(command) {
  const folder = emptyHome("web", "api");
  const relay = (...args) => JSON.parse(run(process.execPath, [command, ...args, "--part", "web", "--json"], folder));
  relay("session", "start");
  const { task_id: task } = relay("task", "create", "A task");
  return covered(command, folder, async (env) => {
    const server = await startServer(folder, { program: [command, "mcp"], args: ["--part", "web"], env });
    await server.must("claim_task", { task_id: task });
    await server.close();
  });
}

/** A pager that finds mail and types a doorbell into the terminal of an idle agent. */
async function nudgeFiles(command) {
  if (spawnSync("tmux", ["-V"]).status !== 0) return null;
  const socket = `relay-bench-${process.pid}`;
  const tmux = { ...childEnv, RELAY_TMUX_SOCKET: socket, XDG_STATE_HOME: scratch() };
  const folder = emptyHome("web", "api");
  // What a pager records of it is another journey.
  fs.appendFileSync(path.join(folder, ".relay/relay.yml"), "record: { auto: false }\n");
  const entered = path.join(scratch(), "entered");
  fs.writeFileSync(entered, "");
  const relay = (...args) => run(process.execPath, [command, ...args], folder, tmux);
  relay("up", "--part", "web", "--", process.execPath, PROMPT, entered);
  try {
    return await covered(command, folder, async (env) => {
      const pager = spawn(process.execPath, [command, "pager"], { cwd: folder, env: { ...tmux, ...env }, stdio: "ignore" });
      const ended = once(pager, "close");
      relay("send", "web", "About it", "Text.", "--part", "api");
      for (const end = Date.now() + WAIT_MS; fs.readFileSync(entered, "utf8") === ""; await pause(20))
        if (Date.now() > end) throw new Error("the nudge never came");
      pager.kill("SIGTERM");
      await ended;
    });
  } finally {
    spawnSync("tmux", ["-L", socket, "kill-server"]);
  }
}

/** The functions that ran, by file, while `walk` ran the command with V8's coverage. */
async function covered(command, folder, walk) {
  const coverage = scratch();
  await walk({ NODE_V8_COVERAGE: coverage });
  const fileAt = filesOf(fs.readFileSync(command, "utf8"));
  const files = new Map();
  for (const name of fs.readdirSync(coverage)) {
    const { result } = JSON.parse(fs.readFileSync(path.join(coverage, name), "utf8"));
    for (const { url, functions } of result) {
      if (url !== pathToFileURL(command).href) continue;
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        const file = fileAt(startOffset);
        // The bundle wraps a module that is loaded late in a function of the module's name.
        if (count === 0 || functionName === "" || functionName.includes("/") || file === null) continue;
        files.set(file, [...(files.get(file) ?? []), functionName]);
      }
    }
  }
  if (files.size === 0) throw new Error(`no coverage in ${coverage} of ${folder}`);
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
