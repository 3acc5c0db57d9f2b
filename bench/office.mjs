/**
 * From a Send to the first byte of input of the program that does the work, against a bare start of that program. The runner is alive
 * already: its own start is paid once for a burst of work, and is not counted. The bar: 60 ms at the median over the bare start.
 */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createWorld, operations, perform } from "../dist/index.js";

const ROUNDS = Number(process.argv[2] ?? 40);
const relay = path.resolve("dist/relay.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "relay-bench-office-"));
const env = { ...process.env, XDG_STATE_HOME: path.join(folder, "state"), RELAY_PART: "web" };
const project = path.join(folder, "project");
fs.mkdirSync(project);
const run = (...args) => execFileSync(process.execPath, [relay, ...args], { cwd: project, env, encoding: "utf8" });

run("init", "web");
run("office", "init");
for (const name of fs.readdirSync(path.join(project, ".relay/org/agents"))) {
  const file = path.join(project, ".relay/org/agents", name);
  fs.writeFileSync(
    file,
    fs
      .readFileSync(file, "utf8")
      .replace(/^runner:.*\n/m, "")
      .replace("---\n", "---\nrunner: command\n"),
  );
}
run("trust", "office");
const stamps = path.join(folder, "stamps");
const program = path.join(folder, "agent.sh");
fs.writeFileSync(program, `#!/bin/sh\nread -r first\ndate +%s%N >>"${stamps}"\necho done\n`, { mode: 0o755 });
run("office", "runner", "command", "--", program);
fs.writeFileSync(path.join(project, ".relay/local/office/limits.json"), '{"idle_s":600}');
fs.writeFileSync(stamps, "");
const runner = spawn(process.execPath, [relay, "office", "run", "--home", project], { env, stdio: "ignore" });

const now = () => performance.timeOrigin + performance.now();
const count = () => fs.readFileSync(stamps, "utf8").split("\n").length - 1;
/** Waits for the next stamp. @returns its time in milliseconds */
async function stamp(before) {
  while (count() === before) await new Promise((resolve) => setTimeout(resolve, 5));
  return Number(fs.readFileSync(stamps, "utf8").trim().split("\n").at(-1)) / 1e6;
}
const world = createWorld({ cwd: project, part: "web", env });
const input = path.join(folder, "input");
fs.writeFileSync(input, "Do it.\n");
const [sends, calls, starts] = [[], [], []];
for (let round = 0; round < ROUNDS + 3; round += 1) {
  let before = count();
  let begun = now();
  await perform(world, operations.office_start, { goal: "Do it.", detach: true });
  const called = now() - begun;
  const sent = (await stamp(before)) - begun;
  // The reply is in, and the runner at rest.
  await new Promise((resolve) => setTimeout(resolve, 400));
  before = count();
  begun = now();
  spawn(program, { stdio: [fs.openSync(input, "r"), "ignore", "ignore"] });
  const started = (await stamp(before)) - begun;
  if (round < 3) continue;
  sends.push(sent);
  calls.push(called);
  starts.push(started);
}
runner.kill("SIGTERM");
const p = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))].toFixed(1);
for (const [name, list] of [
  ["Send -> first byte", sends],
  ["of that the call", calls],
  ["bare start", starts],
])
  console.log(`${name.padEnd(20)} p50 ${p(list, 0.5)} ms   p90 ${p(list, 0.9)} ms`);
console.log(`over a bare start    p50 ${(p(sends, 0.5) - p(starts, 0.5)).toFixed(1)} ms   (bar: 60 ms)`);
await new Promise((resolve) => runner.once("exit", resolve));
fs.rmSync(folder, { recursive: true, force: true });
