/**
 * From a Send to the first byte of input of the program that does the work, against a bare start of that program, in turn: with a runner
 * that lives, and with none, which then has to be started. Then the same, and a look at the office, in a home with many dispatches
 * that are over, against a new home. The bars: 60 ms at the median over the bare start with a runner; 1.5 times a new home.
 *
 * Arguments: rounds; dispatches that are over. `TMPDIR` says on which disk; `chrt -r 1` before it leaves the load of others out.
 */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createWorld, operations, perform } from "../dist/index.js";

const ROUNDS = Number(process.argv[2] ?? 40);
const OVER = Number(process.argv[3] ?? 10_000);
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const relay = path.resolve("dist/relay.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "relay-bench-office-"));
const env = { ...process.env, XDG_STATE_HOME: path.join(folder, "state"), RELAY_PART: "web", RELAY_NO_RUNNER: "1" };
const now = () => performance.timeOrigin + performance.now();
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A home with an office whose agents are a small script. */
class Home {
  constructor(name) {
    this.project = path.join(folder, name);
    fs.mkdirSync(this.project);
    this.stamps = path.join(folder, `${name}.stamps`);
    fs.writeFileSync(this.stamps, "");
    this.program = path.join(folder, `${name}.sh`);
    fs.writeFileSync(this.program, `#!/bin/sh\nread -r first\ndate +%s%N >>"${this.stamps}"\necho done\n`, { mode: 0o755 });
    this.run("init", "web");
    this.run("office", "init", "--runner", "command");
    this.run("trust", "office");
    this.run("office", "runner", "command", "--", this.program);
    fs.writeFileSync(this.at("local/office/limits.json"), '{"idle_s":600}');
    this.world = createWorld({ cwd: this.project, part: "web", env });
  }

  at(name) {
    return path.join(this.project, ".relay", name);
  }

  run(...args) {
    return execFileSync(process.execPath, [relay, ...args], { cwd: this.project, env, encoding: "utf8" });
  }

  start() {
    this.runner = spawn(process.execPath, [relay, "office", "run", "--home", this.project], { env, stdio: "ignore" });
  }

  async stop() {
    const ended = new Promise((resolve) => this.runner.once("exit", resolve));
    this.runner.kill("SIGTERM");
    await ended;
  }

  count() {
    return fs.readFileSync(this.stamps, "utf8").split("\n").length - 1;
  }

  /** Waits for the next stamp. @returns its time in milliseconds */
  async stamp(before) {
    while (this.count() === before) await rest(2);
    return Number(fs.readFileSync(this.stamps, "utf8").trim().split("\n").at(-1)) / 1e6;
  }

  /** From a Send to the first byte; of that the call alone. @param isCold whether a runner is started as the call would start one */
  async send(isCold) {
    const before = this.count();
    const begun = now();
    await perform(this.world, operations.office_start, { goal: "Do it." });
    const called = now() - begun;
    if (isCold) this.start();
    const sent = (await this.stamp(before)) - begun;
    // The reply is in, and the runner at rest.
    await rest(400);
    return { sent, called };
  }

  async bare() {
    const before = this.count();
    const input = path.join(folder, "input");
    fs.writeFileSync(input, "Do it.\n");
    const begun = now();
    spawn(this.program, { stdio: [fs.openSync(input, "r"), "ignore", "ignore"] });
    return (await this.stamp(before)) - begun;
  }

  async tree() {
    const begun = now();
    await perform(this.world, operations.office_tree, {});
    return now() - begun;
  }

  treeCommand() {
    const begun = now();
    this.run("office", "tree");
    return now() - begun;
  }

  /** Copies the one dispatch that is over, so many times, over a hundred days before today. */
  multiply(count) {
    const [day] = fs.readdirSync(this.at("dispatches"));
    const [random] = fs.readdirSync(this.at(`dispatches/${day}`));
    const id = (of, end) => `t-${of.replaceAll("-", "")}-${end}`;
    const sources = [`dispatches/${day}/${random}`, `local/office/${id(day, random)}`, `threads/${day}/${id(day, random)}`].flatMap((top) =>
      fs
        .readdirSync(this.at(top), { recursive: true, withFileTypes: true })
        .flatMap((entry) => (entry.isFile() ? [path.relative(this.at(""), path.join(entry.parentPath ?? entry.path, entry.name))] : [])),
    );
    const texts = sources.map((name) => [name, fs.readFileSync(this.at(name), "utf8")]);
    for (let n = 0; n < count; n += 1) {
      const other = new Date(Date.now() - (1 + (n % 100)) * 86_400_000).toISOString().slice(0, 10);
      const end = Array.from({ length: 8 }, (_, at) => ALPHABET[Math.floor(n / 32 ** at) % 32]).join("");
      const changed = (text) =>
        text
          .replaceAll(id(day, random), id(other, end))
          .replaceAll(random, end)
          .replaceAll(day, other)
          .replaceAll(day.replaceAll("-", ""), other.replaceAll("-", ""));
      for (const [name, text] of texts) {
        const target = this.at(changed(name));
        fs.mkdirSync(path.dirname(target), { recursive: true });
        fs.writeFileSync(target, changed(text));
      }
    }
  }
}

const sorted = (list) => [...list].sort((a, b) => a - b);
const p = (list, share) => sorted(list)[Math.floor(share * (list.length - 1))];
const line = (name, list) =>
  console.log(`${name.padEnd(34)} min ${p(list, 0).toFixed(1)} ms   p50 ${p(list, 0.5).toFixed(1)} ms   p90 ${p(list, 0.9).toFixed(1)} ms`);

const home = new Home("new");
const figures = { warm: [], call: [], cold: [], bare: [], node: [] };
home.start();
for (let round = 0; round < ROUNDS + 3; round += 1) {
  const { sent, called } = await home.send(false);
  const bare = await home.bare();
  if (round < 3) continue;
  figures.warm.push(sent);
  figures.call.push(called);
  figures.bare.push(bare);
}
await home.stop();
for (let round = 0; round < Math.ceil(ROUNDS / 4); round += 1) {
  figures.cold.push((await home.send(true)).sent);
  await home.stop();
  const begun = now();
  execFileSync(process.execPath, ["-e", ""]);
  figures.node.push(now() - begun);
}
line("Send -> first byte, a runner lives", figures.warm);
line("of that the call", figures.call);
line("bare start of the program", figures.bare);
line("Send -> first byte, no runner", figures.cold);
line("a start of node with no program", figures.node);
console.log(`over a bare start: p50 ${(p(figures.warm, 0.5) - p(figures.bare, 0.5)).toFixed(1)} ms   (bar: 60 ms)`);

const old = new Home("old");
old.start();
await old.send(false);
await rest(1_000);
old.multiply(OVER);
const young = new Home("young");
young.start();
await young.send(false);
const compared = { tree: [[], []], command: [[], []], call: [[], []], sent: [[], []] };
for (let round = 0; round < ROUNDS; round += 1)
  for (const [at, each] of [young, old].entries()) {
    compared.tree[at].push(await each.tree());
    if (round < ROUNDS / 2) compared.command[at].push(each.treeCommand());
    const { sent, called } = await each.send(false);
    compared.call[at].push(called);
    compared.sent[at].push(sent);
  }
await Promise.all([old.stop(), young.stop()]);
for (const [name, [one, other]] of Object.entries(compared)) {
  line(`${name}, new home`, one);
  line(`${name}, ${OVER} over`, other);
  console.log(
    `${name}: ${(p(other, 0.5) / p(one, 0.5)).toFixed(2)} times at the median, ${(p(other, 0) / p(one, 0)).toFixed(2)} at the least   (bar: 1.5)`,
  );
}
fs.rmSync(folder, { recursive: true, force: true });
