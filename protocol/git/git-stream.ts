/** Reads git's output while git runs, so that a large home need not fit into memory. */
import { refuse } from "../core/refusal.ts";
import { watchMemory } from "../store/process.ts";
import { zeroFields } from "./git-path.ts";
import { type Repository, startGit } from "./git-run.ts";

/** Bytes of memory that git may take, and what is called when it is ended for taking more. */
interface MemoryLimit {
  mostBytes: number;
  onOver: () => void;
}

/**
 * What git prints on a repository, piece by piece; it is ended when nobody reads on.
 * @throws Refusal `git_failed`
 */
export async function* gitStream(repository: Repository, args: readonly string[], memory?: MemoryLimit): AsyncGenerator<Buffer> {
  const child = startGit(repository, args);
  let reason = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    reason = (reason + text).slice(-2_000);
  });
  const closed = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      reason = error.message;
      resolve(null);
    });
    child.once("close", (code) => resolve(code));
  });
  child.stdin.end();
  const stopWatching =
    memory === undefined || child.pid === undefined
      ? null
      : watchMemory(child.pid, memory.mostBytes, () => {
          memory.onOver();
          child.kill("SIGKILL");
        });
  let isWhole = false;
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    isWhole = true;
  } finally {
    if (!isWhole) child.kill();
    stopWatching?.();
    await closed;
  }
  if ((await closed) !== 0) throw refuse("git_failed", { command: `git ${args[0]}`, reason: reason.trim() });
}

/**
 * What git prints, cut at every byte of zero, as many pieces at a time as git printed: a turn of the loop for each of a
 * hundred thousand costs more than reading them.
 * @throws Refusal `git_failed`
 */
export async function* gitFieldLists(repository: Repository, args: readonly string[], memory?: MemoryLimit): AsyncGenerator<string[]> {
  let pieces: Buffer[] = [];
  for await (const chunk of gitStream(repository, args, memory)) {
    const end = chunk.lastIndexOf(0);
    if (end !== -1) yield zeroFields(Buffer.concat([...pieces, chunk.subarray(0, end)]));
    if (end !== -1) pieces = [];
    if (end + 1 < chunk.length) pieces.push(chunk.subarray(end + 1));
  }
}

/** Takes lines and counted bytes out of a stream. */
export class StreamReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #isDone = false;

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  /** Whether all was read. */
  get isAtEnd(): boolean {
    return this.#isDone && this.#held.length === 0;
  }

  /** The next line; empty at the end too. @param encoding `latin1` keeps every byte */
  async line(encoding: "utf8" | "latin1" = "utf8"): Promise<string> {
    let at = this.#held.indexOf(0x0a);
    while (at === -1 && (await this.#more())) at = this.#held.indexOf(0x0a);
    const end = at === -1 ? this.#held.length : at;
    const text = this.#held.toString(encoding, 0, end);
    this.#held = this.#held.subarray(end + 1);
    return text;
  }

  async bytes(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0) {
      if (this.#held.length === 0 && !(await this.#more())) break;
      const part = this.#held.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#held = this.#held.subarray(part.length);
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Ends the stream, and with it the process. */
  async end(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) {
      this.#isDone = true;
      return false;
    }
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return true;
  }
}
