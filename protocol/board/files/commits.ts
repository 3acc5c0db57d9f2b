/** The commit that an artifact is about, its branch, and what became of both. spec/board.md, "Artifact". */

import { codeRepository } from "../../core/home/find-home.ts";
import { isMainWorktree, partOf, worktreeOfPart } from "../../core/home/worktree-part.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { askGit } from "../../git/git.ts";
import { gitIn } from "../../git/git-run.ts";
import { linkedWorktrees } from "../../store/linked-worktrees.ts";
import { COMMIT } from "../nouns/artifact.ts";

/** A commit, and the branch that it was on, where it was on one. */
export interface CommitOfCode {
  commit?: string | undefined;
  branch?: string | undefined;
}

/** A branch that can stand in a range of git: no option, no range, no search. */
export const BRANCH = /^(?!.*\.\.)[\w][\w./+-]{0,199}$/;

/**
 * The commit that the worktree of a part is at, or the given one, in full where git here has it; and the part's branch that has it.
 * @param given hexadecimal, 7 to 64 digits; `HEAD` or nothing means the worktree's
 * @returns nothing where nothing was given, and no worktree is known to be the part's
 * @throws Refusal `invalid_argument` for a text that names no commit
 */
export async function commitOf(world: World, part: string, given: string | undefined): Promise<CommitOfCode> {
  const folder = worktreeFor(world, part);
  const name = given === undefined || given === "HEAD" ? "HEAD" : given.toLowerCase();
  const found = name === "HEAD" && folder === null ? undefined : await commitNamed(folder ?? world.cwd, name);
  const commit = found ?? (COMMIT.test(name) ? name : undefined);
  if (commit === undefined && given === undefined) return {};
  if (commit === undefined)
    throw refuse("invalid_argument", {
      argument: "commit",
      expected:
        name === "HEAD"
          ? `the hash of a commit, because no worktree of ${part} is known here`
          : "a commit: 7 to 64 hexadecimal digits, or HEAD",
      given,
      example: "5e817e8",
    });
  const branch = found === undefined ? undefined : await branchWith(world, folder, commit);
  return branch === undefined ? { commit } : { commit, branch };
}

const commitNamed = async (folder: string, name: string): Promise<string | undefined> =>
  name === "HEAD" || COMMIT.test(name)
    ? (await askGit(folder, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]))?.trim()
    : undefined;

/** The worktree that a part works in: its own, else the caller's, unless that is another part's and not the only one. */
export function worktreeFor(world: World, part: string): string | null {
  const here = partOf(world, world.cwd) ?? (isMainWorktree(world.cwd) ? world.home().config().main : null);
  if (here === part) return world.cwd;
  const own = worktreeOfPart(world, world.cwd, part);
  if (own !== null || here === null) return own ?? world.cwd;
  const repository = codeRepository(world.cwd);
  return repository === null || linkedWorktrees(repository.commonDir).length === 0 ? world.cwd : null;
}

