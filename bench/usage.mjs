/**
 * What usage costs: tables over 1,000,000 calls (or as many as USAGE_CALLS says) in the files of ten clones and twelve months, the hook
 * at the end of a turn of a session whose record has 100 MB, and collecting what ten agents wrote in a month.
 */
import fs from "node:fs";
import path from "node:path";
import { interleave, p50, RELAY, relay, row, run, scratch } from "./rig/measure.mjs";

const CALLS = Number(process.env.USAGE_CALLS ?? 1_000_000);
const CLONES = 10;
const MONTHS = 12;
const RECORD_BYTES = 100_000_000;
/** A month of ten agents: working days, sessions of each on a day, calls of a session, and what stands beside each call in its record. */
const MONTH = { agents: 10, days: 22, sessions: 4, calls: 50, textBytes: 10_000 };
const TASKS = 1_000;

const MODELS = ["claude-opus-4-5", "claude-sonnet-4-5", "gpt-5.1-codex"];
const two = (n) => String(n).padStart(2, "0");
const cloneOf = (n) => `clone${String(n).padStart(3, "0")}`;

/** A project with a home, and a user's home beside it. */
function project() {
  const folder = scratch();
  const code = path.join(folder, "code");
  fs.mkdirSync(code);
  run("git", ["init", "-q"], code);
  relay(code, "init", "web", "api");
  return { code, user: path.join(folder, "user") };
}

/** The calls of a month of a clone: five agents' days, with a task for each 40 calls. One call of 500 another clone has as well. */
function monthOf(clone, month, count) {
  const lines = [];
  for (let at = 0; at < count; at += 1) {
    const day = 1 + Math.floor((at / count) * 28);
    const isShared = at % 500 === 0;
    const line = {
      id: `claude:msg_${isShared ? "all" : clone}_${month}_${at}`,
      at: `2025-${two(month)}-${two(day)}T${two(8 + (at % 10))}:${two(at % 60)}:00.000Z`,
      agent: "claude",
      model: MODELS[at % 7 === 0 ? 1 : 0],
      run: "0b9e1c52-0000-4000-8000-000000000001",
      part: `part-${Math.floor(at / 40) % 5}`,
      session: `shop-2025-${two(month)}-${two(day)}-001`,
      task: `task-${String(Math.floor(at / 40)).padStart(10, "0")}`,
      worktree: "shop",
      input: 1_000 + (at % 977),
      cached: 90_000 + (at % 9_973),
      written: 800,
      output: 300 + (at % 91),
    };
    lines.push(JSON.stringify(line));
  }
  return `${lines.join("\n")}\n`;
}

async function tables() {
  const { code } = project();
  const home = path.join(code, ".relay");
  const each = Math.round(CALLS / CLONES / MONTHS);
  for (let month = 1; month <= MONTHS; month += 1) {
    const folder = path.join(home, `usage/2025-${two(month)}`);
    fs.mkdirSync(folder, { recursive: true });
    for (let clone = 0; clone < CLONES; clone += 1)
      fs.writeFileSync(path.join(folder, `${cloneOf(clone)}.jsonl`), monthOf(cloneOf(clone), month, each));
  }
  const table = (...args) => void run(process.execPath, [RELAY, "usage", "--json", ...args], code);
  const before = performance.now();
  const { total } = JSON.parse(run(process.execPath, [RELAY, "usage", "--json"], code));
  const cold = performance.now() - before;
  const own = path.join(home, `usage/2025-12/${cloneOf(0)}.jsonl`);
  const samples = await interleave(3, {
    day: () => table("--by", "day"),
    part: () => table("--by", "part"),
    session: () => table("--by", "session"),
    task: () => table("--by", "task"),
    model: () => table("--by", "model", "--part", "part-1"),
    since: () => table("--since", "2025-11-10T12:00:00Z"),
    grown: (round) => {
      fs.appendFileSync(own, monthOf(`grown${round}`, 12, 20));
      const started = performance.now();
      table();
      return performance.now() - started;
    },
    bare: () => void run(process.execPath, [RELAY, "--version"], code),
  });
  const calls = new Intl.NumberFormat("en").format(total.calls);
  const rows = Object.entries(samples).filter(([name]) => name !== "bare");
  const said = { since: "from an instant within a day", grown: "after a file grew by 20 calls" };
  return [
    row(`\`relay usage\` over ${calls} calls, the first time`, cold),
    ...rows.map(([name, list]) =>
      row(`\`relay usage\` over ${calls} calls, ${said[name] ?? `by ${name}`}, p50`, p50(list), { bars: { most: 1_000 } }),
    ),
  ];
}

