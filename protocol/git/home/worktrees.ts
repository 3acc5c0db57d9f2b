/** A worktree for a part: made with its link and its part, and removed where nothing of anybody's would be lost. spec/waking.md, "Parts in tmux". */
import fs from "node:fs";
import path from "node:path";
import { escapedJson } from "../../core/format/hidden.ts";
import { codeRepository, HOME_FOLDER } from "../../core/home/find-home.ts";
import { hereFile, makePart, worktreeOfPart } from "../../core/home/worktree-part.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { refuseLinked } from "../../store/beside/user-file.ts";
import { askGit, git } from "../git.ts";
import { NOT_INSIDE } from "../git-environment.ts";
import { linkWorktrees } from "./create-home.ts";

/** The top of the main worktree of the code; null where there is none. */
export function mainTop(from: string): string | null {
  const repository = codeRepository(from);
  if (repository === null) return null;
  return path.basename(repository.commonDir) === ".git" ? path.dirname(repository.commonDir) : repository.top;
}

/** The same, where a worktree can be made. @throws Refusal `not_in_git`, or `usage` where nothing is committed yet */
export async function requireTop(from: string): Promise<string> {
  const top = mainTop(from);
  if (top === null)
    throw refuse("not_in_git", { path: from, hint: "A worktree needs a repository of the code, so run this in a repository" });
  if ((await askGit(top, ["rev-parse", "--verify", "--quiet", "HEAD"])) === null)
    throw refuse("usage", {
      problem: "Nothing is committed in this repository yet, and a worktree begins at a commit.",
      help: "Commit first: `git commit --allow-empty -m begin`.",
    });
  return top;
}

/**
 * The worktree of a part: the one that is there, or a new one beside the main worktree, `<its name>-<part>`.
 * @param branch what is checked out in a new one; made where it is not there
 * @returns its absolute path
 * @throws Refusal `not_in_git`, `usage`, `through_link`, and what git says
 */
