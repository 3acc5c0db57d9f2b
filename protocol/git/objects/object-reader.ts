/**
 * Objects of a repository, read while the caller waits: operations read files synchronously, and an earlier record is read as files
 * are. One thread feeds one process of git, which stays for the next question and ends when none comes.
 */
import fs from "node:fs";
import type { MessagePort, Worker } from "node:worker_threads";
import { refuse } from "../../core/refusal.ts";
import { builtFile } from "../../store/built-file.ts";
import type { GitObject, ObjectSource } from "../../store/read/recorded-objects.ts";
import type { Repository } from "../git-run.ts";
import type { Answer, Question, ThreadGiven } from "./object-thread.ts";

/** The young part of the thread's memory, in megabytes: it only hands on what git prints, and V8 would let it grow to many times as much. */
const YOUNG_MB = 4;
/** A thread with nothing to read ends after so long. */
const IDLE_MS = 2_000;
/** Git waits for the disk alone; this only ends one that hangs. */
const WAIT_MS = 60_000;

const threads = (): typeof import("node:worker_threads") => process.getBuiltinModule("node:worker_threads");

/** The program of the thread. Without it nobody would answer, so it is looked for first. @throws Refusal `internal` */
function threadFile(): string {
  const file = builtFile("object-thread.js");
  if (!fs.existsSync(file)) throw refuse("internal", { reason: `${file} is missing; install Relay again` });
  return file;
}

/** Reads the objects of one repository. */
export class ObjectReader implements ObjectSource {
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
   * @throws Refusal `missing_object`, `git_failed`
   */
  read(ids: readonly string[], most: number): GitObject[] {
    if (ids.length === 0) return [];
    this.#thread ??= this.#start();
    Atomics.store(this.#turn, 0, 0);
    this.#thread.port.postMessage({ ids: [...ids], mostBytes: most } satisfies Question);
    const isInTime = Atomics.wait(this.#turn, 0, 0, WAIT_MS) !== "timed-out";
    const answer = isInTime ? (threads().receiveMessageOnPort(this.#thread.port)?.message as Answer | undefined) : undefined;
    this.#endLater();
    if (answer === undefined || "reason" in answer) {
      this.end();
      if (answer?.missing) throw refuse("missing_object", { object: answer.missing, repository: this.#repository.gitDir });
      throw refuse("git_failed", { command: "git cat-file --batch", reason: answer?.reason ?? "it does not answer" });
    }
    const bytes = Buffer.from(answer.bytes.buffer);
    return answer.objects.map(({ kind, size, from }) => ({ kind, size, bytes: from === -1 ? null : bytes.subarray(from, from + size) }));
  }

  /** Starts the thread and git before the first question, so that whoever asks it does not wait for them. */
  begin(): void {
    this.#thread ??= this.#start();
    this.#endLater();
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
    const { MessageChannel, Worker } = threads();
    const { port1: port, port2 } = new MessageChannel();
    const given: ThreadGiven = { port: port2, turn: this.#turn, repository: this.#repository };
    const worker = new Worker(threadFile(), {
      workerData: given,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
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
