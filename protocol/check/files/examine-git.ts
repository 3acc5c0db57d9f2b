/** Checks the surroundings of a home: git, the home's repository, the code's exclude line, the links in worktrees. spec/check.md, "doctor". */

import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { shellWord } from "../../core/format/shell-word.ts";
import { codeRepository, HOME_FOLDER, HOME_GIT } from "../../core/home/find-home.ts";
import { starterOf } from "../../core/home/starter.ts";
import { strayWorktrees, worktreeNames } from "../../core/home/worktree-part.ts";
import type { World } from "../../core/world.ts";
import { endlessIn } from "../../git/endless-files.ts";
import { askGit } from "../../git/git.ts";
import { gitVersion } from "../../git/git-run.ts";
import { refuseLed } from "../../git/home/repository.ts";
import { ensureFolderLink, ensureLine, leadsNowhere, says } from "../../store/beside/beside.ts";
import { linkedWorktrees } from "../../store/linked-worktrees.ts";
import { hasMergeDriver, ignoredPlaces, setMergeDriver } from "../../sync/sync/in-tree.ts";
import { isUnrecorded, RECORDER_PATH } from "../../sync/sync/leave-recorder.ts";
import { examineBranch } from "./examine-branch.ts";

/** The oldest git that does all Relay asks. */
const GIT_NEEDED = [2, 34] as const;
/** A version whose index can race. */
const GIT_RACY = "2.51.0";

/** Checks git and what `init` put around the home. Writes nothing. @throws Refusal `git_failed` */
export async function* examineGit(world: World): AsyncGenerator<Finding> {
  const version = await gitVersion();
  yield* examineVersion(version);
  const { root } = world.home().store;
  const code = codeRepository(path.dirname(root));
  if (code !== null && code.top !== null && version !== null) yield* examineInner(code.top, root);
  if (code === null)
    yield found("outside_git", "the home is not inside a git repository: it works as files, and cannot be recorded or shared");
  else if (fs.existsSync(path.join(root, ".git"))) {
    if (version === null) return;
    const endless = await endlessIn([root, code.commonDir]);
    const led = endless === null ? ledProblem(root, code.commonDir) : `${endless} is no plain file, and git would wait for it. Remove it`;
    if (led !== null) {
      yield found("repository_elsewhere", led, { path: ".git" });
      return;
    }
    yield* examineOwn(world, root, code.commonDir);
    if (isUnrecorded(world.home().store)) {
      const problem = "changes wait to be recorded: who made them could not, or a record failed (run/logs/recorder.jsonl)";
      yield found("not_recorded", problem, { path: RECORDER_PATH, remedy: "Record them here: `relay record`" });
    }
    yield* examineBranch(world);
  } else if (world.home().config().inTree) {
    yield* await ignoredPlaces(root);
    const fix = (): Promise<void> => setMergeDriver(root, starterOf(world, process.argv[1]));
    if (!(await hasMergeDriver(root)))
      yield found("no_merge_driver", "git merges the home's files line by line here, which leaves conflicts in them", {
        path: ".gitattributes",
        fix,
      });
  } else yield found("no_repository", "the home has no repository of its own", { path: ".git", remedy: "Run `relay init` again" });
}

/** What in the home's repository leads git elsewhere, or holds it up: git is not started there. */
function ledProblem(root: string, commonDir: string): string | null {
  try {
    refuseLed({ gitDir: path.join(commonDir, HOME_GIT), workTree: root });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function* examineVersion(version: string | null): Generator<Finding> {
  if (version === null) {
    const problem =
      "git was not found, or does not say its version; mail, tasks, memory and search work without it; record, sync, log, --at and check --ref do not";
    yield found("no_git", problem, { remedy: "Install git, or put it on the PATH" });
    return;
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < GIT_NEEDED[0] || (major === GIT_NEEDED[0] && minor < GIT_NEEDED[1]))
    yield found("old_git", `git ${version} is older than ${GIT_NEEDED.join(".")}`, { remedy: "Upgrade git" });
  if (version === GIT_RACY) yield found("racy_git", `git ${version} can lose index entries in a race`, { remedy: "Upgrade git" });
}

/** Homes that the code has below this one: whoever works there has none. */
async function* examineInner(top: string, root: string): AsyncGenerator<Finding> {
  const listed = (await askGit(top, ["ls-files", "-z", "--", `:(top,glob)**/${HOME_FOLDER}/${CONFIG_PATH}`])) ?? "";
  for (const name of listed.split("\0").filter((each) => each !== "" && path.dirname(path.join(top, each)) !== root)) {
    const inner = path.dirname(name);
    const problem = `the code tracks ${inner}, a home below this one: from its folder Relay uses neither`;
    yield found("inner_home", problem, { remedy: `Remove it: \`git -C ${shellWord(top)} rm -r -- ${shellWord(inner)}\`` });
  }
}

async function* examineOwn(world: World, root: string, commonDir: string): AsyncGenerator<Finding> {
  const top = ((await askGit(root, ["rev-parse", "--show-toplevel"])) ?? "").trim();
  if (top === "" || fs.realpathSync.native(top) !== root) {
    const problem = `the home's repository belongs to another folder (${JSON.stringify(top)})`;
    yield found("repository_elsewhere", problem, { path: ".git", remedy: "Run `relay init` again" });
  }
  const exclude = path.join(commonDir, "info", "exclude");
  const line = `/${HOME_FOLDER}`;
  if (says(exclude)?.split(/\r?\n/).includes(line) !== true)
    yield found("not_excluded", "the code's repository does not ignore /.relay", { fix: () => void ensureLine(exclude, line) });
  yield* examineWorktreeParts(world, commonDir);
  for (const stray of strayWorktrees(commonDir)) {
    const problem = `${stray} names a folder as a worktree that does not lead back to it, so Relay lays no link there`;
    yield found("stray_worktree", problem, { remedy: `Remove it, or, if you moved the worktree: \`git worktree repair\` in it` });
  }
  for (const { top: worktree } of linkedWorktrees(commonDir)) {
    const link = path.join(worktree, HOME_FOLDER);
    const fix = (): void => void ensureFolderLink(root, link);
    const name = `the worktree ${path.basename(worktree)}`;
    if (path.dirname(root) === worktree) continue;
    if (leadsNowhere(root, link))
      yield found("dangling_link", `the link .relay in ${name} leads nowhere: the home, or the worktree, was moved`, { fix });
    else if (fs.lstatSync(link, { throwIfNoEntry: false }) === undefined)
      yield found("no_link", `${name} has no link to the home; everything works without it`, { fix });
  }
}

/** Worktrees that are one part: whoever reads first has the mail of both. And those whose file names a part that nobody made them here. */
function* examineWorktreeParts(world: World, commonDir: string): Generator<Finding> {
  const tops = new Map<string, string[]>();
  for (const { named, part, top } of worktreeNames(world, commonDir)) {
    if (part !== null) tops.set(part, [...(tops.get(part) ?? []), top]);
    else {
      const problem = `the worktree ${top} says that it is ${JSON.stringify(named)}, which may have come with the folder, so it does not count`;
      yield found("part_not_here", problem, { remedy: "If it is right: `relay part here PART` in it; else `relay part here --unset`" });
    }
  }
  const remedy = "Make all but one another part: `relay part here PART` in each";
  for (const [part, all] of tops)
    if (all.length > 1)
      yield found("shared_part", `these worktrees are all "${part}", so their agents share one inbox: ${all.join(", ")}`, { remedy });
}
