/** Commits of a home's repository: found, compared and made. */
import { refuse } from "../../refusal.ts";
import { type Answers, keepAnswer } from "./git-answers.ts";
import { looseRef } from "./git-move-ref.ts";
import { failureOf, gitResult, gitText, type Repository } from "./git-run.ts";

/** One commit of a range, with the values of one trailer. */
interface TrailedCommit {
  commit: string;
  subject: string;
  values: string[];
}

/** Commits that git found: each stays one, so a ref that names it is read without git. A process starts for every other question. */
const found = new Set<string>();
const FOUND_MOST = 10_000;

/** The commit that a name stands for; null when there is none. */
export async function resolveCommit(repository: Repository, name: string): Promise<string | null> {
  const id = looseRef(repository, name);
  if (id !== null && found.has(`${repository.gitDir} ${id}`)) return id;
  const { code, out } = await gitResult(repository, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  return code === 0 ? noteFound(repository, out.toString("utf8").trim()) : null;
}

function noteFound({ gitDir }: Repository, commit: string): string {
  if (found.size >= FOUND_MOST) found.clear();
  found.add(`${gitDir} ${commit}`);
  return commit;
}

/** The commits that refs name. @param pattern such as `refs/remotes/<remote>/relay` */
export async function commitsOf(repository: Repository, pattern: string): Promise<string[]> {
  const out = await gitText(repository, ["for-each-ref", "--format=%(objectname)", pattern]);
  return [...new Set(out.split("\n"))].filter((commit) => commit !== "");
}

/** The newest commits that one has and another has not, the names of their authors, and how many there are. @param most so many are named */
export async function commitsBetween(
  repository: Repository,
  from: string,
  to: string,
  most: number,
): Promise<{ newest: string[]; authors: string[]; count: number }> {
  if (from === to) return { newest: [], authors: [], count: 0 };
  const range = ["--end-of-options", to, `^${from}`];
  const format = ["--no-commit-header", "--format=%H %an", "--encoding=UTF-8"];
  const listed = await gitText(repository, ["rev-list", `--max-count=${most + 1}`, "--topo-order", ...format, ...range]);
  const commits = listed.split("\n").flatMap((line) => {
    const [, commit, author] = /^([0-9a-f]+) (.*)$/.exec(line) ?? [];
    return commit === undefined ? [] : [{ commit, author: author as string }];
  });
  const named = commits.slice(0, most);
  const count = commits.length <= most ? commits.length : Number(await gitText(repository, ["rev-list", "--count", ...range]));
  return { newest: named.map(({ commit }) => commit), authors: [...new Set(named.map(({ author }) => author))], count };
}

/** Pairs of commits of which git said that the first is one of those before the second; it stays one, however much history is fetched. */
const before: Answers<boolean> = new Map();
const pairOf = ({ gitDir }: Repository, earlier: string, later: string): string => [gitDir, earlier, later].join("\n");

/** Whether a commit is another, or one of those before it. */
export async function isAncestor(repository: Repository, earlier: string, later: string): Promise<boolean> {
  if (earlier === later || before.has(pairOf(repository, earlier, later))) return true;
  // Of two that differ one alone can be before the other.
  if (before.has(pairOf(repository, later, earlier))) return false;
  const is = (await gitResult(repository, ["merge-base", "--is-ancestor", earlier, later])).code === 0;
  if (is) keepAnswer(before, pairOf(repository, earlier, later), [earlier, later], true);
  return is;
}

/** What two commits have in common last; of several the same one whichever side asks; null of none. */
export async function mergeBase(repository: Repository, one: string, other: string): Promise<string | null> {
  if (before.has(pairOf(repository, one, other))) return one;
  if (before.has(pairOf(repository, other, one))) return other;
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
  return noteFound(repository, await gitText(repository, args, { input: message, env }));
}
