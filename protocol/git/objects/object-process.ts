/**
 * Objects of a repository, asked of one process of git. A step that asks again and again keeps that process until it ends, because
 * starting git costs more than its answers; outside of a step each question has one of its own. spec/git.md, "Git".
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { refuse } from "../../core/refusal.ts";
import { watchGit } from "../endless-files.ts";
import { type Repository, startGit } from "../git-run.ts";
import { StreamReader } from "../git-stream.ts";

/** Id, kind (`blob`, `tree`, `commit`, `tag`) and size in bytes of an object. */
export interface ObjectFacts {
  id: string;
  kind: string;
  size: number;
}

/** An object with its bytes; null where it is larger than what was asked for. */
export interface ObjectGiven extends ObjectFacts {
  bytes: Buffer | null;
}

/** Processes and answers that the running steps of a repository share. */
interface Held {
  /** Number of steps that run; the processes end with the last one. */
  steps: number;
  /** By the arguments that they were started with. */
  processes: Map<string, ObjectProcess>;
  /** True once git said that it does not answer both kinds of question. */
  isOld: boolean;
  answers: Map<string, Promise<unknown>>;
}

/** By git directory. */
const held = new Map<string, Held>();
const nothingHeld = (): Held => ({ steps: 0, processes: new Map(), isOld: false, answers: new Map() });

/** Runs a step, and ends what its questions started. @returns what the step returns */
export async function whileAsking<T>({ gitDir }: Repository, step: () => Promise<T>): Promise<T> {
  const own = held.get(gitDir) ?? nothingHeld();
  held.set(gitDir, own);
  own.steps += 1;
  try {
    return await step();
  } finally {
    own.steps -= 1;
    if (own.steps === 0) {
      held.delete(gitDir);
      await endAll(own);
    }
  }
}

const endAll = ({ processes }: Held): Promise<unknown> => Promise.all([...processes.values()].map((each) => each.end()));

/** The answer to a question that is asked once while a step runs on a repository. @param ask gives it */
export function askedOnce<T>(gitDir: string, question: string, ask: () => Promise<T>): Promise<T> {
  const answers = held.get(gitDir)?.answers;
  const answer = (answers?.get(question) as Promise<T> | undefined) ?? ask();
  answers?.set(question, answer);
  return answer;
}

/** Number of names in one question. */
const NAMES = 1_000;
/** Bytes of objects that are held in memory together; a larger one is held alone. */
const HELD_BYTES = 1_048_576;

/**
 * The facts of objects in the order of their names; null for a name that stands for no object.
 * @param names as git takes them: ids, refs, `<commit>:<path>`, `<name>^{commit}`
 * @throws Refusal `git_failed`
 */
export async function factsOf(repository: Repository, names: readonly string[]): Promise<(ObjectFacts | null)[]> {
  const own = held.get(repository.gitDir) ?? nothingHeld();
  try {
    const facts: (ObjectFacts | null)[] = [];
    for (let at = 0; at < names.length; at += NAMES) facts.push(...(await ask(own, repository, "info", names.slice(at, at + NAMES))));
    return facts;
  } finally {
    if (own.steps === 0) await endAll(own);
  }
}

/**
 * Objects with their bytes in the order of their names, as `factsOf`.
 * @param mostBytes the bytes of larger ones are not read
 * @throws Refusal `git_failed`
 */
export async function* objectsOf(
  repository: Repository,
  names: readonly string[],
  mostBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<ObjectGiven | null> {
  const own = held.get(repository.gitDir) ?? nothingHeld();
  try {
    for (let at = 0; at < names.length; at += NAMES)
      for (const facts of groupsOf(await ask(own, repository, "info", names.slice(at, at + NAMES)), mostBytes)) {
        const wanted = facts.flatMap((each) => (each === null || each.size > mostBytes ? [] : each.id));
        const given = await ask(own, repository, "contents", wanted);
        for (const each of facts) yield each === null ? null : each.size > mostBytes ? { ...each, bytes: null } : (given.shift() ?? null);
      }
  } finally {
    if (own.steps === 0) await endAll(own);
  }
}

/** Cuts a list of objects where those before would take too much memory. */
function* groupsOf(all: readonly (ObjectFacts | null)[], mostBytes: number): Generator<(ObjectFacts | null)[]> {
  let [group, bytes]: [(ObjectFacts | null)[], number] = [[], 0];
  for (const each of all) {
    const size = each === null || each.size > mostBytes ? 0 : each.size;
    if (bytes > 0 && bytes + size > HELD_BYTES) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(each);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

type Verb = "info" | "contents";
/** Arguments of a process that answers both; git before 2.36 ends with `USAGE`, and has one process for each. */
const BOTH = "--batch-command --buffer";
const EACH = { info: "--batch-check", contents: "--batch" } as const;
const USAGE = 129;
/** Number of processes that may die before an answer; what a step that is over still asks is not asked again. */
const TRIES = 2;

async function ask(own: Held, repository: Repository, verb: Verb, names: readonly string[]): Promise<(ObjectGiven | null)[]> {
  const { processes } = own;
  const isInStep = own.steps > 0;
  // A name is a line, so one that has a line break stands for nothing.
  const asked = names.filter((name) => !name.includes("\n"));
  for (let died = 0; asked.length > 0; ) {
    const args = own.isOld ? EACH[verb] : BOTH;
    const git = processes.get(args) ?? new ObjectProcess(repository, args);
    processes.set(args, git);
    let heldUp: string | null = null;
    const unwatch = watchGit(repository.workTree, repository.gitDir, (reason) => {
      heldUp = reason;
      void git.end();
    });
    const answer = await git.ask(verb, args === BOTH ? [...asked.map((name) => `${verb} ${name}`), "flush"] : asked, asked.length);
    unwatch();
    if (answer !== null) return names.map((name) => (name.includes("\n") ? null : (answer.shift() ?? null)));
    const code = await git.end();
    if (processes.get(args) === git) processes.delete(args);
    if (heldUp !== null) throw refuse("git_failed", { command: "git cat-file", reason: heldUp });
    if (code === USAGE && args === BOTH) own.isOld = true;
    else if (++died === TRIES || (isInStep && own.steps === 0))
      throw refuse("git_failed", { command: "git cat-file", reason: git.words || `it ended with ${code ?? "a signal"}` });
  }
  return names.map(() => null);
}

/** One process of git that answers questions in their order. */
class ObjectProcess {
  /** The last of what it said of itself. */
  words = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: StreamReader;
  readonly #closed: Promise<number | null>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(repository: Repository, args: string) {
    this.#child = startGit(repository, ["cat-file", ...args.split(" ")]);
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.words = (this.words + text).slice(-2_000).trimStart();
    });
    this.#closed = once(this.#child, "close").then(
      ([code]) => code as number | null,
      (error: Error) => {
        this.words = error.message;
        return null;
      },
    );
    this.#answers = new StreamReader(chunksOf(this.#child));
  }

  /** Puts lines to it, and reads so many answers; null where the process ended before. */
  ask(verb: Verb, lines: readonly string[], count: number): Promise<(ObjectGiven | null)[] | null> {
    const answer = this.#last.then(() => this.#put(verb, lines, count)).catch(() => null);
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

  async #put(verb: Verb, lines: readonly string[], count: number): Promise<(ObjectGiven | null)[] | null> {
    this.#child.stdin.write(lines.map((line) => `${line}\n`).join(""));
    const given: (ObjectGiven | null)[] = [];
    while (given.length < count) {
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
