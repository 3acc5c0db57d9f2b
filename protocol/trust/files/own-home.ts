/** Whether the folder of a home can only be this user's doing: git asks the same of a repository. spec/commands.md, "Finding the home". */
import path from "node:path";
import { gitAtOnce } from "../../git/spawn-git.ts";
import { notOwnOnTheWay } from "../../store/beside/own-folder.ts";

/** What was found of homes, by their roots, and when, by this process's own clock: of one that is this user's own it counts for good. */
const judged = new Map<string, { problem: string | null; atMs: number }>();
/** Whoever tells git that a folder is safe is believed so soon; git is not asked at each look. */
const AGAIN_MS = 1_000;

/**
 * What lets another user have put a home where it is; null where nothing does, or where this user told git that the folder is safe
 * (`safe.directory`).
 * @param root absolute real path of the home
 */
export function notOwnHome(root: string): string | null {
  const known = judged.get(root);
  if (known !== undefined && (known.problem === null || performance.now() - known.atMs < AGAIN_MS)) return known.problem;
  const found = notOwnOnTheWay(root);
  const problem = found !== null && isSafe([root, path.dirname(root)]) ? null : found;
  judged.set(root, { problem, atMs: performance.now() });
  return problem;
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
