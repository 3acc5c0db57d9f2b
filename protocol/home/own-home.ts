/** Whether the folder of a home can only be this user's doing: git asks the same of a repository. spec/trust.md, "Whose home it is". */
import path from "node:path";
import { notOwnOnTheWay } from "../store/beside/own-folder.ts";
import { gitAtOnce } from "../store/git/spawn-git.ts";

/** Homes that were found to be this user's own, by their roots: asked once in a process. */
const own = new Set<string>();

/**
 * What lets another user have put a home where it is; null where nothing does, or where this user told git that the folder is safe
 * (`safe.directory`).
 * @param root absolute real path of the home
 */
export function notOwnHome(root: string): string | null {
  if (own.has(root)) return null;
  const problem = notOwnOnTheWay(root);
  if (problem !== null && !isSafe([root, path.dirname(root)])) return problem;
  own.add(root);
  return null;
}

/** Whether the user's or the machine's settings of git name one of some folders as safe, or one above it with `/*`. An empty value forgets those before it. */
function isSafe(folders: readonly string[]): boolean {
  const said = gitAtOnce(path.parse(folders[0] as string).root, ["config", "--get-all", "-z", "safe.directory"])?.toString("utf8") ?? "";
  const names = said.split("\0").slice(0, -1);
  return names
    .slice(names.lastIndexOf("") + 1)
    .some(
      (name) => name === "*" || folders.some((folder) => folder === name || (name.endsWith("/*") && folder.startsWith(name.slice(0, -1)))),
    );
}
