/** Checks the versions of files that lost a merge, and lie beside those that won. Of claims nothing is told: whoever lost one was. spec/check.md, "doctor". */
import { type Finding, found } from "../../core/format/finding.ts";
import { quotedAuthor } from "../../core/format/hidden.ts";
import { pathWord, shellWord } from "../../core/format/shell-word.ts";
import { besideOf, isKept } from "../../core/noun/merge-tree.ts";
import { gitText, type Repository } from "../../git/git-run.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";

/** So many are told one by one. */
const NAMED = 5;

/** Whether a file gave way to another that people may want to compare it with. */
export const isTold = (path: string): boolean => isKept(path) && !path.includes("/claims/");

/** Finds those of a branch, each with the commit that wrote it first. @param head the branch's commit @param kept what it has of them @throws Refusal `git_failed` */
export async function* examineKept(
  repository: Repository,
  head: string,
  kept: readonly { path: string; id: string }[],
): AsyncGenerator<Finding> {
  yield* await Promise.all(
    kept.slice(0, NAMED).map(async ({ path, id }) => {
      const read = `read it, and note who wrote it: git -C .relay show HEAD:${shellWord(path)}`;
      return keptFinding(path, await writerOf(repository, head, id), `${read}; remove it: ${removing(pathWord(path))}`);
    }),
  );
  const next = kept[NAMED];
  if (next !== undefined)
    yield found("kept_beside", `${kept.length - NAMED} more such files, this one first`, { path: next.path, remedy: removing("PATH") });
}

/** Finds those of a folder without a branch, which nobody knows the writers of. @param paths of files of the home */
export const examineKeptHere = (paths: readonly string[]): Finding[] =>
  paths
    .filter(isTold)
    .slice(0, NAMED)
    .map((path) => keptFinding(path, "by an unknown author", "read it, and note who wrote it; then delete it"));

/** One file: it is never taken over by itself, so it is only told. */
function keptFinding(path: string, writer: string, remedy: string): Finding {
  const of = besideOf(path);
  return found(
    "kept_beside",
    `another version of ${of}, ${writer}: it lost a merge or could not be read, and counts for nothing; ${of} stays as it is`,
    {
      path,
      remedy,
    },
  );
}

const removing = (word: string): string =>
  `git -C .relay rm -q -- ${word} && git -C .relay commit -qm 'remove a version that lost a merge' && relay sync`;

/** The first commit that has a content, and who it says it is by. */
async function writerOf(repository: Repository, head: string, id: string): Promise<string> {
  const printed = ["--no-renames", "--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%an <%ae>"];
  const first = (await gitText(repository, ["log", ...printed, `--find-object=${id}`, head, "--"])).trim().split("\n").at(-1) ?? "";
  const [commit = "", author = ""] = first.split("\0");
  if (commit === "") return "by an unknown author";
  return `written by commit ${shortCommit(commit)}, which says it is by ${quotedAuthor(author)}`;
}
