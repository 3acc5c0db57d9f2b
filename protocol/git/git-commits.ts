/** Commits of a home's repository: found, compared and made. */
import { refuse } from "../core/refusal.ts";
import { type Answers, keepAnswer } from "./git-answers.ts";
import { looseRef } from "./git-move-ref.ts";
import { failureOf, gitResult, gitText, type Repository } from "./git-run.ts";
import { factsOf, type ObjectGiven, objectsOf, whileAsking } from "./objects/object-process.ts";

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
  const facts = await factsOf(repository, [`${name}^{commit}`]).catch(() => null);
  if (facts !== null) return facts[0] == null ? null : noteFound(repository, facts[0].id);
  // Another command of git tells an object that is damaged from a git that does not run.
  const { code, out } = await gitResult(repository, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  return code === 0 ? noteFound(repository, out.toString("utf8").trim()) : null;
}

/** Notes that a repository has a commit. */
export function noteFound({ gitDir }: Repository, commit: string): string {
  if (found.size >= FOUND_MOST) found.clear();
  found.add(`${gitDir} ${commit}`);
  return commit;
}

/** The commits that refs name. @param pattern such as `refs/remotes/<remote>/relay` */
export async function commitsOf(repository: Repository, pattern: string): Promise<string[]> {
  const out = await gitText(repository, ["for-each-ref", "--format=%(objectname)", pattern]);
  return [...new Set(out.split("\n"))].filter((commit) => commit !== "");
}

/** Pairs of commits of which git said that the first is one of those before the second; it stays one, however much history is fetched. */
const before: Answers<boolean> = new Map();
const pairOf = ({ gitDir }: Repository, earlier: string, later: string): string => [gitDir, earlier, later].join("\n");

/** Whether a commit is another, or one of those before it. */
export async function isAncestor(repository: Repository, earlier: string, later: string): Promise<boolean> {
  if (earlier === later || before.has(pairOf(repository, earlier, later))) return true;
  // Of two that differ one alone can be before the other.
  if (before.has(pairOf(repository, later, earlier))) return false;
  if (await isNear(repository, earlier, later)) return true;
  const is = (await gitResult(repository, ["merge-base", "--is-ancestor", earlier, later])).code === 0;
  if (is) keepAnswer(before, pairOf(repository, earlier, later), [earlier, later], true);
  return is;
}

/** Number of commits in which an earlier one is looked for before git searches the history. */
const NEAR = 16;

/** Returns whether a commit is another or one of the last before it; false does not say that it is not an earlier one. */
export const isNear = (repository: Repository, earlier: string, later: string): Promise<boolean> =>
  whileAsking(repository, async () => {
    const seen = new Set<string>();
    for (let level = [later]; level.length > 0 && seen.size < NEAR; ) {
      if (level.includes(earlier)) {
        keepAnswer(before, pairOf(repository, earlier, later), [earlier, later], true);
        return true;
      }
      for (const commit of level) seen.add(commit);
      const parents = new Set<string>();
      for await (const each of objectsOf(repository, level)) for (const id of parentsIn(each)) parents.add(id);
      level = [...parents].filter((commit) => !seen.has(commit));
    }
    return false;
  });

/** The parents that a commit names: they come after its tree, a line each. */
const parentsIn = (commit: ObjectGiven | null): string[] =>
  /^tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)/.exec(commit?.bytes?.toString("latin1") ?? "")?.[1]?.match(/[0-9a-f]{40,64}/g) ?? [];

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
