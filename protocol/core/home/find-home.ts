/** Finds the home from a folder or by its name, and the repository of the code around it, without starting git. spec/commands.md, "Finding the home". */
import fs from "node:fs";
import path from "node:path";
import { valueIn } from "../../git/git-config.ts";
import { linkedTop, linkOf } from "../../store/linked-worktrees.ts";
import { firstLineIn, readPlainText } from "../../store/read/plain-file.ts";
import { notOwnHome } from "../../trust/files/own-home.ts";
import { CONFIG_PATH } from "../config/config-schema.ts";
import { orElse } from "../format/file-error.ts";
import { refuse } from "../refusal.ts";
import { goodPath } from "./broken-files.ts";

/** The folder of a home inside a working tree, and beside the git directory of a bare repository. */
export const HOME_FOLDER = ".relay";
export const BARE_HOME = "relay-home";
/** Where the last good configuration lies in a home. */
const GOOD_CONFIG = goodPath(CONFIG_PATH);

/** A code repository as its files show it. Paths are absolute and real. */
export interface CodeRepository {
  /** This working tree's own git directory. */
  gitDir: string;
  /** What all its working trees share. */
  commonDir: string;
  /** The top of this working tree; null in a bare repository. */
  top: string | null;
  /** Where the home of this repository lies, or would lie. */
  home: string;
}

/** Whether a path leads to a plain file; false where it cannot be read. */
export const isFile = (at: string): boolean => statOf(at)?.isFile() ?? false;
/** Whether a path leads to a folder; false where it cannot be read. */
export const isFolder = (at: string): boolean => statOf(at)?.isDirectory() ?? false;
/**
 * Whether a folder is a home, by its own name: a `.relay`, or the `relay-home` of a bare repository, in which something has the name of
 * a configuration, be it one that can be read or not. Any other folder with such a file is the project's own.
 */
export function hasHome(at: string): boolean {
  const isPlace = path.basename(at) === HOME_FOLDER || (path.basename(at) === BARE_HOME && isBare(path.dirname(at)));
  return isPlace && (isNamed(path.join(at, CONFIG_PATH)) || isLeft(at));
}

/** Tells a folder that git takes for a directory of its own. Of any other one it looks further up, and so would write into the repository there. */
const isGit = (folder: string): boolean =>
  isFile(path.join(folder, "HEAD")) &&
  isFolder(path.join(folder, "objects")) &&
  isFolder(path.join(folder, "refs")) &&
  orElse(false, () => /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(readPlainText(path.join(folder, "HEAD"))));

/** Whether a folder is a bare repository. One inside of a working tree is files of that tree, whatever it looks like. */
function isBare(folder: string): boolean {
  if (!isGit(folder)) return false;
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) if (isNamed(path.join(at, ".git"))) return false;
  return true;
}
/** Whether a folder was a home whose configuration was removed: it has its repository, and the last good version. */
const isLeft = (at: string): boolean => isNamed(path.join(at, GOOD_CONFIG)) && isNamed(path.join(at, ".git"));
const isNamed = (at: string): boolean => statOf(at, fs.lstatSync) !== null;

/** What a path leads to; null for what is not there, or may not be read: a search goes past it. */
export const statOf = (at: string, look: typeof fs.statSync = fs.statSync): fs.Stats | null =>
  orElse(null, () => look(at, { throwIfNoEntry: false }) ?? null);

/**
 * The git directory that a `.git` names: itself, or where its `gitdir:` line leads, if what lies there names this working tree too. Whoever
 * packs an archive can write such a line, or a link, into it; null for those.
 */
export function gitDirectory(dotGit: string): string | null {
  if (isLink(dotGit)) return null;
  if (isFolder(dotGit)) return isGit(dotGit) ? fs.realpathSync.native(dotGit) : null;
  const at = linkOf(dotGit);
  if (at === null || !isFolder(at)) return null;
  const gitDir = fs.realpathSync.native(at);
  const top = linkedTop(gitDir) ?? valueIn(gitDir, "core.worktree");
  return top !== null && realFolder(path.resolve(gitDir, top)) === realFolder(path.dirname(dotGit)) ? gitDir : null;
}

const isLink = (at: string): boolean => statOf(at, fs.lstatSync)?.isSymbolicLink() === true;

/** The common directory of a git directory: that in whose `worktrees` it lies where it has a `commondir`, else itself; null for any other one. */
function commonDirectory(gitDir: string): string | null {
  const common = firstLineIn(path.join(gitDir, "commondir"));
  if (common === null) return gitDir;
  const at = realFolder(path.resolve(gitDir, common));
  return path.dirname(gitDir) === path.join(at, "worktrees") ? at : null;
}

