/**
 * From a Send to the first byte of input of the program that does the work, against a bare start of that program, in turn: with a runner
 * that lives, and with none, which then has to be started. Then the same, and a look at the office, in a home with many dispatches
 * that are over, against a new home.
 */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { childEnv, p50, RELAY, row, run, scratch } from "./rig/measure.mjs";

const ROUNDS = 40;
const COLD_ROUNDS = 10;
const COMMAND_ROUNDS = 20;
/** Rounds before those that count. */
const WARM_UP = 3;
/** Dispatches that are over, in the home of a while. */
const OVER = 10_000;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const number = new Intl.NumberFormat("en");
const now = () => performance.timeOrigin + performance.now();

/** A home with an office whose agents are a small script. */
class Home {
  constructor({ createWorld, operations, perform }) {
    const folder = scratch();
    this.ask = (operation, input) => perform(this.world, operations[operation], input);
    this.env = { ...childEnv, XDG_STATE_HOME: path.join(folder, "state"), RELAY_PART: "web", RELAY_NO_RUNNER: "1" };
    this.project = path.join(folder, "project");
    fs.mkdirSync(this.project);
    this.stamps = path.join(folder, "stamps");
    fs.writeFileSync(this.stamps, "");
    this.input = path.join(folder, "input");
    fs.writeFileSync(this.input, "Do it.\n");
    this.program = path.join(folder, "program.sh");
    fs.writeFileSync(this.program, `#!/bin/sh\nread -r first\ndate +%s%N >>"${this.stamps}"\necho done\n`, { mode: 0o755 });
    this.run("init", "web");
    this.run("office", "init", "--runner", "command");
    this.run("trust", "office");
    this.run("office", "runner", "command", "--", this.program);
    fs.writeFileSync(this.at("local/office/limits.json"), '{"idle_s":600}');
    this.world = createWorld({ cwd: this.project, part: "web", env: this.env });
  }

  at(name) {
    return path.join(this.project, ".relay", name);
  }

  run(...args) {
    return run(process.execPath, [RELAY, ...args], this.project, this.env);
  }

  start() {
    this.runner = spawn(process.execPath, [RELAY, "office", "run", "--home", this.project], { env: this.env, stdio: "ignore" });
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
    await this.ask("office_start", { goal: "Do it." });
    const called = now() - begun;
    if (isCold) this.start();
    const sent = (await this.stamp(before)) - begun;
    // The reply is in, and the runner at rest.
    await rest(400);
    return { sent, called };
  }

  async bare() {
    const before = this.count();
    const input = fs.openSync(this.input, "r");
    const begun = now();
    spawn(this.program, { stdio: [input, "ignore", "ignore"] });
    const started = (await this.stamp(before)) - begun;
    fs.closeSync(input);
    return started;
  }

  async tree() {
    const begun = now();
    await this.ask("office_tree", {});
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

const middle = (list) => p50(list.toSorted((a, b) => a - b));

/** A dispatch beside a bare start, and beside the same in a home of many dispatches. */
export async function measureOffice() {
  const library = await import(new URL("../dist/index.js", import.meta.url).href);
  const [young, old] = [new Home(library), new Home(library)];
  return [...(await measureDispatch(young)), ...(await measureOld(young, old))];
}

async function measureDispatch(home) {
  const figures = { warm: [], cold: [], bare: [], node: [] };
  home.start();
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const { sent } = await home.send(false);
    const bare = await home.bare();
    if (round < WARM_UP) continue;
    figures.warm.push(sent);
    figures.bare.push(bare);
  }
  await home.stop();
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    figures.cold.push((await home.send(true)).sent);
    await home.stop();
    const begun = now();
    execFileSync(process.execPath, ["-e", ""]);
    figures.node.push(now() - begun);
  }
  const bare = { what: "a bare start of the program", figure: middle(figures.bare) };
  const node = { what: "`node -e 0` and that start", figure: middle(figures.node) + bare.figure };
  return [
    row("`office_start` → first byte of the program's input, a runner lives, p50", middle(figures.warm), { baseline: bare }),
    row("the same: over the bare start, p50", middle(figures.warm) - bare.figure, { bars: { most: 60 } }),
    row("the same, no runner lives, p50", middle(figures.cold), { baseline: node }),
  ];
}

async function measureOld(young, old) {
  for (const home of [young, old]) {
    home.start();
    await home.send(false);
  }
  await rest(1_000);
  old.multiply(OVER);
  const figures = { tree: [[], []], command: [[], []], call: [[], []], sent: [[], []] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, home] of [young, old].entries()) {
      figures.tree[at].push(await home.tree());
      if (round < COMMAND_ROUNDS) figures.command[at].push(home.treeCommand());
      const { sent, called } = await home.send(false);
      figures.call[at].push(called);
      figures.sent[at].push(sent);
    }
  await Promise.all([old.stop(), young.stop()]);
  const what = { tree: "`office_tree`", command: "`relay office tree`", call: "`office_start`", sent: "`office_start` → first byte" };
  return Object.entries(figures).map(([name, [few, many]]) =>
    row(`${what[name]}, ${number.format(OVER)} dispatches that are over, p50`, middle(many), {
      baseline: { what: "a home of few", figure: middle(few) },
      bars: { ratio: 1.5 },
    }),
  );
}
