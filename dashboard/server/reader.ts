/**
 * Answers long questions (a search, an earlier moment, the check of a whole home) in a thread of their own: whoever asks for a list
 * meanwhile does not wait for them. The thread begins with the first such question, and ends when none came for some minutes.
 */
import { Worker } from "node:worker_threads";
import { builtFile } from "../../protocol/store/built-file.ts";
import type { Page } from "./page.ts";
import type { FromThread, ToThread } from "./reader-thread.ts";

/** An answer as it is sent: the body is JSON. */
export interface Sent {
  status: number;
  body: string;
}

/** What was read last is kept for so long. */
const IDLE_MS = 300_000;
/** The young part of its memory; V8 would let it grow to three times as much. */
const YOUNG_MB = 4;
const FAILED: Sent = { status: 500, body: JSON.stringify({ success: false, error: "The server failed." }) };

/** The thread, while there is one. */
export class Reader {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, (sent: Sent) => void>();
  #asked = 0;
  #idle: NodeJS.Timeout | null = null;

  /**
   * Asks an operation that reads.
   * @param at the moment: a commit, or an instant; null for now
   * @param signal aborts when nobody waits for the answer any more
   */
  ask(page: Page, operation: string, given: unknown, at: string | null, signal: AbortSignal): Promise<Sent> {
    this.#asked += 1;
    const id = this.#asked;
    const worker = this.#started(page.reader.env);
    signal.addEventListener("abort", () => this.#waiting.has(id) && worker.postMessage({ cancel: id } satisfies ToThread), { once: true });
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      worker.postMessage({ id, root: page.root, part: page.part, operation, given, at } satisfies ToThread);
    });
  }

  /** Ends the thread; what was asked is answered as failed. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#forget();
    await worker?.terminate();
  }

  #started(env: Page["reader"]["env"]): Worker {
    if (this.#idle === null)
      this.#idle = setTimeout(() => void (this.#waiting.size === 0 ? this.close() : this.#idle?.refresh()), IDLE_MS).unref();
    else this.#idle.refresh();
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(builtFile("dashboard-reader.js"), {
      env: { ...env },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on("message", ({ id, ...sent }: FromThread) => {
      this.#waiting.get(id)?.(sent);
      this.#waiting.delete(id);
    });
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (this.#worker === worker) this.#forget();
    });
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #forget(): void {
    this.#worker = null;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    for (const resolve of this.#waiting.values()) resolve(FAILED);
    this.#waiting.clear();
  }
}