/**
 * The git directory of the outermost repository that a submodule's belongs to (`…/.git/modules/a` leads to `…/.git`, and so does
 * `…/.git/worktrees/b/modules/a`). A repository with a `.git` of its own is no submodule, whatever the folders around it are called.
 */
function outermost(commonDir: string): string {
  if (path.basename(commonDir) === ".git") return commonDir;
  const marker = `${path.sep}modules${path.sep}`;
  for (let at = commonDir.indexOf(marker); at !== -1; at = commonDir.indexOf(marker, at + 1)) {
    const above = commonDir.slice(0, at);
    // A submodule that is checked out in a linked worktree lies below that worktree's own directory.
    if (isFile(path.join(above, "HEAD"))) return commonDirectory(above) ?? commonDir;
  }
  return commonDir;
}

const homeBeside = (commonDir: string): string =>
  path.basename(commonDir) === ".git" ? path.join(path.dirname(commonDir), HOME_FOLDER) : path.join(commonDir, BARE_HOME);

/**
 * The home that a folder lies in, or is: the outermost, because a folder inside of a home is never one, whatever was put
 * there. Null outside of any.
 */
export function homeAround(folder: string): string | null {
  let found: string | null = null;
  for (let at = folder; ; at = path.dirname(at)) {
    if (hasHome(at)) found = at;
    if (path.dirname(at) === at) return found;
  }
}

/** The code repository that a folder lies in; null outside of any. What lies in a home is no repository of code. */
export function codeRepository(from: string): CodeRepository | null {
  const start = realFolder(from);
  const around = homeAround(start);
  for (let at = around === null ? start : path.dirname(around); ; at = path.dirname(at)) {
    const dotGit = path.join(at, ".git");
    const gitDir = gitDirectory(dotGit);
    // A gitfile that leads nowhere (its repository is gone) is a boundary all the same.
    if (gitDir === null && (isFile(dotGit) || isLink(dotGit))) return null;
    if (gitDir !== null) {
      const common = commonDirectory(gitDir);
      if (common === null) return null;
      const commonDir = outermost(common);
      return { gitDir, commonDir, top: at, home: homeBeside(commonDir) };
    }
    if (isBare(at)) {
      if (commonDirectory(at) !== at) return null;
      return { gitDir: at, commonDir: at, top: null, home: homeBeside(at) };
    }
    if (path.dirname(at) === at) return null;
  }
}

/** The repository of the code around a home, by the folder that the home lies in. */
const codeBefore = new Map<string, { sign: string; code: CodeRepository }>();

/**
 * As `codeRepository`, which takes a dozen calls of the disk, for the folder that a home lies in. Where that folder has git's own
 * directory in it, the answer stays as long as that directory is the same and nothing came into it or left it.
 */
export function codeAround(folder: string): CodeRepository | null {
  const stat = statOf(path.join(folder, ".git"), fs.lstatSync);
  const sign = stat?.isDirectory() === true ? `${stat.ino} ${stat.ctimeMs}` : "";
  const before = codeBefore.get(folder);
  if (before !== undefined && before.sign === sign) return before.code;
  const code = codeRepository(folder);
  if (sign !== "" && code?.top === folder) codeBefore.set(folder, { sign, code });
  return code;
}

/** The real path of a folder; of one that is not there, its absolute path. */
export function realFolder(from: string): string {
  try {
    return fs.realpathSync.native(from);
  } catch {
    return path.resolve(from);
  }
}

/** Where git's own directory of a home lies in the code's common directory. */
export const HOME_GIT = "relay";

/**
 * The home at a path, through the link that `init` lays into a linked worktree, and through no other: a link may have come with the
 * folder. Where it lies in another home, the other.
 * @throws Refusal `linked_home`, `not_own_home`
 */
function followed(at: string): string {
  const before = statOf(at, fs.lstatSync);
  const real = fs.realpathSync.native(at);
  const home = homeAround(path.dirname(real)) ?? real;
  // What was a folder may be a link by now, which leads to another one.
  if (before?.isSymbolicLink() !== true && statOf(real)?.ino === before?.ino) return home;
  const problem = notOwnHome(path.dirname(at));
  if (problem !== null) throw refuse("not_own_home", { home: at, folder: path.dirname(at), problem });
  const repository = codeRepository(path.dirname(at));
  if (repository !== null && repository.home !== at && realFolder(repository.home) === real) return followed(repository.home);
  throw refuse("linked_home", { path: at, target: fs.readlinkSync(at) });
}

/** The home that a path names: the home itself, or the folder that holds it. Null when there is none. */
export function homeAt(given: string): string | null {
  for (const at of [given, path.join(given, HOME_FOLDER), path.join(given, BARE_HOME)]) {
    if (hasHome(at)) return at === given ? (homeAround(fs.realpathSync.native(at)) ?? fs.realpathSync.native(at)) : followed(at);
  }
  return null;
}