export async function makeWorktree(world: World, part: string, branch: string): Promise<string> {
  const there = worktreeOfPart(world, world.cwd, part);
  if (there !== null) return there;
  const top = await requireTop(world.cwd);
  const isBranch = (await askGit(top, ["check-ref-format", "--branch", branch])) !== null;
  if (!isBranch || world.home().config().inTree)
    throw refuse("usage", {
      problem: isBranch
        ? "This home is files of the code, so each worktree has its own."
        : `${JSON.stringify(branch)} is not a name for a branch.`,
      help: `Example: \`relay up --part ${part} --worktree BRANCH -- claude\`.`,
    });
  const folder = `${top}-${part.replaceAll("/", "-")}`;
  const known = (await askGit(top, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== null;
  requireOwnPlaces(top, branch, folder);
  await git(top, ["worktree", "add", "--quiet", ...(known ? [folder, branch] : ["-b", branch, folder])]);
  linkWorktrees(world);
  makePart(world, hereFile(folder) as string, part);
  return folder;
}

/**
 * Looks whether a new worktree would lie where it is said, and what git keeps of it in the code's git directory: git writes refs, their
 * logs and all files through links, and a link beside the code may have come in the same archive. A folder of another user stays theirs.
 * @param folder the worktree, beside the main one or below a folder there
 * @throws Refusal `through_link`, `usage`
 */
export function requireOwnPlaces(top: string, branch: string, folder: string): void {
  const common = codeRepository(top)?.commonDir ?? top;
  for (const way of [`refs/heads/${branch}`, `logs/refs/heads/${branch}`, "worktrees", "config"]) refuseLinked(common, way);
  const beside = path.dirname(top);
  const way = path.relative(beside, folder).replaceAll(path.sep, "/");
  refuseLinked(beside, way);
  for (const at of [path.join(beside, way.split("/")[0] as string), folder]) {
    const owner = fs.lstatSync(at, { throwIfNoEntry: false })?.uid;
    if (owner === undefined || owner === (process.getuid?.() ?? owner)) continue;
    throw refuse("usage", {
      problem: `${at} belongs to another user, who could change what lies in it.`,
      help: "Remove it, or ask its owner to.",
    });
  }
}

/** The outcome of removing the worktree of a part. */
interface RemovedWorktree {
  folder: string | null;
  left: string | null;
  branch?: string;
}

/** Removes the linked worktree of a part. @returns where it was, the branch that stays, and why it was left where it was left */
export async function removeWorktree(world: World, part: string): Promise<RemovedWorktree> {
  const from = path.dirname(world.home().store.root);
  const folder = worktreeOfPart(world, from, part);
  if (folder === null) return { folder, left: `${part} has no worktree of its own` };
  if (folder === mainTop(from)) return { folder, left: "it is the main worktree" };
  const inTheWay = await unrecorded(folder, true);
  if (inTheWay !== null) return { folder, left: inTheWay };
  const branch = ((await askGit(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"])) ?? "").trim();
  const others = branch === "" ? ["--branches"] : [`--exclude=${branch}`, "--branches"];
  const count = Number(await git(folder, ["rev-list", "--count", "HEAD", "--not", ...others, "--remotes"]));
  if (count > 0) return { folder, left: `${count} of its commits ${count === 1 ? "is" : "are"} on no remote and no other branch` };
  await git(from, [...ALL_SHOWN, "worktree", "remove", folder]);
  return { folder, left: null, ...(branch === "" ? {} : { branch }) };
}

/** The folder itself is asked about, wherever `core.worktree` leads, and whatever it leaves out. */
const HERE = ["--work-tree=.", "-c", "core.sparseCheckout=false"];

/** Whoever has git show no untracked files would lose them: git then takes such a worktree for a clean one. */
export const ALL_SHOWN = ["-c", "status.showUntrackedFiles=all"];

/** Stands before a file of which the index says that git is not to look at it. */
const PASSED_BY = "h!";

/**
 * What lies in a worktree and in no commit, in words; null where nothing does.
 * @param withIgnored also what git ignores, which may be somebody's keys or data
 */
export async function unrecorded(folder: string, withIgnored: boolean): Promise<string | null> {
  const ignoring = withIgnored ? ["--ignored"] : [];
  const list = async (args: readonly string[]): Promise<string[]> => (await git(folder, [...HERE, ...ALL_SHOWN, ...args])).split("\0");
  const told = await list(["status", "--porcelain", "-z", "--no-renames", NOT_INSIDE, ...ignoring, "--untracked-files=all"]);
  // The index may have git pass a file by (`assume-unchanged`, `skip-worktree`), so that what somebody wrote in it is no change.
  const anew = (await list(["ls-files", "-v", "-z"])).flatMap((line) =>
    /^[a-zS] /.test(line) && fs.existsSync(path.join(folder, line.slice(2))) ? [`${PASSED_BY} ${line.slice(2)}`] : [],
  );
  const lines = [...told, ...anew].filter((line) => line !== "" && !isLink(path.join(folder, line.slice(3)), line));
  if (lines.length === 0) return null;
  const named = (all: readonly string[]): string =>
    all
      .slice(0, 5)
      .map((line) => escapedJson(JSON.stringify(line.slice(3))).slice(1, -1))
      .join(", ") + (all.length > 5 ? ` and ${all.length - 5} more` : "");
  const ignored = lines.filter((line) => line.startsWith("!!"));
  const passedBy = lines.filter((line) => line.startsWith(PASSED_BY));
  const changed = lines.filter((line) => !line.startsWith("!!") && !line.startsWith(PASSED_BY));
  const said = [
    ...(passedBy.length === 0 ? [] : [`git was told to pass files by: ${named(passedBy)}`]),
    ...(changed.length === 0 ? [] : [`it has changes that are not committed: ${named(changed)}`]),
    ...(ignored.length === 0 ? [] : [`it has files that git ignores: ${named(ignored)}`]),
  ];
  return said.join("; ");
}

/** Whether an ignored file is Relay's own link to the home, which is made again with the next worktree. */
const isLink = (file: string, line: string): boolean =>
  line === `!! ${HOME_FOLDER}` && fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
