/**
 * The thread that reads objects of git for one that waits (`object-reader.ts`): it asks one process of git, a line for each object. Git
 * prints the objects of a question together; one older than 2.36 prints one by one.
 */
import { type MessagePort, workerData } from "node:worker_threads";
import { spawnGit } from "../spawn-git.ts";

/** What the thread is given when it begins. */
export interface ThreadGiven {
  /** Where questions come from, and answers go to. */
  port: MessagePort;
  /** It becomes 1 when an answer was posted. */
  turn: Int32Array;
  cwd: string;
  /** Added to the environment. */
  extra: Record<string, string>;
}

/** A question. */
export interface Question {
  ids: string[];
  /** The bytes of a larger object are not given. */
  mostBytes: number;
}

/** The objects in the order asked for, with the places of their bytes (-1 where they are not given); or why there are none. */
export type Answer =
  | { objects: { kind: string; size: number; from: number }[]; bytes: Uint8Array }
  | { reason: string; missing: string | null };

/** What is kept for the next answer; after a larger one it is let go. */
const [HELD_BYTES, MOST_HELD_BYTES] = [1 << 18, 1 << 22];
const MOST_WORDS = 4_000;

/** How git is asked, and how a question is put to it. */
interface Way {
  args: string[];
  textOf: (ids: readonly string[]) => string;
}
const TOGETHER: Way = {
  args: ["cat-file", "--batch-command", "--buffer"],
  textOf: (ids) => `${ids.map((id) => `contents ${id}\n`).join("")}flush\n`,
};
const ONE_BY_ONE: Way = { args: ["cat-file", "--batch"], textOf: (ids) => `${ids.join("\n")}\n` };
/** Git ends with this where it does not know an option. */
const USAGE = 129;

const { port, turn, cwd, extra } = workerData as ThreadGiven;
/** What git printed and was not understood yet lies between `from` and `to`; before it the bytes of the objects of this answer. */
let held = Buffer.allocUnsafe(HELD_BYTES);
let [from, to] = [0, 0];
/** Bytes of an object that are passed over. */
let left = 0;
let objects: { kind: string; size: number; from: number }[] = [];
/** The ids that are asked for; none while nobody asks. */
let wanted: readonly string[] = [];
let mostBytes = 0;
let words = "";
/** Why git ended. */
let over: string | null = null;
let way = TOGETHER;
let git = started();

function started(): ReturnType<typeof spawnGit> | null {
  try {
    const child = spawnGit(cwd, way.args, extra);
    child.stdout.on("data", (chunk: Buffer) => {
      hold(chunk);
      read();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-MOST_WORDS);
    });
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      over = error.message;
      if (wanted.length > 0) fail(over);
    });
    child.on("close", (code) => end(code));
    return child;
  } catch (error) {
    over = (error as Error).message;
    return null;
  }
}

/** Asks an older git in the older way; of any other end tells why. */
function end(code: number | null): void {
  if (code === USAGE && way === TOGETHER && over === null) {
    [way, words] = [ONE_BY_ONE, ""];
    git = started();
    if (over === null && wanted.length > 0) git?.stdin.write(way.textOf(wanted));
  } else over ??= words.trim() === "" ? `it ended with ${code}` : words.trim();
  if (over !== null && wanted.length > 0) fail(over);
}

function answer(said: Answer): void {
  wanted = [];
  port.postMessage(said, "bytes" in said ? [said.bytes.buffer as ArrayBuffer] : []);
  Atomics.store(turn, 0, 1);
  Atomics.notify(turn, 0);
}

/** Says why there are no objects. A partial clone does not have all of them, and nothing is fetched for a look. */
const fail = (reason: string): void => answer({ reason, missing: /could not fetch ([0-9a-f]+) from promisor/.exec(reason)?.[1] ?? null });

function hold(chunk: Buffer): void {
  if (to + chunk.length > held.length) {
    const larger = Buffer.allocUnsafe(Math.max(2 * held.length, to + chunk.length));
    held.copy(larger, 0, 0, to);
    held = larger;
  }
  chunk.copy(held, to);
  to += chunk.length;
}

/** Drops what lies at a place, and gives its length. */
function drop(at: number, most: number): number {
  const dropped = Math.min(most, to - at);
  held.copy(held, at, at + dropped, to);
  to -= dropped;
  return dropped;
}

/** Takes the next object from what is held; false where more has to come, or the question was answered. */
function takeNext(): boolean {
  const end = held.subarray(from, to).indexOf(10);
  if (end === -1) return false;
  const [id = "", kind = "", said = ""] = held.toString("latin1", from, from + end).split(" ");
  if (!/^[0-9]+$/.test(said)) {
    answer({ reason: `no object ${id}`, missing: kind === "missing" ? id : null });
    return false;
  }
  const size = Number(said);
  const start = from + end + 1;
  if (size > mostBytes) {
    left = size + 1 - drop(start, size + 1);
    drop(from, end + 1);
    objects.push({ kind, size, from: -1 });
    return true;
  }
  if (to - start < size + 1) return false;
  objects.push({ kind, size, from: start });
  from = start + size + 1;
  return true;
}

function read(): void {
  while (left > 0 || objects.length < wanted.length) {
    if (left > 0) {
      left -= drop(from, left);
      if (left > 0) return;
    } else if (!takeNext()) return;
  }
  if (wanted.length === 0) return;
  const bytes = new Uint8Array(from);
  held.copy(bytes, 0, 0, from);
  answer({ objects, bytes });
}

port.on("message", (question: Question) => {
  if (over !== null) return fail(over);
  if (held.length > MOST_HELD_BYTES) held = Buffer.allocUnsafe(HELD_BYTES);
  [from, to, left, objects] = [0, 0, 0, []];
  wanted = question.ids;
  mostBytes = question.mostBytes;
  git?.stdin.write(way.textOf(wanted));
});