/** Whether a working tree is a submodule, or a worktree of one. */
export const isSubmodule = ({ gitDir, commonDir }: CodeRepository): boolean =>
  gitDir !== commonDir && path.dirname(gitDir) !== path.join(commonDir, "worktrees");

/**
 * Refuses a second home in a repository: whoever can change the code, or wrote a submodule, can lay one, and mail would land there.
 * @param home absolute path
 * @returns it
 * @throws Refusal `inner_home`
 */
function requireOuter(home: string): string {
  const folder = path.dirname(home);
  // The usual place, at the top of the main worktree.
  if (isFolder(path.join(folder, ".git"))) return home;
  const code = codeRepository(folder);
  if (code === null || code.top === null) return home;
  if (code.top === folder && !isSubmodule(code)) {
    // A linked worktree has a link to the home; only a home that is files of the code lies in each.
    const isAlone = !hasHome(code.home) || !isFile(path.join(code.commonDir, HOME_GIT, "HEAD"));
    if (isAlone || realFolder(home) === realFolder(code.home)) return home;
    throw refuse("inner_home", { inner: home, outer: code.home });
  }
  const outer = [code.home, path.join(code.top, HOME_FOLDER)].find((other) => other !== home && hasHome(other));
  if (outer !== undefined) throw refuse("inner_home", { inner: home, outer });
  return home;
}

/**
 * Looks for a home from a folder upward; null when there is none. Inside of a home it is that home. In each folder: a `.relay/relay.yml`; else a `.git`,
 * whose repository's home is it. A repository's boundary ends the search, but for a submodule's.
 * @throws Refusal `inner_home`, `linked_home`, `not_own_home`
 */
export function findHome(from: string): string | null {
  const start = realFolder(from);
  // Standing inside the home itself, where neither its own gitfile nor what arrived in it ends the search.
  const around = homeAround(start);
  if (around !== null) return requireOuter(around);
  for (let at = start; ; at = path.dirname(at)) {
    if (hasHome(path.join(at, HOME_FOLDER))) return followed(requireOuter(path.join(at, HOME_FOLDER)));
    const repository =
      isFolder(path.join(at, ".git")) || isFile(path.join(at, ".git")) || isFile(path.join(at, "HEAD")) ? codeRepository(at) : null;
    if (repository !== null && (repository.top === at || repository.gitDir === at)) {
      return hasHome(repository.home) ? followed(repository.home) : null;
    }
    if ((isFile(path.join(at, ".git")) || isLink(path.join(at, ".git"))) && repository === null) return null;
    if (path.dirname(at) === at) return null;
  }
}

/**
 * The home for a connection or a command: the one named, else the first found from the folders given.
 * @param named the value of `--home` or `RELAY_HOME`
 * @param folders the roots of a client first, then the working directory
 * @throws Refusal `no_home`
 */
export function requireHome(named: string | undefined, folders: readonly string[]): string {
  if (named !== undefined && named !== "") {
    const at = path.resolve(folders.at(-1) ?? ".", named);
    const home = homeAt(at);
    if (home === null) throw refuse("no_home", { looked: named, absent: !fs.existsSync(at) });
    return home;
  }
  for (const folder of folders) {
    const home = findHome(folder);
    if (home !== null) return home;
  }
  const looked = folders.join(", ") || ".";
  throw refuse("no_home", folders.some(isRecorded) ? { looked, recorded: true } : { looked });
}

/** Whether there is a record of a home that is gone. */
function isRecorded(from: string): boolean {
  const code = codeRepository(from);
  return code !== null && isFile(path.join(code.commonDir, HOME_GIT, "HEAD"));
}

/** The home that a folder leads to; null where it leads to none, or to one that may not be used. */
export const homeOf = (folder: string): string | null => orElse(null, () => findHome(folder));

/** Texts that say where a home is, and who calls, each with an example. */
const TEXTS = { cwd: "/path/to/project", home: "/path/to/project/.relay", part: "web" } as const;

/** Refuses what a program without types may give for a folder or a part. @throws Refusal `usage` */
export function requireTexts(options: Readonly<Record<keyof typeof TEXTS, unknown>>): void {
  for (const [name, example] of Object.entries(TEXTS)) {
    const given = options[name as keyof typeof TEXTS];
    if (given !== undefined && typeof given !== "string")
      throw refuse("usage", {
        problem: `${name}: expected a text, given ${(JSON.stringify(given) ?? typeof given).slice(0, 80)}.`,
        help: `Example: \`createWorld({ ${name}: "${example}" })\``,
      });
  }
}
