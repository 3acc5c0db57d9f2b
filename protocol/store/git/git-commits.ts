/** Commits of a home's repository: found, compared and made. */
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../../refusal.ts";
import { failureOf, gitResult, gitText, type Repository } from "./git-run.ts";

/** One commit of a range, with the values of one trailer. */
interface TrailedCommit {
  commit: string;
  subject: string;
  values: string[];
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
export const isAncestor = async (repository: Repository, earlier: string, later: string): Promise<boolean> =>
  (await gitResult(repository, ["merge-base", "--is-ancestor", earlier, later])).code === 0;

/** What two commits have in common last; of several the same one whichever side asks; null of none. */
export async function mergeBase(repository: Repository, one: string, other: string): Promise<string | null> {
  const { out } = await gitResult(repository, ["merge-base", "--all", one, other]);
  return out.toString("utf8").trim().split("\n").sort()[0] || null;
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

/** Makes a commit; gives its id. No ref is moved. */
export async function commitTree(
  repository: Repository,
  { tree, parents, message, env }: { tree: string; parents: readonly string[]; message: string; env: Record<string, string> },
): Promise<string> {
  const args = ["commit-tree", "--no-gpg-sign", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return gitText(repository, args, { input: message, env });
}

/** Git holds a lock of a ref for moments; an older one was left by a killed process. */
const STALE_LOCK_MS = 10_000;

const LOCK_TRIES = 400;

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