/** A call of a record of Claude Code, with a text beside it. */
const record = (id, cwd, text, at = "2026-01-31T09:30:00.000Z") =>
  `${JSON.stringify({ type: "assistant", timestamp: at, sessionId: "s", cwd, message: { id, model: "claude-opus-4-5", content: [{ type: "text", text }], usage: { input_tokens: 10, output_tokens: 50, cache_read_input_tokens: 90_000 } } })}\n`;
const prompt = (text) => `${JSON.stringify({ type: "user", message: { content: text } })}\n`;

async function hook() {
  const { code } = project();
  relay(code, "part", "here", "web");
  relay(code, "session", "start", "--part", "web");
  const { task_id: id } = relay(code, "task", "create", "Do it", "--part", "web");
  const [session] = fs.readdirSync(path.join(code, ".relay/sessions"));
  const tasks = path.join(code, ".relay/sessions", session, "tasks");
  const text = fs.readFileSync(path.join(tasks, `${id}.md`), "utf8");
  for (let at = 1; at < TASKS; at += 1) {
    const other = `task-${String(at).padStart(10, "0")}`;
    fs.writeFileSync(path.join(tasks, `${other}.md`), text.replaceAll(id, other));
  }
  relay(code, "task", "claim", id, "--part", "web");
  const large = path.join(code, "large.jsonl");
  const filler = prompt("x".repeat(20_000)) + record("old", code, "y".repeat(5_000));
  fs.writeFileSync(large, filler.repeat(Math.ceil(RECORD_BYTES / filler.length)));
  const end = (round, file) => {
    if (file !== null) fs.appendFileSync(file, prompt("next") + record(`m${round}-1`, code, "a") + record(`m${round}-2`, code, "b"));
    const input = JSON.stringify({
      session_id: "s",
      cwd: code,
      stop_hook_active: false,
      ...(file === null ? {} : { transcript_path: file }),
    });
    const started = performance.now();
    run("sh", ["-c", `printf '%s' "$INPUT" | "${process.execPath}" "${RELAY}" hook stop --agent claude`], code, {
      ...process.env,
      INPUT: input,
    });
    return performance.now() - started;
  };
  end(-2, large);
  const samples = await interleave(15, { without: (round) => end(round, null), with: (round) => end(round, large) });
  const more = p50(samples.with) - p50(samples.without);
  return [
    row(
      `hook at the end of a turn, record of ${Math.round(RECORD_BYTES / 1e6)} MB, ${TASKS} tasks: more than without a record, p50`,
      more,
      { bars: { most: 50 } },
    ),
  ];
}

async function month() {
  const { code, user } = project();
  const folder = path.join(user, ".claude/projects", fs.realpathSync(code).replace(/[^A-Za-z0-9]/g, "-"));
  fs.mkdirSync(folder, { recursive: true });
  const { agents, days, sessions, calls, textBytes } = MONTH;
  let bytes = 0;
  for (let at = 0; at < agents * days * sessions; at += 1) {
    const day = 1 + (at % days);
    const lines = Array.from(
      { length: calls },
      (_, n) => prompt("x".repeat(textBytes)) + record(`m${at}-${n}`, fs.realpathSync(code), "y", `2026-01-${two(day)}T09:30:00.000Z`),
    );
    bytes += lines.reduce((sum, line) => sum + line.length, 0);
    fs.writeFileSync(path.join(folder, `s${at}.jsonl`), lines.join(""));
  }
  const env = { ...process.env, HOME: user };
  const collect = () => JSON.parse(run(process.execPath, [RELAY, "usage", "collect", "--json"], code, env));
  const started = performance.now();
  const found = collect();
  const took = performance.now() - started;
  const again = performance.now();
  collect();
  const what = `${found.records} records of ${Math.round(bytes / 1e6)} MB with ${found.calls} calls`;
  return [
    row(`\`relay usage collect\`, a month of ten agents: ${what}`, took, { bars: { most: 5_000 } }),
    row("the same again, where nothing is new", performance.now() - again),
  ];
}

const PARTS = { tables, hook, month };

/** Tables, the hook, and a month. @param only some of the three */
export async function measureUsage(only = []) {
  const rows = [];
  for (const [name, measure] of Object.entries(PARTS)) if (only.length === 0 || only.includes(name)) rows.push(...(await measure()));
  return rows;
}
