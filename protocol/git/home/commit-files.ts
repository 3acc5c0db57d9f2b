/** Commits of files on top of other commits, each by an index of its own: no branch is moved, and nothing is checked out. spec/git.md, "Git". */
import type { Outcomes } from "../../core/noun/merge-tree.ts";
import type { Listed } from "../../core/tree/layout.ts";
import { writeBlobs } from "../git-blobs.ts";
import { commitTree } from "../git-commits.ts";
import { dropIndex, readTree, setInIndex, writeTree } from "../git-index.ts";
import type { Repository } from "../git-run.ts";
import { fillIndex, newIndex } from "../git-tree.ts";

/** A file of a tree, and the id of its content; null where the tree is not to have it. */
export interface FileInTree {
  path: string;
  id: string | null;
}

/** A commit that is to be made. */
interface CommitOfFiles {
  /** The commit whose files it begins with, of which it is the first parent. */
  on: string;
  /** Which of those files it has. Without it all. */
  isWanted?: (file: Listed) => boolean;
  /** Whether the caller has listed them, and wants all. */
  isAllWanted?: boolean;
  /** What it has besides, or has not. */
  files?: readonly FileInTree[];
  /** Another parent. */
  and?: string;
  message: string;
  /** Who makes it, and when, as variables of git. */
  env: Record<string, string>;
}

/** Makes a commit. @returns its id @throws Refusal `git_failed` */
export async function commitFiles(
  repository: Repository,
  { on, isWanted, isAllWanted, files = [], and, message, env }: CommitOfFiles,
): Promise<string> {
  const index = newIndex(repository);
  try {
    if (isWanted === undefined) await readTree(repository, index, on);
    else await fillIndex(repository, index, on, isWanted, isAllWanted);
    await setInIndex(repository, index, files);
    const tree = await writeTree(repository, index);
    return await commitTree(repository, { tree, parents: and === undefined ? [on] : [on, and], message, env });
  } finally {
    dropIndex(index);
  }
}

/** The files that a merge or the guard decided on; a text that no side has is stored. @throws Refusal `git_failed` */
export async function storedOutcomes(repository: Repository, outcomes: Outcomes): Promise<FileInTree[]> {
  const texts = [...outcomes.values()].flatMap((outcome) => ("content" in outcome ? [Buffer.from(outcome.content)] : []));
  const ids = (await writeBlobs(repository, texts)).values();
  return [...outcomes].map(([path, outcome]) => ({
    path,
    id: "take" in outcome ? outcome.take : "absent" in outcome ? null : (ids.next().value as string),
  }));
}
