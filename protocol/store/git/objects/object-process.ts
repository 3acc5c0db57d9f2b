/**
 * Questions about a repository that one step asks again and again: about its objects they go to one process of git, which stays for as
 * long as the step runs, because starting git costs more than its answers. Before git 2.36, and outside of a step, there is no such process.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { type Repository, startGit } from "../git-run.ts";
import { StreamReader } from "../git-stream.ts";

/** An object as git gives it. */
export interface ObjectGiven {
  id: string;
  kind: string;
  size: number;
  /** Empty where only the facts were asked for. */
  bytes: Buffer;
}

/** What was asked for, in its order; null for each that is not there. */
export type ObjectsGiven = readonly (ObjectGiven | null)[];

/** What is held for the steps that run on a repository. */
interface Held {
  steps: number;
  git: ObjectProcess | null;
  /** Git does not know how to be asked. */
  isOld: boolean;
  answers: Map<string, Promise<unknown>>;
}

/** By git directory. */
const held = new Map<string, Held>();

/** Runs a step; what it asks about the repository's objects is asked of one process of git, which ends with it. */
export async function whileAsking<T>({ gitDir }: Repository, step: () => Promise<T>): Promise<T> {
  const own = held.get(gitDir) ?? { steps: 0, git: null, isOld: false, answers: new Map() };
  held.set(gitDir, own);
  own.steps += 1;
  try {
    return await step();
  } finally {
    own.steps -= 1;
    if (own.steps === 0) {
      held.delete(gitDir);
      await own.git?.end();
    }
  }
}

/** The answer to a question that is asked once as long as a step runs on a repository. */
export function askedOnce<T>(gitDir: string, question: string, ask: () => Promise<T>): Promise<T> {
  const answers = held.get(gitDir)?.answers;
  const answer = (answers?.get(question) as Promise<T> | undefined) ?? ask();
  answers?.set(question, answer);
  return answer;
}

/** So many objects, and bytes of them, are held in memory together. */
const FEW = 1_000;
const FEW_BYTES = 1_048_576;

/**
 * What objects are, in the order of their names.
 * @returns null where another process of git must be asked
 */
export async function objectFacts(repository: Repository, names: readonly string[]): Promise<ObjectsGiven | null> {
  return names.length > FEW ? null : ask(repository, "info", names);
}

/** The same with their bytes, where all of them together are small. */
export async function smallObjects(repository: Repository, names: readonly string[]): Promise<ObjectsGiven | null> {
  const facts = await objectFacts(repository, names);
  const bytes = facts?.reduce((sum, each) => sum + (each?.size ?? 0), 0) ?? Number.POSITIVE_INFINITY;
  return bytes > FEW_BYTES ? null : ask(repository, "contents", names);
}

async function ask(repository: Repository, verb: Verb, names: readonly string[]): Promise<ObjectsGiven | null> {
  const own = held.get(repository.gitDir);
  // A name is a line.
  if (own === undefined || own.isOld || names.some((name) => name.includes("\n"))) return null;
  const git = own.git ?? new ObjectProcess(repository);
  own.git = git;
  const answer = await git.ask(verb, names);
  if (answer !== null) return answer;
  own.isOld ||= (await git.end()) === USAGE;
  if (own.git === git) own.git = null;
  return null;
}

type Verb = "info" | "contents";
/** Git ends with this where it does not know an option. */
const USAGE = 129;

/** One process of git that answers questions in their order. */
class ObjectProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: StreamReader;
  readonly #closed: Promise<number | null>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(repository: Repository) {
    this.#child = startGit(repository, ["cat-file", "--batch-command", "--buffer"]);
    // Why it fails is told by the process that is asked in its place.
    for (const stream of [this.#child, this.#child.stdin]) stream.on("error", () => {});
    this.#child.stderr.resume();
    this.#closed = once(this.#child, "close").then(
      ([code]) => code as number | null,
      () => null,
    );
    this.#answers = new StreamReader(chunksOf(this.#child));
  }

  /** @returns null where the process ended */
  ask(verb: Verb, names: readonly string[]): Promise<ObjectsGiven | null> {
    const answer = this.#last.then(() => this.#put(verb, names)).catch(() => null);
    this.#last = answer;
    return answer;
  }

  /** Ends the process, whatever it does. @returns its exit code; null where it has none */
  end(): Promise<number | null> {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // Gone already.
    }
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.destroy();
    return this.#closed;
  }

  async #put(verb: Verb, names: readonly string[]): Promise<ObjectsGiven | null> {
    this.#child.stdin.write(`${names.map((name) => `${verb} ${name}\n`).join("")}flush\n`);
    const given: (ObjectGiven | null)[] = [];
    for (const _ of names) {
      const header = await this.#answers.line();
      // The last line of a process that ended may be cut.
      if (this.#answers.isAtEnd) return null;
      // `<id> <kind> <size>`, or the name and `missing`.
      const [, id, kind = "", size = ""] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
      // A line break ends the bytes.
      const length = id !== undefined && verb === "contents" ? Number(size) + 1 : 0;
      const bytes = await this.#answers.bytes(length);
      if (bytes.length < length) return null;
      given.push(id === undefined ? null : { id, kind, size: Number(size), bytes: bytes.subarray(0, -1) });
    }
    return given;
  }
}

async function* chunksOf({ stdout }: ChildProcessWithoutNullStreams): AsyncGenerator<Buffer> {
  for await (const chunk of stdout) yield chunk as Buffer;
}