/** The branch of a worktree where it has a commit; else the one branch that is at it, or that alone has it. */
async function branchWith(world: World, folder: string | null, commit: string): Promise<string | undefined> {
  const own = folder === null ? undefined : (await askGit(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim();
  if (own !== undefined && BRANCH.test(own) && (await isIn(world, commit, own))) return own;
  const listed = await askGit(world.cwd, [
    "for-each-ref",
    `--contains=${commit}`,
    "--format=%(objectname) %(refname:lstrip=2)",
    "refs/heads",
  ]);
  const all = (listed ?? "").split("\n").filter((row) => row !== "");
  const at = all.filter((row) => row.startsWith(commit));
  const [only = "", ...more] = (at.length === 1 ? at : all).map((row) => row.slice(row.indexOf(" ") + 1));
  return more.length === 0 && BRANCH.test(only) ? only : undefined;
}

const isIn = async (world: World, commit: string, branch: string): Promise<boolean> =>
  (await askGit(world.cwd, ["merge-base", "--is-ancestor", commit, `refs/heads/${branch}`])) !== null;

/** The main branch, asked once in a call. */
const mains = new WeakMap<World, Promise<string | null>>();

/** The branch that work is merged into: as the remote says, else `main`, else `master`; null where git here knows none of them. */
export function mainBranch(world: World): Promise<string | null> {
  const asked = mains.get(world) ?? askMainBranch(world);
  mains.set(world, asked);
  return asked;
}

async function askMainBranch(world: World): Promise<string | null> {
  const said = (await askGit(world.cwd, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]))?.trim();
  for (const name of [...(said === undefined || !BRANCH.test(said) ? [] : [said.slice("origin/".length)]), "main", "master"])
    if ((await askGit(world.cwd, ["rev-parse", "--verify", "--quiet", `refs/heads/${name}`])) !== null) return name;
  return null;
}

/** What became of a commit: whether the main branch has it, else how many commits of its own its branch has since. */
export interface CommitState {
  merged?: boolean;
  /** Commits without merges, and without those that the main branch has; absent where there are none. */
  ahead?: number;
}

/** Says what became of each of some commits, in as few questions to git as of one; nothing of those of which this machine cannot say. */
export async function commitStates(world: World, commits: readonly CommitOfCode[]): Promise<CommitState[]> {
  const lines = async (args: readonly string[], input: readonly string[]): Promise<string[]> =>
    (await gitIn(world.cwd, args, { input: input.map((line) => `${line}\n`).join("") })).out.toString("latin1").split("\n");
  const named = [...new Set(commits.map(({ commit = "" }) => commit))].filter((commit) => COMMIT.test(commit));
  if (named.length === 0) return commits.map(() => ({}));
  const found = await lines(
    ["cat-file", "--batch-check=%(objectname)"],
    named.map((commit) => `${commit}^{commit}`),
  );
  const whole = new Map(named.map((commit, at) => [commit, found[at] ?? ""] as const).filter(([, id]) => HASH.test(id)));
  if (whole.size === 0) return commits.map(() => ({}));
  const main = await mainBranch(world);
  const branches = await lines(["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"], []);
  const tips = new Map(branches.map((row) => [row.slice(row.indexOf(" ") + 1), row.slice(0, row.indexOf(" "))] as const));
  const starts = new Set([...whole.values(), ...commits.flatMap(({ branch = "" }) => tips.get(branch) ?? [])]);
  const without = main === null ? [] : [`^refs/heads/${main}`];
  const listed = await lines(["rev-list", "--parents", "--ignore-missing", "--stdin"], [...starts, ...without]);
  const parents = new Map(listed.map((row) => row.split(" ")).map(([id = "", ...of]) => [id, of] as const));
  return commits.map(({ commit = "", branch = "" }) => {
    const id = whole.get(commit);
    if (id === undefined) return {};
    if (main !== null && !parents.has(id)) return { merged: true };
    const merged = main === null ? {} : { merged: false };
    const tip = branch === main ? undefined : tips.get(branch);
    const known = tip === undefined || tip === id ? null : reached(parents, id);
    const since = known === null ? [] : [...reached(parents, tip as string)].filter((each) => !known.has(each));
    const ahead = since.filter((each) => (parents.get(each)?.length ?? 0) < 2).length;
    return ahead === 0 ? merged : { ...merged, ahead };
  });
}

const HASH = /^[0-9a-f]{40,64}$/;

/** The commits of a graph that one of them has, itself among them. @param parents of each commit of the graph */
function reached(parents: ReadonlyMap<string, readonly string[]>, start: string): Set<string> {
  const seen = new Set<string>();
  for (const next = [start]; next.length > 0; ) {
    const id = next.pop() as string;
    if (seen.has(id) || !parents.has(id)) continue;
    seen.add(id);
    next.push(...(parents.get(id) as readonly string[]));
  }
  return seen;
}

/** Those of some commits, which the main branch has not, of which it has not what they change in a commit of its own, either. */
export async function unsquashed(world: World, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const main = commits.length === 0 ? null : await mainBranch(world);
  const squashed = await Promise.all(commits.slice(0, LOOKED).map((commit) => isSquashed(world, commit, `refs/heads/${main}`)));
  return new Set(commits.filter((_, at) => squashed[at] !== true));
}

/** Commits of the main branch that are compared with one that it lacks; and so many are compared, each of which takes git several starts. */
const SQUASHES = 20;
const LOOKED = 8;

/** Tells whether a commit of a branch has the files that another one changed as that has them. */
async function isSquashed(world: World, commit: string, branch: string): Promise<boolean> {
  const ask = (...args: string[]): Promise<string | null> => askGit(world.cwd, ["--literal-pathspecs", ...args]);
  const base = (await ask("merge-base", branch, commit))?.trim();
  const paths =
    base === undefined
      ? []
      : ((await ask("diff", "--name-only", "--no-renames", "-z", base, commit)) ?? "").split("\0").filter((path) => path !== "");
  if (paths.length === 0) return false;
  const made = await ask("log", "--first-parent", `--max-count=${SQUASHES}`, "--format=%H", `${base}..${branch}`, "--", ...paths);
  for (const other of (made ?? "").split("\n").filter((row) => row !== ""))
    if ((await ask("diff", "--quiet", other, commit, "--", ...paths)) !== null) return true;
  return false;
}

/**
 * The command that shows the code of a commit: what it had that the main branch lacked, be it merged since or not, or the commit alone where
 * this machine cannot say; undefined without one. It names hashes, so that it shows the same after a merge.
 * @param others commits that were handed in by themselves: what was merged from these is reviewed there
 */
export async function readingOf(world: World, commit: string | undefined, others: readonly string[] = []): Promise<string | undefined> {
  if (commit === undefined || !COMMIT.test(commit)) return undefined;
  const base = await baseOf(world, commit);
  const short = commit.slice(0, 7);
  if (base === undefined) return `git show ${short}`;
  const theirs = await commitsIn(world, base, commit, others);
  const without = theirs.map((each) => ` ^${each.slice(0, 7)}`).join("");
  return without === "" ? `git diff ${base.slice(0, 7)} ${short}` : `git log -p --cc ${base.slice(0, 7)}..${short}${without}`;
}

/** Those of some commits that another one has and its base has not, but for those that are in one another. */
async function commitsIn(world: World, base: string, commit: string, others: readonly string[]): Promise<string[]> {
  const asked = others.length === 0 ? null : await askGit(world.cwd, ["rev-list", commit, `^${base}`]);
  const own = new Set(asked?.split("\n"));
  const found = [...new Set(others)].filter((each) => own.has(each) && each !== commit);
  if (found.length < 2) return found;
  return (await askGit(world.cwd, ["merge-base", "--independent", ...found.slice(0, LOOKED)]))?.trim().split("\n") ?? found;
}

/** Names the commits of some reviews that a commit carries along, though the main branch lacks them. */
export async function carriedBy<T extends { commit?: string | undefined }>(
  world: World,
  commit: string | undefined,
  reviews: readonly T[],
): Promise<T[]> {
  const base = commit === undefined || reviews.length === 0 ? undefined : await baseOf(world, commit);
  if (base === undefined) return [];
  const theirs = await commitsIn(
    world,
    base,
    commit as string,
    reviews.flatMap((each) => each.commit ?? []),
  );
  return reviews.filter((each) => theirs.includes(each.commit ?? ""));
}

/** The command that shows what a later version changed, without what a merge of the main branch brought along. */
export async function changeSince(world: World, before: string, commit: string): Promise<string> {
  const [old, base] = await Promise.all([baseOf(world, before), baseOf(world, commit)]);
  const range = `${before.slice(0, 7)}..${commit.slice(0, 7)}`;
  return base === undefined || old === base ? `git diff ${range}` : `git log -p --cc ${range} ^${base.slice(0, 7)}`;
}

/** The last commit that a commit has from the main branch as it was before the two were merged. */
async function baseOf(world: World, commit: string): Promise<string | undefined> {
  const found = await commitNamed(world.cwd, commit);
  const main = await mainBranch(world);
  const shared = async (other: string | undefined): Promise<string | undefined> =>
    other === undefined || found === undefined ? undefined : (await askGit(world.cwd, ["merge-base", other, found]))?.trim();
  const now = main === null ? undefined : await shared(`refs/heads/${main}`);
  return now !== undefined && now === found ? shared(await mainBefore(world, now, main as string)) : now;
}

/** The last commit of the main branch before it had another; undefined where its graph and its log do not say. */
async function mainBefore(world: World, commit: string, main: string): Promise<string | undefined> {
  const branch = `refs/heads/${main}`;
  const rows = async (...args: string[]): Promise<string[]> =>
    ((await askGit(world.cwd, args)) ?? "").split("\n").filter((row) => row !== "");
  const having = new Set([commit, ...(await rows("rev-list", "--ancestry-path", `${commit}..${branch}`))]);
  const line = await rows("log", "--first-parent", "--format=%H %P", `${commit}..${branch}`);
  const [, parent] = line.map((row) => row.split(" ")).findLast(([id = ""]) => having.has(id)) ?? [];
  if (parent !== undefined && parent !== commit) return parent;
  // It was committed there, or the branch was moved to it, which only the log of the branch tells.
  return (await rows("log", "--walk-reflogs", "--format=%H", branch)).find((id) => !having.has(id));
}
