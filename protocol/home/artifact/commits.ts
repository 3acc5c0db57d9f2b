/** The commit that an artifact is about, and whether its branch went on. spec/board.md, "Artifact". */
import { COMMIT } from "../../objects/artifact/artifact.ts";
import { refuse } from "../../refusal.ts";
import { askGit } from "../../store/git/git.ts";
import type { World } from "../../world.ts";

/** A commit, and the branch that it was on, where it was on one. */
export interface CommitOfCode {
  commit?: string;
  branch?: string;
}

/** A branch that can stand in a range of git: no option, no range, no search. */
const BRANCH = /^(?!.*\.\.)[\w][\w./+-]{0,199}$/;

/**
 * The commit that a caller's worktree is at, or the given one, in full where the worktree has it.
 * @param given hexadecimal, 7 to 64 digits; `HEAD` or nothing means the worktree's
 * @returns nothing outside of git, or before the first commit
 * @throws Refusal `invalid_argument` for a text that names no commit
 */
export async function commitHere(world: World, given: string | undefined): Promise<CommitOfCode> {
  const name = given === undefined || given === "HEAD" ? "HEAD" : given.toLowerCase();
  if (name !== "HEAD" && !COMMIT.test(name)) {
    throw refuse("invalid_argument", {
      argument: "commit",
      expected: "a commit: 7 to 64 hexadecimal digits, or HEAD",
      given,
      example: "5e817e8",
    });
  }
  const found = (await askGit(world.cwd, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]))?.trim();
  const commit = found ?? (name === "HEAD" ? undefined : name);
  if (commit === undefined) return {};
  const branch = (await askGit(world.cwd, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim();
  return branch !== undefined && BRANCH.test(branch) ? { commit, branch } : { commit };
}

/** How many commits the branch of an artifact is ahead of its commit; null where this machine cannot say. */
export async function aheadOf(
  world: World,
  { commit, branch }: { commit?: string | undefined; branch?: string | undefined },
): Promise<number | null> {
  if (commit === undefined || branch === undefined || !BRANCH.test(branch)) return null;
  const counted = await askGit(world.cwd, ["rev-list", "--count", `${commit}..refs/heads/${branch}`]);
  return counted === null ? null : Number(counted.trim());
}
