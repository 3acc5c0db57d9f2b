/** Making a home: its files, its repository, and its links. spec/commands.md, "init". */

import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { type CodeRepository, codeRepository, findHome, HOME_FOLDER, HOME_GIT } from "../../core/home/find-home.ts";
import { otherWorktreesOf } from "../../core/home/worktree-part.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { ensureFolderLink, ensureLine, removeBeside, removeEmpty, removeFolder } from "../../store/beside/beside.ts";
import { linkedWorktrees } from "../../store/linked-worktrees.ts";
import { flushAt, makeAt, type Store, storeAt } from "../../store/root.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { publish } from "../../store/write/publish.ts";
import { git } from "../git.ts";
import { resolveCommit } from "../git-commits.ts";
import { flushRepository } from "../git-flush.ts";
import { checkedOutHome } from "./checked-out-home.ts";
import { IGNORED, pin, refuseLed, TOOL_FILES } from "./repository.ts";

/** Where a new home would lie, and what it is to be. */
export interface Site {
  /** Absolute path of the home's folder. */
  home: string;
  repository: CodeRepository | null;
  inTree: boolean;
}

/**
 * Where `init` makes a home for a folder.
 * @throws Refusal `home_tracked` where the code has files under the home's name, `linked_home` where a link has it, `home_checked_out`
 */
export async function siteFor(from: string, inTree: boolean): Promise<Site> {
  const site = await placeFor(from, inTree);
  // Whoever packed the folder may have laid it.
  if (fs.lstatSync(site.home, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw refuse("linked_home", { path: site.home, target: fs.readlinkSync(site.home) });
  return site;
}

async function placeFor(from: string, inTree: boolean): Promise<Site> {
  const refusal = await checkedOutHome(from);
  if (refusal !== null) throw refusal;
  const repository = codeRepository(from);
  if (repository === null) {
    // Outside of git a home serves the folders below it too.
    return { home: findHome(from) ?? path.join(fs.realpathSync.native(from), HOME_FOLDER), repository: null, inTree: false };
  }
  if (inTree) {
    if (repository.top === null)
      throw refuse("not_in_git", { path: from, hint: "A home with `--in-tree` needs one, so run it outside of a bare repository" });
    return { home: path.join(repository.top, HOME_FOLDER), repository, inTree };
  }
  // The worktree that is asked in, and the one that the home will lie in: from a submodule, or a linked worktree, another.
  const tops = repository.top === null ? [] : [repository.top, path.dirname(repository.home)];
  for (const top of new Set(tops.filter((at) => fs.existsSync(path.join(at, ".git"))))) {
    if ((await git(top, ["ls-files", "-z", "--", `:(top)${HOME_FOLDER}`])) !== "") throw refuse("home_tracked", { path: HOME_FOLDER });
  }
  return { home: repository.home, repository, inTree };
}

/** Makes the folder of a home and the files that are the same in every one; what is there already stays as it is. */
export function writeHomeFiles(site: Site, relayMd: string): Store {
  makeAt(site.home, path.dirname(site.home));
  const store = storeAt(site.home);
  // Its own name: what is published in it is flushed with its folder alone.
  flushFolder(store, "..");
  publish(store, "RELAY.md", relayMd);
  publish(store, ".gitignore", `${IGNORED.join("\n")}\n`);
  for (const [name, text] of Object.entries(TOOL_FILES)) publish(store, name, text);
  // In the code's repository a user's settings could change line ends, and a message would not match its name any more.
  if (site.inTree) publish(store, ".gitattributes", `${IN_TREE_ATTRIBUTES}\n`);
  return store;
}

/** Gives a home its own repository in the code's common directory; its paths are relative, so a copied project has its own. */
export async function createRepository(site: Site, branch: string): Promise<boolean> {
  if (site.repository === null || site.inTree) return false;
  const gitDir = path.join(site.repository.commonDir, HOME_GIT);
  refuseLed({ gitDir, workTree: site.home });
  const gitFile = path.join(site.home, ".git");
  const pointer = `gitdir: ${slashes(path.relative(site.home, gitDir))}\n`;
  if (fs.existsSync(path.join(gitDir, "HEAD")) && fs.existsSync(gitFile)) return false;
  if (!fs.existsSync(path.join(gitDir, "HEAD"))) {
    // As the code's: they share remotes. Refs are files, whatever a newer git would choose, because Relay reads HEAD itself.
    const format = `--object-format=${await objectFormat(site.repository)}`;
    const args = ["init", "--quiet", "--bare", "--template=", format, `--initial-branch=${branch}`, gitDir];
    await git(site.repository.commonDir, args, { GIT_DEFAULT_REF_FORMAT: "files" });
  } else if ((await resolveCommit({ gitDir, workTree: site.home }, "HEAD")) === null)
    await git(gitDir, ["--git-dir", gitDir, "symbolic-ref", "HEAD", `refs/heads/${branch}`]);
  const set = (name: string, value: string): Promise<string> => git(gitDir, ["config", "--file", path.join(gitDir, "config"), name, value]);
  await set("core.bare", "false");
  await set("core.worktree", slashes(path.relative(gitDir, site.home)));
  await pin({ gitDir, workTree: site.home });
  flushRepository(gitDir);
  flushAt(path.dirname(gitDir));
  publish(storeAt(site.home), ".git", pointer);
  return true;
}

/** How a code repository names its objects: `sha1` or `sha256`. */
const objectFormat = async ({ commonDir }: CodeRepository): Promise<string> =>
  (await git(commonDir, ["--git-dir", commonDir, "rev-parse", "--show-object-format"])).trim();

/** Takes away a repository that was laid just now, because there was nothing to join after all. */
export function removeRepository(site: Site): void {
  if (site.repository === null || site.inTree) return;
  removeBeside(path.join(site.home, ".git"));
  removeFolder(path.join(site.repository.commonDir, HOME_GIT));
  removeFolder(path.join(site.home, "run"));
  removeEmpty(site.home);
}

const slashes = (text: string): string => text.split(path.sep).join("/");

/** Hides the home from the code and links it into every linked worktree. @returns the links made */
export function writeLinks(site: Site): string[] {
  if (site.repository === null || site.inTree) return [];
  // Without a slash at the end, so that the symbolic links are covered too.
  ensureLine(path.join(site.repository.commonDir, "info", "exclude"), `/${HOME_FOLDER}`);
  const home = fs.realpathSync.native(site.home);
  return linkedWorktrees(site.repository.commonDir)
    .map(({ top }) => path.join(top, HOME_FOLDER))
    .filter((link) => link !== site.home && ensureFolderLink(home, link) === "made");
}

/** Links the home into worktrees that were made after it. @param from a folder of the code @returns the links made */
export function linkWorktrees(world: World, from = world.cwd): string[] {
  const repository = codeRepository(from);
  const { store, config } = world.home();
  return repository === null || config().inTree ? [] : writeLinks({ home: store.root, repository, inTree: false });
}

/** What there is to say when a worktree becomes a part that another one is; null when none is. */
export function sharedPart(world: World, part: string): string | null {
  const others = otherWorktreesOf(world, world.cwd, part);
  return others.length === 0
    ? null
    : `${others.join(", ")} is ${part} too: agents in both would share one inbox. Make one of them another part: \`relay part here PART\``;
}

/** Whether a home is complete: its configuration is what makes it one. */
export const isHome = (folder: string): boolean => fs.existsSync(path.join(folder, CONFIG_PATH));

/** What `.gitattributes` of a home in the tree says: bytes stay, and Relay merges. */
export const IN_TREE_ATTRIBUTES = "* -text merge=relay";
