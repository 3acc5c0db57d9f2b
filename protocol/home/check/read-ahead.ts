/**
 * Reads the messages of a large home in a thread of its own, while the check lists the home: two cores do what one did. The thread only
 * says which messages are sound. The check reads all others itself, so that every finding is made in one place, and a thread that
 * fails costs time and changes nothing. spec/check.md, "Check".
 */
import type { MessagePort, Worker } from "node:worker_threads";
import { builtFile } from "../../store/built-file.ts";
import type { Store } from "../../store/root.ts";
import type { SnapshotFile } from "../git/home-reader.ts";
import type { Answer, Batch, ThreadGiven } from "./read-ahead-thread.ts";
import { recipientsOfSound } from "./sound-message.ts";
import { MOST_BATCHES, noneTaken, seenCount, take, waitForSeen } from "./taken-batches.ts";

/** From so many messages on a thread is worth its start. */
export const WORTH_A_THREAD = 5_000;
/** Files of a batch. */
const BATCH = 500;
/** So many batches wait for the thread at the most, so that they fill no memory. */
const WAITING = 32;
/** A batch takes some 30 ms; what a thread does not answer in so long, the check reads itself. */
const PATIENCE_MS = 2_000;

const threads = (): typeof import("node:worker_threads") => process.getBuiltinModule("node:worker_threads");

/** The messages of a home, read ahead. */
export class ReadAhead {
  readonly #store: Store;
  readonly #from: number;
  /** How many files a batch has. */
  readonly #size: number;
  readonly #batches: SnapshotFile[][] = [];
  #last: SnapshotFile[] = [];
  readonly #taken = noneTaken();
  readonly #sound = new Map<SnapshotFile, string>();
  #thread: { worker: Worker; port: MessagePort } | null = null;
  #handed = 0;

  /** @param from so many messages start the thread */
  constructor(store: Store, from: number) {
    this.#store = store;
    this.#from = from;
    this.#size = Math.min(BATCH, from);
  }

  /** How many batches the thread has seen. */
  get seen(): number {
    return seenCount(this.#taken);
  }

  /** Takes note of files as they are listed: what may be a message is read. */
  add(files: readonly SnapshotFile[]): void {
    for (const file of files) {
      if (file.kind !== "file" || !file.path.startsWith("threads/") || !file.path.endsWith(".md")) continue;
      this.#last.push(file);
      if (this.#last.length < this.#size || this.#batches.length === MOST_BATCHES) continue;
      this.#batches.push(this.#last);
      this.#last = [];
    }
    if (this.#thread === null && this.#count >= this.#from) this.#thread = this.#start();
    this.#hand();
  }

  /**
   * Reads what the thread has not begun, and waits for the rest.
   * @param progress hears how far it is, in words
   * @returns who a message is to, by its file; undefined of one that is not known to be sound
   */
  finish(progress: (at: string) => void): (file: SnapshotFile) => readonly string[] | undefined {
    if (this.#thread !== null) {
      let owed = this.#batches.length;
      // The thread begins with the first, this one with the last.
      for (let at = this.#batches.length - 1; at >= 0; at -= 1) {
        this.#hand();
        if (!take(this.#taken, at)) continue;
        owed -= 1;
        this.#note(at, this.#read(at));
        const done = Math.min(this.#batches.length - owed + this.seen, this.#batches.length);
        progress(`${done * this.#size} of ${this.#count} messages`);
      }
      this.#await(owed);
    }
    return (file) => this.#sound.get(file)?.split("\n");
  }

  /** Ends the thread. */
  end(): void {
    this.#thread?.port.close();
    void this.#thread?.worker.terminate();
    this.#thread = null;
  }

  /** How many files are in batches. */
  get #count(): number {
    return this.#batches.length * this.#size;
  }

  #start(): { worker: Worker; port: MessagePort } {
    const { MessageChannel, Worker } = threads();
    const { port1: port, port2 } = new MessageChannel();
    const given: ThreadGiven = { root: this.#store.root, port: port2, taken: this.#taken };
    const worker = new Worker(builtFile("check-reader.js"), { workerData: given, transferList: [port2] });
    worker.on("error", () => {});
    worker.unref();
    port.unref();
    return { worker, port };
  }

  /** Gives the thread as many batches as may wait for it. */
  #hand(): void {
    while (this.#thread !== null && this.#handed < this.#batches.length && this.#handed - seenCount(this.#taken) < WAITING) {
      const files = this.#batches[this.#handed] as SnapshotFile[];
      const batch: Batch = { at: this.#handed, paths: files.map(({ path }) => path), sizes: files.map(({ size }) => size) };
      this.#thread.port.postMessage(batch);
      this.#handed += 1;
    }
  }

  #read(at: number): (string | null)[] {
    const files = this.#batches[at] as SnapshotFile[];
    return files.map(({ path, size }) => recipientsOfSound(this.#store, path, size)?.join("\n") ?? null);
  }

  #note(at: number, to: readonly (string | null)[]): void {
    (this.#batches[at] as SnapshotFile[]).forEach((file, each) => {
      if (typeof to[each] === "string") this.#sound.set(file, to[each]);
    });
  }

  /** Notes what the thread answered, and waits for what it still has to. What it does not answer is not known to be sound. @param owed how many batches it took */
  #await(owed: number): void {
    for (let answered = 0; ; ) {
      const seen = seenCount(this.#taken);
      for (let answer = this.#answer(); answer !== undefined; answer = this.#answer()) {
        this.#note(answer.at, answer.to);
        answered += 1;
      }
      if (answered === owed || !waitForSeen(this.#taken, seen, PATIENCE_MS)) return;
    }
  }

  #answer(): Answer | undefined {
    return this.#thread === null ? undefined : threads().receiveMessageOnPort(this.#thread.port)?.message;
  }
}
