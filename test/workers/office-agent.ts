/**
 * An agent of an office without a model: started as a program of an agent is, it does what its message says, or a plan of its position,
 * and speaks MCP to the real server of tools. A message says it in a line `do: [...]`, of steps: `{say}`, `{echo}`, `{hold}` (until a file
 * of that name is there), `{tick}` (prints until then), `{crash}`, `{kill}`, `{deaf}`, `{flood}`, `{send}`, `{answer}` (a Send into the conversation of the last answer), `{all}` (several at once), `{close}` (the conversation of the last answer), `{capture}`, `{child}`; with `quiet` it prints no answers.
 *
 * Arguments: a folder for all that it writes down; the file of the command.
 */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { hasEnded } from "../rig/hurt.ts";

const [folder = "", relay = ""] = process.argv.slice(2);
const { RELAY_PART: position = "", RELAY_CONTEXT: context = "", RELAY_SESSION: session = "" } = process.env;
const envelope = fs.readFileSync(0, "utf8");
const at = (name: string): string => path.join(folder, name);
const log = (event: string, more: Record<string, unknown> = {}): void =>
  fs.appendFileSync(at("log.jsonl"), `${JSON.stringify({ event, position, context, session, pid: process.pid, ...more })}\n`);

/** One thing to do. */
interface Step {
  say?: string;
  echo?: boolean;
  hold?: string;
  tick?: string;
  crash?: number;
  kill?: boolean;
  deaf?: boolean;
  flood?: number;
  send?: Record<string, unknown>;
  answer?: Record<string, unknown>;
  all?: Record<string, unknown>[];
  call?: { tool: string; args: Record<string, unknown> };
  quiet?: boolean;
  close?: boolean;
  capture?: string;
  child?: boolean;
}

/** The number of this turn in its session, counted from 1. */
function turnOf(): number {
  const counter = at(`turns-${session}`);
  fs.appendFileSync(counter, "x");
  return fs.statSync(counter).size;
}

function stepsOf(turn: number): Step[] {
  const said = envelope.split("\n").findLast((line) => line.startsWith("> do: "));
  if (said !== undefined) return JSON.parse(said.slice("> do: ".length)) as Step[];
  const plan = fs.existsSync(at("plan.json")) ? (JSON.parse(fs.readFileSync(at("plan.json"), "utf8")) as Record<string, Step[][]>) : {};
  return plan[position]?.[turn - 1] ?? [{ echo: true }];
}

let client: Client | null = null;
/** The conversation of the last answer. */
let heard: string | undefined;
async function call(tool: string, args: Record<string, unknown>): Promise<unknown> {
  if (client === null) {
    const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [relay, "mcp", "--tools", "team"],
      env,
      stderr: "inherit",
    });
    client = new Client({ name: "office-agent", version: "1" });
    await client.connect(transport);
  }
  const answer = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 600_000 });
  log("answer", { tool, answer: answer.structuredContent });
  heard = (answer.structuredContent as { context_id?: string } | undefined)?.context_id ?? heard;
  return answer.structuredContent ?? answer.content;
}

/** Waits until a file is there. */
const held = (name: string): Promise<void> =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!fs.existsSync(at(name))) return;
      clearInterval(timer);
      resolve();
    }, 10);
  });

/** Prints on and on until a file is there, and notes it from time to time. */
const ticked = (name: string): Promise<void> =>
  new Promise((resolve) => {
    let ticks = 0;
    const timer = setInterval(() => {
      process.stdout.write(".");
      ticks += 1;
      if (ticks % 50 === 0) log("ticked");
      if (!fs.existsSync(at(name))) return;
      clearInterval(timer);
      resolve();
    }, 10);
  });

async function act(step: Step): Promise<void> {
  const answers: unknown[] = [];
  if (step.capture !== undefined)
    fs.writeFileSync(at(step.capture), JSON.stringify({ envelope, env: process.env, argv: process.argv, cwd: process.cwd() }));
  if (step.deaf === true) process.on("SIGTERM", () => log("deaf"));
  if (step.child === true) log("child", { child: spawn("sleep", ["1000"], { stdio: "ignore" }).pid });
  if (step.hold !== undefined) await held(step.hold);
  if (step.tick !== undefined) await ticked(step.tick);
  if (step.send !== undefined) answers.push(await call("Send", step.send));
  if (step.answer !== undefined) answers.push(await call("Send", { ...step.answer, context_id: heard }));
  if (step.all !== undefined) answers.push(...(await Promise.all(step.all.map((args) => call("Send", args)))));
  if (step.close === true) answers.push(await call("CloseConversation", { context_id: heard }));
  if (step.call !== undefined) answers.push(await call(step.call.tool, step.call.args));
  if (step.quiet !== true) for (const answer of answers) process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (step.flood !== undefined) process.stdout.write("x".repeat(step.flood));
  if (step.echo === true) process.stdout.write(`echo: ${envelope}`);
  if (step.say !== undefined) process.stdout.write(step.say);
  if (step.kill === true) process.kill(process.pid, "SIGKILL");
  if (step.crash !== undefined) {
    process.stderr.write("something went wrong\n");
    process.exit(step.crash);
  }
}

// Whoever is there already is another process of this position: there may be none.
const alive = at(`alive-${position.replaceAll("/", "_")}`);
try {
  fs.writeFileSync(alive, String(process.pid), { flag: "wx" });
} catch {
  const other = Number(fs.readFileSync(alive, "utf8"));
  if (!hasEnded(other)) log("overlap", { other });
  fs.writeFileSync(alive, String(process.pid));
}
const turn = turnOf();
log("begin", { turn, resumed: process.env["RELAY_RESUME"] === "1", envelope });
for (const step of stepsOf(turn)) await act(step);
await (client as Client | null)?.close();
log("end", { turn });
fs.rmSync(alive, { force: true });
