/**
 * An agent's terminal without an agent: draws a prompt, reads keys raw, and does what is appended to a file, a word a line:
 * `stream`, `dialog`, `choice` (a dialog above its prompt), `quiet` (none), `deaf` (throws away what is typed), `forget` (throws away what
 * is submitted), `once` (takes no notice of the next Enter), `exit`. Every line that is submitted is appended to another file with its time.
 * Like real ones it takes an Enter right after a paste for a line break, and keeps its prompt while it works.
 *
 * Arguments: the folder in which `control` and `submitted` lie; the prompt, `> ` unless given.
 */
import fs from "node:fs";
import path from "node:path";

const [folder = "", prompt = "> "] = process.argv.slice(2);
const [control, submitted] = [path.join(folder, "control"), path.join(folder, "submitted")];
/** Enter this soon after a paste is a line break. */
const BURST_MS = 120;
const transcript: string[] = ["A stub agent."];
let text = "";
let mode: "quiet" | "stream" | "dialog" | "choice" | "deaf" | "forget" | "once" = "quiet";
/** What it asks in place of its prompt, or above it. */
const QUESTIONS: Record<string, string[]> = {
  dialog: ["Do you want to run it?", "❯ 1. Yes", "  2. No"],
  choice: ["❯ 1. Yes", "  2. No", prompt],
};
let pastedAt = Number.NEGATIVE_INFINITY;
let pasting = false;

const log = (entry: Record<string, unknown>): void => fs.appendFileSync(submitted, `${JSON.stringify({ at: Date.now(), ...entry })}\n`);

function draw(): void {
  const height = (process.stdout.rows ?? 24) - 6;
  const below = QUESTIONS[mode] ?? ["", `${prompt}${text.replaceAll("\n", "\r\n  ")}`];
  const working = mode === "stream" ? ["Working"] : [];
  process.stdout.write(`\u001b[?25l\u001b[H\u001b[2J${[...transcript.slice(-height), ...working, ...below].join("\r\n")}\u001b[?25h`);
}

function key(each: string): void {
  if (QUESTIONS[mode] !== undefined) {
    if (each === "\r") log({ dialog: "accepted" });
    return;
  }
  if (mode === "deaf") return;
  if (each === "\r" && mode === "once") {
    mode = "quiet";
    return;
  }
  if (each === "\r" && (pasting || performance.now() - pastedAt < BURST_MS)) text += "\n";
  else if (each === "\r" && mode === "forget") {
    log({ forgot: text });
    text = "";
  } else if (each === "\r") {
    if (text !== "") transcript.push(`> ${text}`);
    log({ line: text });
    text = "";
  } else if (each === "\u007f") text = text.slice(0, -1);
  else if (each === "\u0015") text = "";
  else if (each === "\u0003") process.exit(0);
  else if (each >= " ") text += each;
}

function read(input: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal puts around a paste.
  for (const piece of input.split(/(\u001b\[200~|\u001b\[201~)/)) {
    if (piece === "\u001b[200~") pasting = true;
    else if (piece === "\u001b[201~") {
      pasting = false;
      pastedAt = performance.now();
    } else for (const each of piece) key(each);
  }
  draw();
}

let done = 0;
function obey(): void {
  const orders = fs.existsSync(control) ? fs.readFileSync(control, "utf8").split("\n").slice(0, -1) : [];
  for (const order of orders.slice(done)) {
    done += 1;
    if (order === "exit") process.exit(0);
    mode = order as typeof mode;
    draw();
    log({ mode });
  }
}

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8").on("data", read);
process.stdout.write("\u001b[?2004h");
process.stdout.on("resize", draw);
process.on("SIGTERM", () => {
  log({ ended: "SIGTERM" });
  process.exit(0);
});
setInterval(obey, 10);
setInterval(() => {
  if (mode !== "stream") return;
  transcript.push(`word ${transcript.length}`);
  draw();
}, 40);
draw();
log({ started: process.pid, part: process.env["RELAY_PART"] ?? null });
