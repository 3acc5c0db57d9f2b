/** Reading git's objects without checking anything out: a tree's files, their bytes, the commits of a range. SPEC.md, "Check". */
import { refuse } from "../refusal.ts";
import { git, gitEnvironment } from "./git.ts";

/** One file of a tree. */
export interface TreeFile {
  path: string;
  kind: "file" | "link" | "other";
  /** Name of its content: two files with the same have the same bytes. */
  oid: string;
  /** In bytes. */
  size: number;
}

/** One commit of a range, with the values of one trailer. */
export interface TrailedCommit {
  commit: string;
  subject: string;
  values: string[];
}

/** Bytes of requests that are on their way to git at a time; it answers in order, so more would only wait. */
const REQUESTS = 65_536;

/** The commit that a name stands for in the repository of a folder; null when there is none, or no repository. */
export async function commitOf(folder: string, name: string): Promise<string | null> {
  try {
    const printed = (await git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])).trim();
    return /^[0-9a-f]{40,64}$/.test(printed) ? printed : null;
  } catch {
    return null;
  }
}

/** Every file below a folder of a commit, by its path in that folder. @param under empty for the whole tree @throws Refusal `git_failed` */
export async function* listTree(folder: string, commit: string, under: string): AsyncGenerator<TreeFile> {
  const tree = under === "" ? commit : `${commit}:${under}`;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output(folder, ["ls-tree", "-r", "-l", "-z", "--full-tree", tree])) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, from)) {
      yield treeFile(bytes.toString("utf8", from, at));
      from = at + 1;
    }
    rest = bytes.subarray(from);
  }
}

/** `<mode> <type> <oid> <size>\t<path>`; what is no blob has the size `-`. */
function treeFile(line: string): TreeFile {
  const tab = line.indexOf("\t");
  const [mode = "", , oid = "", size = ""] = line.slice(0, tab).split(/ +/);
  const kind = mode.startsWith("100") ? "file" : mode === "120000" ? "link" : "other";
  return { path: line.slice(tab + 1), kind, oid, size: Number.parseInt(size, 10) || 0 };
}

/** The bytes of blobs, one after the other in the order asked for, by one process of git. @throws Refusal `git_failed` */
export async function* readBlobs(folder: string, oids: readonly string[]): AsyncGenerator<Buffer> {
  if (oids.length === 0) return;
  const answers = new Reader(output(folder, ["cat-file", "--batch"], oids));
  for (const oid of oids) {
    const header = (await answers.line()).split(" ");
    const size = Number(header[2]);
    if (header[0] !== oid || header[1] !== "blob" || !Number.isSafeInteger(size)) {
      await answers.end();
      throw refuse("git_failed", { command: "git cat-file --batch", reason: `no blob ${oid}: ${header.join(" ")}` });
    }
    yield await answers.bytes(size);
    await answers.bytes(1);
  }
  await answers.end();
}

/**
 * The commits of a range, merges left out, newest first, with what a trailer of theirs says.
 * @throws Refusal `git_failed`
 */
export async function trailedCommits(folder: string, range: string, trailer: string): Promise<TrailedCommit[]> {
  const format = `--format=%H%x00%s%x00%(trailers:key=${trailer},valueonly,unfold,separator=%x01)%x00`;
  const text = await git(folder, ["log", "--no-merges", format, "--end-of-options", range, "--"]);
  const fields = text.split("\0").map((field) => field.replace(/^\n/, ""));
  const commits: TrailedCommit[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [commit = "", subject = "", values = ""] = fields.slice(at, at + 3);
    commits.push({
      commit,
      subject,
      values: values
        .split("\u0001")
        .map((value) => value.trim())
        .filter((value) => value !== ""),
    });
  }
  return commits;
}

/** What a git child prints, piece by piece; it is ended when nobody reads on. @throws Refusal `git_failed` */
async function* output(folder: string, args: readonly string[], requests: readonly string[] = []): AsyncGenerator<Buffer> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn("git", args, { cwd: folder, env: gitEnvironment(process.env), stdio: ["pipe", "pipe", "pipe"] });
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
  child.stdin.on("error", () => {
    // It ended before it took all requests; its exit code and its words say why.
  });
  void ask(child.stdin, requests);
  let isWhole = false;
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    isWhole = true;
  } finally {
    if (!isWhole) child.kill();
    await closed;
  }
  if ((await closed) !== 0) throw refuse("git_failed", { command: `git ${args[0]}`, reason: reason.trim() });
}

/** Hands requests over, a line each, no faster than they are taken. */
async function ask(stdin: NodeJS.WritableStream, requests: readonly string[]): Promise<void> {
  for (let at = 0, batch = ""; at < requests.length; batch = "") {
    while (at < requests.length && batch.length < REQUESTS) batch += `${requests[at++]}\n`;
    if (!stdin.write(batch)) await taken(stdin);
  }
  stdin.end();
}

/** Waits until what was written is taken, or nobody takes it any more. */
function taken(stdin: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      stdin.off("drain", go).off("close", go);
      resolve();
    };
    stdin.on("drain", go).on("close", go);
  });
}

/** Takes lines and counted bytes out of a stream. */
class Reader {
  readonly #chunks: AsyncGenerator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  async line(): Promise<string> {
    let at = this.#held.indexOf(0x0a);
    while (at === -1 && (await this.#more())) at = this.#held.indexOf(0x0a);
    const end = at === -1 ? this.#held.length : at;
    const text = this.#held.toString("utf8", 0, end);
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
    if (done === true) return false;
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return true;
  }
}
