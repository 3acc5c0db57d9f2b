import { type Finding, found } from "../../objects/format/finding.ts";
import { seen } from "../../objects/format/hidden.ts";
import { pathWord, shellWord } from "../../objects/format/shell-word.ts";
import { besideOf, isKept } from "../../objects/noun/merge-tree.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { listTree } from "../../store/git/git-list.ts";
import { gitText, type Repository } from "../../store/git/git-run.ts";

/**
 * What the branch has of them, each with the commit that wrote it first. Of claims nothing is told: whoever lost one was.
 * @throws Refusal `git_failed`
 */
export async function examineKept(repository: Repository, head: string): Promise<Finding[]> {
  const kept: { path: string; id: string }[] = [];
  for await (const { path, id } of listTree(repository, head)) if (isKept(path) && !path.includes("/claims/")) kept.push({ path, id });
  const told = await Promise.all(kept.slice(0, NAMED).map(async ({ path, id }) => keptFinding(path, await writerOf(repository, head, id))));
  const [next] = kept.slice(NAMED);
  if (next === undefined) return told;
  const problem = `${kept.length - NAMED} more such files, this one first`;
  return [...told, found("kept_beside", problem, { path: next.path, remedy: dropping("PATH") })];
}

/** One file: it is never taken over by itself, so it is only told. @param writer who wrote it first; null where nobody knows */
export function keptFinding(path: string, writer: string | null): Finding {
  const of = besideOf(path);
  return found(
    "kept_beside",
    `another version of ${of}, ${writer ?? "by an unknown author"}: it lost a merge, and nobody reads it; ${of} stays as it is`,
    { path, remedy: `read it, and note who wrote it: git -C .relay show HEAD:${shellWord(path)}; remove it: ${dropping(pathWord(path))}` },
  );
}

/** So many are told one by one. */
export const NAMED = 5;

export const dropping = (word: string): string =>
  `git -C .relay rm -q -- ${word} && git -C .relay commit -qm 'remove a version that lost a merge' && relay sync`;

/** The first commit that has a content, and who it says it is by. */
export async function writerOf(repository: Repository, head: string, id: string): Promise<string | null> {
  const args = [
    "log",
    "--no-renames",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--format=%H%x00%an <%ae>",
    `--find-object=${id}`,
    head,
    "--",
  ];
  const first = (await gitText(repository, args)).trim().split("\n").at(-1) ?? "";
  const [commit = "", author = ""] = first.split("\0");
  if (commit === "") return null;
  return `written by commit ${shortCommit(commit)}, which says it is by ${seen(author).replace(/\s+/g, " ").slice(0, AUTHOR_CHARACTERS).toWellFormed()}`;
}

export const AUTHOR_CHARACTERS = 80;
