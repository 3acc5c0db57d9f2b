/** Work that the former holders of a task left. spec/board.md, "Artifact". */

import { many, someOf } from "../../core/format/many.ts";
import { worktreeOfPart } from "../../core/home/worktree-part.ts";
import type { World } from "../../core/world.ts";
import { askGit } from "../../git/git.ts";
import { isSamePart, nameNow } from "../../mail/files/members.ts";
import { lastFence, readableClaimAt } from "./claims.ts";
import { BRANCH, mainBranch } from "./commits.ts";
import { uncommitted } from "./doubts-of-commit.ts";

/** Records of a task that are looked through for those who had it before. */
const LOOKED = 64;

/**
 * Says who had a task before whoever has it now, and what this machine's worktrees of those parts have of their own: commits that the main
 * branch lacks, and what is not committed.
 * @returns null where nobody had it, or nothing of theirs is here
 */
export async function formerHolders(world: World, session: string, task: string, now: string | undefined): Promise<string | null> {
  const last = lastFence(world, session, task);
  const parts = Array.from({ length: Math.min(last, LOOKED) }, (_, back) => readableClaimAt(world, session, task, last - back))
    .flatMap((record) => (record?.kind === "claim" ? nameNow(world, record.agent) : []))
    .filter((part) => now === undefined || !isSamePart(world, part, now));
  const left = await Promise.all([...new Set(parts)].map((part) => leftBy(world, part)));
  return left.filter((each) => each !== null).join("; ") || null;
}

/** Names the work that only the worktree of a part has; null where that is nothing, or no worktree is known. */
async function leftBy(world: World, part: string): Promise<string | null> {
  const folder = worktreeOfPart(world, world.cwd, part);
  if (folder === null) return null;
  const main = await mainBranch(world);
  const branch = (await askGit(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim();
  const isNamed = main !== null && branch !== undefined && branch !== main && BRANCH.test(branch);
  const range = `${main}..${branch}`;
  const ahead = isNamed ? Number((await askGit(world.cwd, ["rev-list", "--count", "--no-merges", range, "--"]))?.trim() ?? 0) : 0;
  const { conflicts, changed } = await uncommitted(world, part);
  const uncommittedFiles = [...conflicts, ...changed];
  const left = [
    ...(ahead === 0 ? [] : [`${many(ahead, "commit")} in \`git log -p ${range}\``]),
    ...(uncommittedFiles.length === 0 ? [] : [`not committed there: ${someOf(uncommittedFiles)}`]),
  ];
  return left.length === 0 ? null : `${part} had it before: ${left.join(", ")}`;
}
