/**
 * The repository of the code around a folder, found without starting git, and what it tracks of a home that must not be tracked.
 * spec/commands.md, "Finding the home".
 */
import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../objects/config/config-schema.ts";
import { orElse } from "../objects/format/file-error.ts";
import { trackedBelow } from "../store/git/git-tracked.ts";
import { MACHINE_FOLDERS } from "../store/root.ts";
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
/** Whether a folder is a home: something has the name of its configuration, be it one that can be read or not. */
export const hasHome = (at: string): boolean => isNamed(path.join(at, CONFIG_PATH)) || isLeft(at);
/** Whether a folder was a home whose configuration was removed: it has its repository, and the last good version. */
const isLeft = (at: string): boolean => isNamed(path.join(at, GOOD_CONFIG)) && isNamed(path.join(at, ".git"));
const isNamed = (at: string): boolean => statOf(at, fs.lstatSync) !== null;

/** What a path leads to; null for what is not there, or may not be looked at: a search goes past it. */
export const statOf = (at: string, look: (at: string) => fs.Stats = fs.statSync): fs.Stats | null => orElse(null, () => look(at));

/** The first line of a file, without blanks around it; null where it cannot be read. */
export const firstLine = (at: string): string | null => orElse(null, () => (fs.readFileSync(at, "utf8").split("\n")[0] as string).trim());

/** The git directory that a `.git` names: itself, or where its `gitdir:` line leads. */
export function gitDirectory(dotGit: string): string | null {
  if (isFolder(dotGit)) return isFile(path.join(dotGit, "HEAD")) ? fs.realpathSync.native(dotGit) : null;
  const target = firstLine(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  if (target === undefined) return null;
  const at = path.resolve(path.dirname(dotGit), target);
  return isFolder(at) ? fs.realpathSync.native(at) : null;
}

/** The common directory of a git directory: where a linked worktree's `commondir` leads, else itself. */
function commonDirectory(gitDir: string): string {
  const common = firstLine(path.join(gitDir, "commondir"));
  const at = common === null ? gitDir : path.resolve(gitDir, common);
  return isFolder(at) ? fs.realpathSync.native(at) : gitDir;
}

/** The git directory of the outermost repository that a submodule's belongs to (`…/.git/modules/a` leads to `…/.git`, and so does `…/.git/worktrees/b/modules/a`). */
function outermost(commonDir: string): string {
  const marker = `${path.sep}modules${path.sep}`;
  for (let at = commonDir.indexOf(marker); at !== -1; at = commonDir.indexOf(marker, at + 1)) {
    const above = commonDir.slice(0, at);
    // A submodule that is checked out in a linked worktree lies below that worktree's own directory.
    if (isFile(path.join(above, "HEAD"))) return commonDirectory(above);
  }
  return commonDir;
}

function homeBeside(commonDir: string): string {
  const top = outermost(commonDir);
  return path.basename(top) === ".git" ? path.join(path.dirname(top), HOME_FOLDER) : path.join(top, BARE_HOME);
}

/**
 * The home that a folder lies in, or is: the outermost, because a folder inside of a home is never one, whatever was put
 * there. Null outside of any.
 */
export function homeAround(folder: string): string | null {
  let found: string | null = null;
  for (let at = folder; ; at = path.dirname(at)) {
    if ([HOME_FOLDER, BARE_HOME].includes(path.basename(at)) && hasHome(at)) found = at;
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
    if (gitDir === null && isFile(dotGit)) return null;
    // The home's own repository is not the code's.
    if (gitDir !== null && !hasHome(at)) {
      const commonDir = commonDirectory(gitDir);
      return { gitDir, commonDir: outermost(commonDir), top: at, home: homeBeside(commonDir) };
    }
    if (isFile(path.join(at, "HEAD")) && isFolder(path.join(at, "objects")) && isFolder(path.join(at, "refs"))) {
      const commonDir = commonDirectory(at);
      return { gitDir: at, commonDir: outermost(commonDir), top: null, home: homeBeside(commonDir) };
    }
    if (path.dirname(at) === at) return null;
  }
}

/** The real path of a folder; of one that is not there, its absolute path. */
export function realFolder(from: string): string {
  try {
    return fs.realpathSync.native(from);
  } catch {
    return path.resolve(from);
  }
}

/** What an index tracks of a home, and the sign of that index. */
interface TrackedBy {
  sign: string;
  tracked: readonly string[];
}

/** By the root of the home. */
const trackedBefore = new Map<string, TrackedBy>();

/**
 * What the code tracks of a home's `outbox/`, `local/` and `run/`. Git is asked only where its index seems to name such a
 * path, because every call of every operation begins with this question.
 * @param root absolute path of the home
 * @returns paths in the home, with `/`
 */
export function trackedState(root: string): readonly string[] {
  const code = codeRepository(path.dirname(root));
  if (code === null || code.top === null) return [];
  const index = path.join(code.gitDir, "index");
  const stat = fs.statSync(index, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const sign = `${index} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  const known = trackedBefore.get(root);
  if (known?.sign === sign) return known.tracked;
  const tracked = mayTrack(code.gitDir, index, machineFoldersFrom(code.top, root)) ? tracksOf(code.top, root) : [];
  trackedBefore.set(root, { sign, tracked });
  return tracked;
}

const slashed = (at: string): string => at.split(path.sep).join("/");
/** The machine's folders by their paths from the top of the working tree. */
const machineFoldersFrom = (top: string, root: string): string[] =>
  [...MACHINE_FOLDERS].map((name) => slashed(path.relative(top, path.join(root, name))));

/** Whether an index may name one of some paths, or something below it: false is sure. Folded, as some disks fold names. */
function mayTrack(gitDir: string, index: string, paths: readonly string[]): boolean {
  const bytes = fs.readFileSync(index);
  // From version 4 on names are shortened; an index that is split has most of them in another file.
  if (bytes.length < 8 || bytes.readUInt32BE(4) > 3) return true;
  if (fs.readdirSync(gitDir).some((name) => name.startsWith("sharedindex."))) return true;
  const text = bytes.toString("latin1").toLowerCase();
  return paths.some((each) => {
    const name = Buffer.from(each).toString("latin1").toLowerCase();
    return text.includes(`${name}/`) || text.includes(`${name}\0`);
  });
}

/** Asks git what it tracks of a home's machine folders. */
function tracksOf(top: string, root: string): string[] {
  const names = machineFoldersFrom(top, root);
  // What cannot be asked counts as tracked.
  const tracked = trackedBelow(top, names) ?? names;
  return tracked.map((name) => slashed(path.relative(root, path.join(top, name))));
}
