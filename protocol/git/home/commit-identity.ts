/** What a program must be told to make commits that hides the user's own settings of git, or may write nowhere but in its folder. */

import { codeRepository } from "../../core/home/find-home.ts";
import { askGit } from "../git.ts";

/**
 * Who makes the commits in a folder, as variables of git's. spec/office.md, "Programs".
 * @param folder absolute path in the code
 * @returns none where git does not know a name and an address
 */
export async function commitIdentity(folder: string): Promise<Record<string, string>> {
  const asked = await Promise.all(["user.name", "user.email"].map((key) => askGit(folder, ["config", "--get", key])));
  const [name = "", email = ""] = asked.map((text) => text?.trim());
  if (name === "" || email === "") return {};
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** The folders that a commit in a worktree writes, besides the worktree itself: absolute paths. @param folder in the code */
export function commitFolders(folder: string): string[] {
  const repository = codeRepository(folder);
  return repository === null ? [] : [...new Set([repository.commonDir, repository.gitDir])];
}
