/** Objects and refs of a home's repository. Every list is fed to one process, because starting git costs more than its work. */
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../../refusal.ts";
import { zeroFields } from "./git-path.ts";
import { failureOf, gitBytes, gitResult, gitText, type Repository } from "./git-run.ts";
import { gitFieldLists, gitStream, Reader } from "./git-stream.ts";

/** A path that differs between two trees; null where one has none. Modes are git's, such as `100644`; of nothing, zeros. */
export interface Change {
  path: string;
  before: string | null;
  after: string | null;
  /** What it is afterwards. */
  mode: string;
  /** What it was, where somebody asked git. */
  oldMode?: string;
}

/** A file of a tree. */
export interface TreeFile {
  path: string;
  /** Name of its content: two files with the same have the same bytes. */
  id: string;
  /** Git's, such as `100644`. */
  mode: string;
  /** In bytes; 0 of what is no blob, and where sizes were not asked for. */
  size: number;
}

/** One commit of a range, with the values of one trailer. */
export interface TrailedCommit {
  commit: string;
  subject: string;
  values: string[];
}

/** Git holds a lock of a ref for moments; an older one was left by a killed process. */
const STALE_LOCK_MS = 10_000;
const LOCK_TRIES = 400;
const NONE = /^0+$/;

/** What `--raw -z` printed. */
export function parseRaw(out: Buffer): Change[] {
  const fields = zeroFields(out);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", before = "", after = ""] = (fields[at] as string).slice(1).split(" ");
    changes.push({ path: fields[at + 1] as string, before: idOrNull(before), after: idOrNull(after), mode, oldMode });
  }
  return changes;
}

const idOrNull = (id: string): string | null => (NONE.test(id) ? null : id);

/** Every path that differs between two trees or commits. */
export async function diffTrees(repository: Repository, from: string, to: string): Promise<Change[]> {
  return parseRaw(await gitBytes(repository, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to]));
}

/**
 * Every file of a tree or commit. Sizes cost a look at every object.
 * @param under a folder whose files alone are listed, by their paths in it; empty for the whole tree
 * @throws Refusal `git_failed`
 */
export async function* listTree(
  repository: Repository,
  tree: string,
  { under = "", sizes = false }: { under?: string; sizes?: boolean } = {},
): AsyncGenerator<TreeFile> {
  for await (const files of listTreeAtOnce(repository, tree, { under, sizes })) yield* files;
}

/** The same, as many at a time as git printed, for whoever reads whole trees. @throws Refusal `git_failed` */
export async function* listTreeAtOnce(
  repository: Repository,
  tree: string,
  { under = "", sizes = false }: { under?: string; sizes?: boolean } = {},
): AsyncGenerator<TreeFile[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", ...(sizes ? ["-l"] : []), under === "" ? tree : `${tree}:${under}`];
  for await (const lines of gitFieldLists(repository, args)) {
    yield lines.map((line) => {
      // `<mode> <type> <id>[ <size>]`, a tab, the path.
      const tab = line.indexOf("\t");
      const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
      const size = sizes ? Number.parseInt(line.slice(line.lastIndexOf(" ", tab) + 1, tab), 10) || 0 : 0;
      return { path: line.slice(tab + 1), id, mode, size };
    });
  }
}

/** Whether a commit has a file or folder. */
export async function hasPath(repository: Repository, commit: string, path: string): Promise<boolean> {
  return (await gitResult(repository, ["cat-file", "-e", `${commit}:${path}`])).code === 0;
}

/** The tree without files. */
export async function emptyTree(repository: Repository): Promise<string> {
  // Git knows it without anybody writing it.
  return gitText(repository, ["hash-object", "-t", "tree", "--stdin"]);
}

