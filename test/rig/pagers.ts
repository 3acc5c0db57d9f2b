/** Pagers for tests: the real command, a stub of a rung that writes down who was nudged, and one that a test beats itself. */
import fs from "node:fs";
import path from "node:path";
import { execRung } from "../../pager/exec.ts";
import { createPager, type Pager } from "../../pager/pager.ts";
import { operations, perform, type World } from "../../protocol/index.ts";
import { homeWith, settle, worldAt } from "./home.ts";
import { startRelay } from "./processes.ts";
import { held, scratch, until } from "./scratch.ts";

/** One nudge as the stub saw it. */
export interface Nudge {
  part: string;
  wakeId: string;
  unread: number;
  home: string;
  atMs: number;
}

/** A file that a stub's nudges go to. */
export interface Bell {
  file: string;
  nudges(): Nudge[];
}

/** Makes parts be rung by a command that writes a line for each nudge; `after` is run by the shell once it has written. */
export async function bellFor(folder: string, parts: readonly string[], after = "true"): Promise<Bell> {
  const file = path.join(scratch(), "nudges");
  fs.writeFileSync(file, "");
  const script = `echo "$RELAY_PART $RELAY_WAKE_ID $RELAY_UNREAD $RELAY_HOME $(date +%s%N)" >> '${file}'; ${after}`;
  for (const part of parts) {
    await perform(worldAt(folder), operations.part_deliver, { part, deliver: "exec", argv: ["sh", "-c", script] });
  }
  return {
    file,
    nudges: () =>
      fs
        .readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [part = "", wakeId = "", unread = "", home = "", at = ""] = line.split(" ");
          return { part, wakeId, unread: Number(unread), home, atMs: Number(at) / 1e6 };
        }),
  };
}

/** Sets the home's policy: lines under `wake:`. */
export function setPolicy(folder: string, lines: string): void {
  const file = path.join(folder, ".relay/relay.yml");
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^wake:[\s\S]*/m, ""));
  settle(folder, `wake: ${lines}\n`);
}

/** A real pager that runs. */
export interface RunningPager {
  pid: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was logged.
  lines: any[];
  /** Waits for a line of its log. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  said(type: string): Promise<any>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it gently; gives its exit code. */
  end(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Starts `relay pager`, and waits until it has scanned the home and watches. */
export async function startPager(folder: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<RunningPager> {
  const child = startRelay(folder, ["pager", "--json", ...args], env);
  return follow(child);
}

/** Follows a process that prints a pager's log, until it has started. */
export async function follow(child: ReturnType<typeof startRelay>): Promise<RunningPager> {
  const lines: Record<string, unknown>[] = [];
  let rest = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const whole = (rest + text).split("\n");
    rest = whole.pop() as string;
    for (const line of whole) lines.push(JSON.parse(line));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const gone = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const pager: RunningPager = {
    pid: child.pid as number,
    lines,
    said: (type) =>
      until(`the pager says ${type}; it said ${JSON.stringify(lines)} ${stderr}`, () => lines.find((line) => line["type"] === type)),
    signal: (signal) => void child.kill(signal),
    async end() {
      child.kill("SIGTERM");
      return gone;
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
  await pager.said("started");
  return pager;
}

/** A home with parts that a bell is rung for, a pager that the test beats, and the clock of both, which it holds. */
export async function heldRoom(...parts: string[]) {
  const folder = await homeWith(...parts);
  const bell = await bellFor(folder, parts);
  const clock = held();
  const at = (part?: string): World => worldAt(folder, { part, now: clock.now });
  const send = (to: string, more: object = {}) =>
    perform(at("main"), operations.send, { to: [to], subject: "s", body: "b", ...more }) as Promise<{
      messageId: string;
      threadId: string;
      recipients: object[];
    }>;
  return { folder, home: path.join(folder, ".relay"), bell, clock, at, send, ...heldPager(at()) };
}

/** A pager in this process, on a world whose clock the test holds: a beat is one scan, and all that follows from it. */
export function heldPager(world: World): { pager: Pager; told: Record<string, unknown>[]; beat(): Promise<void> } {
  const told: Record<string, unknown>[] = [];
  const tell = (type: string, more: Record<string, unknown>): void => void told.push({ type, ...more });
  const pager = createPager({ world, rungs: [execRung(world)], parts: null, once: true, tell });
  return {
    pager,
    told,
    async beat() {
      await pager.scan();
      await pager.idle();
    },
  };
}
