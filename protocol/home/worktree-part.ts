/** Which part a worktree of the code is. SPEC.md, "Parts". */
import fs from "node:fs";
import path from "node:path";
import { codeRepository, firstLine, gitDirectory, isFolder, realFolder } from "./find-home.ts";

/** The file in git's per-worktree directory that says which part a worktree is. */
const HERE = "relay-part";

/** The part that a `relay-part` file names; null when there is none. */
export const partIn = (file: string): string | null => firstLine(file) || null;

/** Where `part here` is kept for a folder; null outside of git. */
export function hereFile(from: string): string | null {
  const repository = codeRepository(from);
  return repository === null ? null : path.join(repository.gitDir, HERE);
}

/** Whether a folder lies in the main worktree of a repository. */
export function isMainWorktree(folder: string): boolean {
  const repository = codeRepository(folder);
  return repository !== null && repository.top !== null && repository.gitDir === repository.commonDir;
}

/** The part that the worktree of a folder is; null where it is none. */
export function partOf(folder: string): string | null {
  const file = hereFile(folder);
  return file === null ? null : partIn(file);
}

/** Every worktree of a repository that is a part: its git directory, its top, and which part. */
export function worktreeParts(commonDir: string): { gitDir: string; top: string; part: string }[] {
  const main = path.basename(commonDir) === ".git" ? [{ gitDir: commonDir, top: path.dirname(commonDir) }] : [];
  return [...main, ...linkedTo(commonDir)].flatMap((each) => {
    const part = partIn(path.join(each.gitDir, HERE));
    return part === null ? [] : [{ ...each, part }];
  });
}

/** The top of the one worktree of a folder's repository that is a part; null where none is, or several are. */
export function worktreeOfPart(from: string, part: string): string | null {
  const repository = codeRepository(from);
  const tops = repository === null ? [] : worktreeParts(repository.commonDir).filter((each) => each.part === part);
  return tops.length === 1 ? (tops[0] as { top: string }).top : null;
}

/** The tops of other worktrees of a folder's repository that are a part too; empty outside of git. */
export function otherWorktreesOf(from: string, part: string): string[] {
  const repository = codeRepository(from);
  if (repository === null) return [];
  return worktreeParts(repository.commonDir).flatMap((each) => (each.gitDir !== repository.gitDir && each.part === part ? [each.top] : []));
}

/** The tops of every linked worktree of a repository, those that still exist. */
export const linkedWorktrees = (commonDir: string): string[] => linkedTo(commonDir).map(({ top }) => top);

/** Git directories that name a folder as their worktree which does not lead back: an archive may name any folder. */
export const strayWorktrees = (commonDir: string): string[] => {
  const own = linkedTo(commonDir).map(({ gitDir }) => gitDir);
  return named(commonDir).flatMap(({ gitDir, top }) => (isFolder(top) && !own.includes(gitDir) ? [gitDir] : []));
};

/** The linked worktrees of a repository whose own `.git` leads back to it: their git directories, and their tops. */
const linkedTo = (commonDir: string): { gitDir: string; top: string }[] =>
  named(commonDir).filter(({ gitDir, top }) => gitDirectory(path.join(top, ".git")) === realFolder(gitDir));

/** What a repository names as its linked worktrees. */
function named(commonDir: string): { gitDir: string; top: string }[] {
  const folder = path.join(commonDir, "worktrees");
  return (isFolder(folder) ? fs.readdirSync(folder) : []).flatMap((name) => {
    const gitDir = path.join(folder, name);
    const gitFile = firstLine(path.join(gitDir, "gitdir"));
    return gitFile === null ? [] : [{ gitDir, top: path.dirname(path.resolve(gitDir, gitFile)) }];
  });
}