/** The commit that a name stands for; null when there is none. */
export async function resolveCommit(repository: Repository, name: string): Promise<string | null> {
  const { code, out } = await gitResult(repository, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  return code === 0 ? out.toString("utf8").trim() : null;
}

/** The commits that refs name. @param pattern such as `refs/remotes/<remote>/relay` */
export async function commitsOf(repository: Repository, pattern: string): Promise<string[]> {
  const out = await gitText(repository, ["for-each-ref", "--format=%(objectname)", pattern]);
  return [...new Set(out.split("\n"))].filter((commit) => commit !== "");
}

/** The newest commits that one has and another has not, and how many there are. @param most so many are named */
export async function commitsBetween(
  repository: Repository,
  from: string,
  to: string,
  most: number,
): Promise<{ newest: string[]; count: number }> {
  const range = ["--end-of-options", to, `^${from}`];
  const count = Number(await gitText(repository, ["rev-list", "--count", ...range]));
  if (count === 0) return { newest: [], count };
  return { newest: (await gitText(repository, ["rev-list", `--max-count=${most}`, "--topo-order", ...range])).split("\n"), count };
}

/** Whether a commit is another, or one of those before it. */
export async function isAncestor(repository: Repository, earlier: string, later: string): Promise<boolean> {
  return (await gitResult(repository, ["merge-base", "--is-ancestor", earlier, later])).code === 0;
}

/** What two commits have in common last; of several the same one whichever side asks; null of none. */
export async function mergeBase(repository: Repository, one: string, other: string): Promise<string | null> {
  const { out } = await gitResult(repository, ["merge-base", "--all", one, other]);
  return out.toString("utf8").trim().split("\n").sort()[0] || null;
}

/**
 * The contents of blobs, one after the other in the order asked for, by one process of git.
 * @throws Refusal `git_failed`, also where one is missing: what cannot be read is never taken for what is gone
 */
export async function* readBlobs(repository: Repository, ids: readonly string[]): AsyncGenerator<{ id: string; bytes: Buffer }> {
  if (ids.length === 0) return;
  const answers = new Reader(gitStream(repository, ["cat-file", "--batch", "--buffer"], ids));
  try {
    for (const id of ids) {
      // `<id> blob <size>`, the bytes, a line break.
      const header = await answers.line();
      const [found, kind, size] = header.split(" ");
      if (found !== id || kind !== "blob" || !/^\d+$/.test(size ?? ""))
        throw refuse("git_failed", { command: "git cat-file --batch", reason: `no blob ${id}: ${header}` });
      yield { id, bytes: await answers.bytes(Number(size)) };
      await answers.bytes(1);
    }
  } finally {
    await answers.end();
  }
}

/**
 * The contents of a few blobs by their ids.
 * @param mostBytes larger ones are left out, unread
 * @throws Refusal `git_failed`
 */
export async function readAll(
  repository: Repository,
  ids: readonly string[],
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Map<string, Buffer>> {
  const sizes = Number.isFinite(mostBytes) ? await sizesOf(repository, ids) : new Map<string, number>();
  const wanted = ids.filter((id) => (sizes.get(id) ?? 0) <= mostBytes);
  const all = new Map<string, Buffer>();
  for await (const { id, bytes } of readBlobs(repository, wanted)) all.set(id, bytes);
  return all;
}

/** How many bytes each blob has, without reading one. @throws Refusal `git_failed`, also where one is missing */
export async function sizesOf(repository: Repository, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (ids.length === 0) return sizes;
  const answers = new Reader(gitStream(repository, ["cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer"], ids));
  try {
    for (const id of ids) {
      const [kind, size] = (await answers.line()).split(" ");
      if (kind !== "blob") throw refuse("git_failed", { command: "git cat-file --batch-check", reason: `no blob ${id}` });
      sizes.set(id, Number(size));
    }
  } finally {
    await answers.end();
  }
  return sizes;
}

/**
 * The commits of a range, merges left out, newest first, with what a trailer of theirs says.
 * @throws Refusal `unknown_range`, `git_failed`
 */
export async function trailedCommits(repository: Repository, range: string, trailer: string): Promise<TrailedCommit[]> {
  const format = `--format=%H%x00%s%x00%(trailers:key=${trailer},valueonly,unfold,separator=%x01)%x00`;
  const args = ["log", "--no-merges", "--no-show-signature", "--encoding=UTF-8", format, "--end-of-options", range, "--"];
  const result = await gitResult(repository, args);
  if (/bad revision|ambiguous argument|unknown revision|Invalid revision range|bad object/i.test(result.err) && result.code !== 0)
    throw refuse("unknown_range", { given: range, looked: repository.workTree });
  if (result.code !== 0) throw failureOf(repository, ["log", range], result);
  const fields = result.out
    .toString("utf8")
    .trim()
    .split("\0")
    .map((field) => field.replace(/^\n/, ""));
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

/** Writes contents as objects; gives their ids in the same order. */
export async function writeBlobs(repository: Repository, contents: readonly Uint8Array[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const input = contents.flatMap((bytes, index) => [
    Buffer.from(`blob\nmark :${index + 1}\ndata ${bytes.length}\n`),
    bytes,
    Buffer.from("\n"),
  ]);
  const marks = contents.map((_, index) => `get-mark :${index + 1}\n`).join("");
  const out = await gitText(repository, ["fast-import", "--quiet"], { input: Buffer.concat([...input, Buffer.from(marks)]) });
  return out.split("\n");
}

/** Makes a commit; gives its id. No ref is moved. */
export async function commitTree(
  repository: Repository,
  { tree, parents, message, env }: { tree: string; parents: readonly string[]; message: string; env: Record<string, string> },
): Promise<string> {
  const args = ["commit-tree", "--no-gpg-sign", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return gitText(repository, args, { input: message, env });
}

/**
 * Moves a ref if it is still where it was seen: of two who saw the same, one moves it.
 * @param from null when there was none; undefined to move it from anywhere
 * @returns false when somebody else was quicker
 */
export async function moveRef(
  repository: Repository,
  ref: string,
  to: string,
  from: string | null | undefined,
  why: string,
): Promise<boolean> {
  const expected = from === undefined ? [] : [from ?? "0".repeat(to.length)];
  const args = ["update-ref", "-m", why, ref, to, ...expected];
  for (let tried = 1; ; tried += 1) {
    const result = await gitResult(repository, args);
    if (result.code === 0) return true;
    const lock = /Unable to create '(.+\.lock)': File exists/.exec(result.err)?.[1];
    if (lock === undefined) {
      if (/cannot lock ref .*(is at|reference already exists|unable to resolve)/.test(result.err)) return false;
      throw failureOf(repository, args, result);
    }
    if (tried > LOCK_TRIES) throw refuse("busy", { path: ref });
    breakStale(repository, lock);
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 40));
  }
}

/** Removes a ref, wherever it is. */
export async function dropRef(repository: Repository, ref: string): Promise<void> {
  await gitResult(repository, ["update-ref", "-d", ref]);
}

/** A lock that a killed git left is taken away, so that no person must. Where that errs two moves race, and each still compares. */
function breakStale({ gitDir }: Repository, lock: string): void {
  const at = path.resolve(gitDir, lock);
  const stat = fs.statSync(at, { throwIfNoEntry: false });
  if (at.startsWith(gitDir + path.sep) && stat !== undefined && Date.now() - stat.mtimeMs > STALE_LOCK_MS) fs.rmSync(at, { force: true });
}

/** One folder of 256 stands for all; at so many objects in it git itself would pack. */
const SAMPLE = "objects/17";
const LOOSE_IN_SAMPLE = 27;

/** Lets git pack what has gathered, in the background, once there is much of it. What fails here is tried after the next record. */
export async function tidy(repository: Repository): Promise<void> {
  const folder = path.join(repository.gitDir, SAMPLE);
  if (fs.existsSync(folder) && fs.readdirSync(folder).length > LOOSE_IN_SAMPLE) await gitResult(repository, ["gc", "--auto", "--quiet"]);
}
