/**
 * Objects of a repository, read while the caller waits: operations read files synchronously, and an earlier record is read as files
 * are. One thread feeds one process of git, which stays for the next question and ends when none comes.
 */
import type { MessagePort, Worker } from "node:worker_threads";
import { refuse } from "../../refusal.ts";
import { gitEnvironment } from "./git-environment.ts";
import type { Repository } from "./git-run.ts";

/** An object of git. */
export interface GitObject {
  kind: string;
  /** In bytes. */
  size: number;
  /** Null where it is larger than what is held in memory. */
  bytes: Buffer | null;
}

/** What the thread answers: the objects in the order asked for, with the places of their bytes, or why there are none. */
type Answer = { objects: { kind: string; size: number; from: number }[]; bytes: Uint8Array } | { reason: string };

/** The program of the thread: it asks git for objects by their ids, a line each, and answers when it has them all. */
const PROGRAM = `
const { workerData: { port, turn, command, args, cwd, env } } = process.getBuiltinModule("node:worker_threads");
const git = process.getBuiltinModule("node:child_process").spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
let held = Buffer.allocUnsafe(1 << 18), from = 0, to = 0, left = 0, objects = [], wanted = 0, mostBytes = 0, over = null;
function answer(said) { wanted = 0; port.postMessage(said); Atomics.store(turn, 0, 1); Atomics.notify(turn, 0); }
function add(chunk) {
  if (to + chunk.length > held.length) {
    const larger = Buffer.allocUnsafe(Math.max(2 * held.length, to + chunk.length));
    held.copy(larger, 0, 0, to);
    held = larger;
  }
  chunk.copy(held, to);
  to += chunk.length;
}
function read() {
  while (left > 0 || objects.length < wanted) {
    if (left > 0) {
      const skipped = Math.min(left, to - from);
      held.copy(held, from, from + skipped, to);
      left -= skipped;
      to -= skipped;
      if (left > 0) return;
      continue;
    }
    const end = held.subarray(from, to).indexOf(10);
    if (end === -1) return;
    const [id, kind, said] = held.toString("latin1", from, from + end).split(" ");
    const size = Number(said);
    if (!/^[0-9]+$/.test(said ?? "")) return answer({ reason: "no object " + id });
    if (size > mostBytes) {
      const start = from + end + 1;
      const there = Math.min(size + 1, to - start);
      held.copy(held, from, start + there, to);
      to -= end + 1 + there;
      left = size + 1 - there;
      objects.push({ kind, size, from: -1 });
    } else {
      if (to - from < end + 1 + size + 1) return;
      objects.push({ kind, size, from: from + end + 1 });
      from += end + 1 + size + 1;
    }
  }
  if (wanted === 0) return;
  const bytes = new Uint8Array(from);
  held.copy(bytes, 0, 0, from);
  answer({ objects, bytes });
}
git.stdout.on("data", (chunk) => { add(chunk); read(); });
git.stdin.on("error", () => {});
git.on("error", (error) => { over = error.message; if (wanted > 0) answer({ reason: over }); });
git.on("close", (code) => { over ??= "it ended with " + code; if (wanted > 0) answer({ reason: over }); });
port.on("message", ({ ids, count, most }) => {
  if (over !== null) return answer({ reason: over });
  if (held.length > 1 << 22) held = Buffer.allocUnsafe(1 << 18);
  from = to = left = 0; objects = []; wanted = count; mostBytes = most;
  git.stdin.write(ids + "\\n");
});
`;

/** A thread with nothing to read ends after so long. */
const IDLE_MS = 2_000;
/** Git waits for the disk alone; this only ends one that hangs. */
const WAIT_MS = 60_000;

const threads = (): typeof import("node:worker_threads") => process.getBuiltinModule("node:worker_threads");

/** Reads the objects of one repository. */
export class ObjectReader {
  readonly #repository: Repository;
  readonly #turn = new Int32Array(new SharedArrayBuffer(4));
  #thread: { worker: Worker; port: MessagePort } | null = null;
  #idle: NodeJS.Timeout | null = null;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * The objects of some ids, in their order.
   * @param most the bytes of a larger object are not held; its size is known all the same
   * @throws Refusal `git_failed`, also where one is missing
   */
  read(ids: readonly string[], most: number): GitObject[] {
    if (ids.length === 0) return [];
    this.#thread ??= this.#start();
    Atomics.store(this.#turn, 0, 0);
    this.#thread.port.postMessage({ ids: ids.join("\n"), count: ids.length, most });
    const isInTime = Atomics.wait(this.#turn, 0, 0, WAIT_MS) !== "timed-out";
    const answer = isInTime ? (threads().receiveMessageOnPort(this.#thread.port)?.message as Answer | undefined) : undefined;
    this.#endLater();
    if (answer === undefined || "reason" in answer) {
      this.end();
      throw refuse("git_failed", { command: "git cat-file --batch", reason: answer?.reason ?? "it does not answer" });
    }
    const bytes = Buffer.from(answer.bytes.buffer);
    return answer.objects.map(({ kind, size, from }) => ({ kind, size, bytes: from === -1 ? null : bytes.subarray(from, from + size) }));
  }

  /** Ends the thread and git; the next question starts them again. */
  end(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#thread?.port.close();
    void this.#thread?.worker.terminate();
    this.#thread = null;
  }

  #start(): { worker: Worker; port: MessagePort } {
    const { gitDir, workTree } = this.#repository;
    const { MessageChannel, Worker } = threads();
    const { port1: port, port2 } = new MessageChannel();
    const env = gitEnvironment(process.env, { GIT_DIR: gitDir, GIT_WORK_TREE: workTree });
    const asked = { command: "git", args: ["cat-file", "--batch"], cwd: gitDir, env };
    const worker = new Worker(PROGRAM, { eval: true, workerData: { ...asked, port: port2, turn: this.#turn }, transferList: [port2] });
    worker.on("error", () => {});
    worker.unref();
    port.unref();
    return { worker, port };
  }

  #endLater(): void {
    if (this.#idle === null) this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
    else this.#idle.refresh();
  }
}
