/** Folders that only one user may write; the permissions of this machine are in one. Knows no noun. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { thisThread } from "../process.ts";
import { readPlainText } from "../read/plain-file.ts";
import { errorCode, makeAt } from "../root.ts";

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const GROUP_OR_OTHERS_WRITE = GROUP_WRITES | OTHERS_WRITE;
/** A folder with it lets nobody rename or remove what belongs to somebody else. */
const STICKY = 0o1000;

/** The user that this process acts as; null where the system has no such numbers. */
const effectiveUser = (): number | null => process.geteuid?.() ?? null;

/**
 * What keeps a folder from being this user's own; null where nothing does, or it is not there.
 * @param folder absolute path; a link is never followed
 * @param stat what it is, where that was asked just now
 */
export function notOwn(folder: string, stat = fs.lstatSync(folder, { throwIfNoEntry: false })): string | null {
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return `${folder} is a symbolic link`;
  if (!stat.isDirectory()) return `${folder} is not a folder`;
  const user = effectiveUser();
  if (user === null) return null;
  if (stat.uid !== user) return `${folder} belongs to another user (${stat.uid}) than this process acts as (${user})`;
  return (stat.mode & GROUP_OR_OTHERS_WRITE) === 0 ? null : `${folder} can be written by others (mode ${(stat.mode & 0o777).toString(8)})`;
}

/** The way by which somebody else can put something into a folder; null where nobody can, or it is not there, and where the system has no users. */
function openTo(at: string, stat: fs.Stats | undefined): string | null {
  if (stat === undefined || effectiveUser() === null) return null;
  if (isOthers(stat.uid)) return `${at} belongs to another user (${stat.uid})`;
  // Nobody can take what is not theirs out of such a folder.
  if ((stat.mode & STICKY) !== 0) return null;
  if ((stat.mode & OTHERS_WRITE) !== 0) return `${at} can be written by everybody`;
  return (stat.mode & GROUP_WRITES) !== 0 && !isPrivateGroup(stat) ? `${at} can be written by a group (${stat.gid})` : null;
}

/** What keeps the folders above one and below `top` from being safe: a link, or what somebody else may change. */
export function notSafeAbove(folder: string, top: string): string | null {
  for (let at = path.dirname(folder); at !== top && at !== path.dirname(at); at = path.dirname(at)) {
    const stat = fs.lstatSync(at, { throwIfNoEntry: false });
    const problem = stat?.isSymbolicLink() === true ? `${at} is a symbolic link` : openTo(at, stat);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Names the way by which somebody else can put something at a place: a folder on the way to it that belongs to another user, or that everybody, or a group
 * with others in it, may write in. Root is trusted. Null where there is none.
 * @param folder absolute real path
 */
export const notOwnOnTheWay = (folder: string): string | null =>
  openTo(folder, fs.lstatSync(folder, { throwIfNoEntry: false })) ?? notSafeAbove(folder, path.parse(folder).root);

/** Tells whether what belongs to a user was made by another one than this process acts for, and than root. */
export function isOthers(owner: number): boolean {
  const user = effectiveUser();
  return user !== null && ![user, 0, askedBy(user)].includes(owner);
}

/** Tells whether nobody but the owner of a folder, and root, is known to be in its group: many systems give each user one of the same number or name. */
function isPrivateGroup({ uid, gid }: Pick<fs.Stats, "uid" | "gid">): boolean {
  const rows = (file: string): string[][] =>
    orElse([], () =>
      readPlainText(file)
        .split("\n")
        .map((line) => line.split(":")),
    );
  const users = rows("/etc/passwd");
  const name = users.find(([, , id]) => id === `${uid}`)?.[0];
  const group = rows("/etc/group").find(([, , id]) => id === `${gid}`);
  if (![0, uid].includes(gid) && (name === undefined || group?.[0] !== name)) return false;
  const members = [...(group?.[3]?.split(",") ?? []), ...users.flatMap(([each, , , first]) => (first === `${gid}` ? [each] : []))];
  return members.every((each) => each === "" || each === "root" || each === name);
}

/** The user who asked root to act (`sudo`), as git takes it; else the user itself. */
const askedBy = (user: number): number => (user === 0 ? Number(process.env["SUDO_UID"] || 0) : user);

/**
 * Makes folders of this user's alone, each inside the one before, and takes the rights of others to one that is there.
 * @param folders absolute paths, outermost first; what is missing above the first is made for this user alone, too
 */
export function makeOwn(folders: readonly string[]): void {
  for (const folder of folders) {
    if (makeFor(folder)) continue;
    const stat = fs.lstatSync(folder);
    if (stat.isDirectory() && stat.uid === effectiveUser() && (stat.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
  }
}

/** Makes a folder and those above it for this user alone. @returns false when the name is taken */
function makeFor(folder: string): boolean {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (errorCode(error) !== "ENOENT" || path.dirname(folder) === folder) throw error;
  }
  makeFor(path.dirname(folder));
  return makeFor(folder);
}

/** Writes a file that only this user may read. Nothing waits for the disk. @param file absolute path of no file yet */
export const writeOwn = (file: string, text: string): void => fs.writeFileSync(file, text, { mode: 0o600 });

/** Gives a small text a name beside the home, whole and only once. @returns false when the name is taken */
export function createWhole(file: string, text: string): boolean {
  const aside = `${file}.${thisThread()}.tmp`;
  fs.writeFileSync(aside, text, { flag: "wx", flush: true });
  try {
    fs.linkSync(aside, file);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    // Without hard links, a rename takes a free name; a process that lost the race reads the winner's file next time.
    if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(aside, file);
    return true;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/** The real path of a folder that may not exist yet: the existing part is followed, the rest stays as it is written. */
export function realAsFarAsThere(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(realAsFarAsThere(above), path.basename(folder));
  }
}

/** Whether a folder, or the nearest above it that is there, can be written by this process. */
export function canBeMade(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.lstatSync(at, { throwIfNoEntry: false }) === undefined && path.dirname(at) !== at) continue;
    return orElse(false, () => {
      fs.accessSync(at, fs.constants.W_OK | fs.constants.X_OK);
      return fs.statSync(at).isDirectory();
    });
  }
}

/** Whether a folder lies in a working tree of git, or is one. */
export function inWorkingTree(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.lstatSync(path.join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return true;
    if (path.dirname(at) === at) return false;
  }
}

/** Moves every file of a folder to the same path in another one, unless something has the name there. */
export function bringAlong(from: string, to: string): void {
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    const there = fs.lstatSync(target, { throwIfNoEntry: false });
    if (there === undefined) fs.renameSync(source, target);
    else if (entry.isDirectory() && there.isDirectory()) bringAlong(source, target);
  }
}

/** Makes a folder with those above it. */
export function ensureFolder(folder: string): void {
  makeAt(folder);
}
