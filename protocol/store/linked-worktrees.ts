/** The linked worktrees of a git repository, read from its files without starting git. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../core/format/file-error.ts";
import { firstLineIn } from "./read/plain-file.ts";

/** A linked worktree: its git directory, and its top. Paths are absolute, real or not as git wrote them. */
export interface LinkedWorktree {
  gitDir: string;
  top: string;
}

/** The top that the git directory of a linked worktree names; null for that of a main worktree. */
export function linkedTop(gitDir: string): string | null {
  const gitFile = firstLineIn(path.join(gitDir, "gitdir"));
  return gitFile === null ? null : path.dirname(path.resolve(gitDir, gitFile));
}

/** Everything that a repository names as its linked worktrees: an archive may name any folder. */
export function namedWorktrees(commonDir: string): LinkedWorktree[] {
  const folder = path.join(commonDir, "worktrees");
  return orElse([], () => fs.readdirSync(folder)).flatMap((name) => {
    const gitDir = path.join(folder, name);
    const top = linkedTop(gitDir);
    return top === null ? [] : [{ gitDir, top }];
  });
}

/** The linked worktrees of a repository whose own `.git`, a file, leads back to it. */
export const linkedWorktrees = (commonDir: string): LinkedWorktree[] =>
  namedWorktrees(commonDir).filter(({ gitDir, top }) =>
    orElse(false, () => {
      const link = linkOf(path.join(top, ".git"));
      return link !== null && fs.realpathSync.native(link) === fs.realpathSync.native(gitDir);
    }),
  );

/**
 * The folders of a project, in which whatever lies came with it or was written by its agents: the working trees of its repository, its git
 * directory, and of a submodule the repository that it is in.
 * @param top of the working tree that is known; null in a bare repository
 */
export function projectFolders(commonDir: string, top: string | null): string[] {
  const around = /^(.+?)[\\/]\.git(?:[\\/]|$)/.exec(commonDir)?.slice(1) ?? [];
  return [commonDir, ...(top === null ? [] : [top]), ...around, ...linkedWorktrees(commonDir).map((each) => each.top)];
}

/** Where the `gitdir:` line of a `.git` file leads; null where that is a folder, a link or not there. */
export function linkOf(dotGit: string): string | null {
  const isFile = orElse(false, () => fs.lstatSync(dotGit).isFile());
  const target = isFile ? /^gitdir: (.+)$/.exec(firstLineIn(dotGit) ?? "")?.[1] : undefined;
  return target === undefined ? null : path.resolve(path.dirname(dotGit), target);
}
