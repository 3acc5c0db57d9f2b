/**
 * Recording with an index of one's own, so that no lock is ever left: it begins as a hard link of the repository's (git
 * replaces an index whole, and never writes into one), and takes its place at the end. An index is derived: whichever is
 * there, the next record compares it with the disk. spec/git.md, "Recording".
 */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../core/format/file-error.ts";
import { MOST_BYTES } from "../core/format/schema.ts";
import { lstatIfThere } from "../store/look.ts";
import { thisThread } from "../store/process.ts";
import { readPlainText } from "../store/read/plain-file.ts";
import { errorCode, flushAt } from "../store/root.ts";
import { type Change, parseRaw } from "./git-changes.ts";
import { noteFound } from "./git-commits.ts";
import { NOT_INSIDE } from "./git-environment.ts";
import { encodePath, zeroFields } from "./git-path.ts";
import { failureOf, gitBytes, gitResult, gitText, type Repository } from "./git-run.ts";

export const OWN_INDEX = "relay-index.";
const TRIES = 5;
let counter = 0;

/** An index of this process's own, with what the repository's has; absolute path. */
export function openIndex({ gitDir }: Repository): string {
  counter += 1;
  const own = path.join(gitDir, `${OWN_INDEX}${thisThread()}.${counter}`);
  const standard = path.join(gitDir, "index");
  try {
    fs.linkSync(standard, own);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return own;
    if (!fs.existsSync(standard)) return own;
    fs.copyFileSync(standard, own);
    // What changed in the instant in which an index was written is compared by its content; a later time would hide it.
    const { atimeMs, mtimeMs } = fs.statSync(standard);
    fs.utimesSync(own, atimeMs / 1_000, (mtimeMs - 1) / 1_000);
  }
  return own;
}

/** Makes an index the repository's. Git reads none that is cut, so its bytes are on the disk before it has the name. */
export function keepIndex({ gitDir, durable }: Repository, index: string): void {
  const standard = path.join(gitDir, "index");
  const inodeOf = (at: string): number | undefined => fs.statSync(at, { throwIfNoEntry: false })?.ino;
  const own = inodeOf(index);
  if (durable !== false && own !== undefined && own !== inodeOf(standard)) flushAt(index);
  try {
    fs.renameSync(index, standard);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  // Renaming one name of a file onto another leaves both.
  dropIndex(index);
}

/** Removes an index of one's own. */
export function dropIndex(index: string): void {
  fs.rmSync(index, { force: true });
  fs.rmSync(`${index}.lock`, { force: true });
}

/** So many objects are flushed together: git gives each to the disk, and waits once. Git promises that where these systems keep files. */
const TOGETHER = 64;
const CAN_WAIT_ONCE: ReadonlySet<string> = new Set(["darwin", "win32"]);
const flushOf = (count: number): string[] =>
  count > TOGETHER && CAN_WAIT_ONCE.has(process.platform) ? ["-c", "core.fsyncMethod=batch"] : [];

/** Result of taking a home into an index. */
export interface Staged {
  /** Words of git about files that could not be read. */
  faults: string[];
  /** Repositories inside the home, and paths that are not wanted. */
  left: string[];
  /** The commit whose files the index has; null where it may have others. */
  indexed: string | null;
}

/** Choice of the paths that are taken into an index. */
interface Wanted {
  /** Returns whether a new path is taken in. */
  isWanted: (path: string) => boolean;
  /**
   * Returns whether `info/exclude` leaves a path out; null where a person wrote into it: only git reads that, and in `git status` a
   * `.gitignore` goes before it.
   */
  isOurs: ((path: string) => boolean) | null;
  /** Is given the paths that are new before they are taken in. */
  prepare: (paths: readonly string[]) => Promise<void>;
}

/** Differences between the commit that is checked out, an index, and the home. */
interface Differences {
  head: string | null;
  /** True if the index has the files of the commit. */
  isSame: boolean;
  /** Paths of the index that the home has otherwise, or not. */
  changed: string[];
  others: string[];
}

/** Compares all of a home with an index, and that with the commit; null where a `.gitignore` has a say in it. */
async function compareAll(repository: Repository, index: string, isOurs: (path: string) => boolean): Promise<Differences | null> {
  const shape = ["--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames", NOT_INSIDE];
  const args = ["status", ...shape, "--untracked-files=all", "--ignored=matching"];
  const { code, out } = await gitResult(repository, args, { index });
  if (code !== 0) return null;
  const differences: Differences = { head: null, isSame: true, changed: [], others: [] };
  for (const line of zeroFields(out)) {
    const [sign, path] = [line[0], line.slice(2)];
    if (sign === "#") differences.head ??= /^branch\.oid ([0-9a-f]+)$/.exec(path)?.[1] ?? null;
    else if (sign === "!" ? !isOurs(path) : sign === "?" && isOurs(path)) return null;
    else if (sign === "?") differences.others.push(path);
    else if (sign === "1") {
      // `1 <what the index and the home did> <of a repository> <three modes> <two ids> <path>`
      const [, inIndex, inHome, changed = ""] = /^(.)(.) (?:\S+ ){6}(.+)$/s.exec(path) ?? [];
      differences.isSame &&= inIndex === ".";
      if (inHome !== ".") differences.changed.push(changed);
    } else if (sign === "u") return null;
  }
  if (differences.head !== null) noteFound(repository, differences.head);
  return differences;
}

/**
 * Takes all that the home has now into an index, however it came there, and whatever a `.gitignore` in it says: what one
 * clone ignores must not keep the mail of all others from being recorded.
 */
export async function stageAll(repository: Repository, index: string, { isWanted, isOurs, prepare }: Wanted): Promise<Staged> {
  const found = isOurs === null ? null : await compareAll(repository, index, isOurs);
  if (found !== null) {
    const { head, isSame, changed, others } = found;
    const wanted = others.filter((at) => !at.endsWith("/") && isWanted(at));
    const taken = new Set(wanted);
    const left = others.filter((at) => !taken.has(at)).map((at) => at.replace(/\/$/, ""));
    const all = [...changed, ...wanted];
    if (all.length === 0) return { faults: [], left, indexed: isSame ? head : null };
    await prepare(wanted);
    if (await stageNamed(repository, index, all)) return { faults: [], left, indexed: null };
  }
  return stageEach(repository, index, isWanted, prepare);
}

/** Takes all of a home into an index, and names what cannot be taken. */
async function stageEach(repository: Repository, index: string, isWanted: Wanted["isWanted"], prepare: Wanted["prepare"]): Promise<Staged> {
  const exclude = `--exclude-from=${path.join(repository.gitDir, "info", "exclude")}`;
  // What is new does not depend on what changed, so both are looked for at once; git replaces an index whole.
  const [faults, listed] = await Promise.all([
    updateChanged(repository, index),
    gitBytes(repository, ["ls-files", "-z", "--others", exclude], { index }),
  ]);
  const others = zeroFields(listed).filter((at) => at !== "");
  const wanted = others.filter((at) => !at.endsWith("/") && isWanted(at));
  if (wanted.length > 0) {
    await prepare(wanted);
    const args = [...flushOf(wanted.length), "update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
    const { code } = await gitResult(repository, args, { index, input: pathsOf(repository, wanted) });
    // It ends at the first file that cannot be read; this goes on, and says of each why.
    if (code !== 0) faults.push(...(await addAll(repository, index, ["--force", "--pathspec-from-file=-", "--pathspec-file-nul"], wanted)));
  }
  const taken = new Set(wanted);
  return { faults, left: others.filter((at) => !taken.has(at)).map((at) => at.replace(/\/$/, "")), indexed: null };
}

/** Takes what changed of an index's files into it. Not by `git add --update`, which looks into repositories inside of the home. */
async function updateChanged(repository: Repository, index: string): Promise<string[]> {
  const found = zeroFields(await gitBytes(repository, ["diff-files", "-z", "--name-only", NOT_INSIDE], { index }));
  const changed = found.filter((at) => at !== "");
  if (changed.length === 0 || (await stageNamed(repository, index, changed))) return [];
  const top = fs.realpathSync(repository.workTree);
  // What lies beyond a link is not there, as for git.
  const kindOf = (at: string) => {
    const file = path.join(top, at);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    return stat !== undefined && fs.realpathSync(path.dirname(file)) === path.dirname(file) ? stat : undefined;
  };
  await setInIndex(
    repository,
    index,
    changed.filter((at) => kindOf(at) === undefined).map((at) => ({ path: at, id: null })),
  );
  const files = changed.filter((at) => kindOf(at)?.isDirectory() === false);
  return addAll(repository, index, ["--pathspec-from-file=-", "--pathspec-file-nul"], files);
}

/**
 * Takes some paths into an index as the home has them now; what is not there goes.
 * @returns false where git could not take all of them, and the index may have some
 */
export async function stageNamed(repository: Repository, index: string, paths: readonly string[]): Promise<boolean> {
  const args = [
    ...flushOf(paths.length),
    "update-index",
    "--ignore-skip-worktree-entries",
    "--add",
    "--remove",
    "--replace",
    "-z",
    "--stdin",
  ];
  return (await gitResult(repository, args, { index, input: pathsOf(repository, paths) })).code === 0;
}

/** Paths as git takes them, without files that are longer than any that is read: git would read one to its end, which may be far beyond the disk. */
function pathsOf({ workTree }: Repository, paths: readonly string[]): Buffer {
  const isRead = (at: string): boolean => {
    const stat = orElse(undefined, () => lstatIfThere(path.join(workTree, at)));
    return stat?.isFile() !== true || stat.size <= MOST_BYTES;
  };
  return Buffer.concat(paths.filter(isRead).flatMap((at) => [encodePath(at), ZERO]));
}

/** Adds to an index. @param paths what to add, where the arguments do not say it */
async function addAll(repository: Repository, index: string, which: readonly string[], paths: readonly string[] = []): Promise<string[]> {
  const args = ["-c", "advice.addEmbeddedRepo=false", "--literal-pathspecs", "add", "--ignore-errors", ...which];
  for (let tried = 1; ; tried += 1) {
    const there = paths.filter((at) => fs.existsSync(path.join(repository.workTree, at)));
    const result = await gitResult(repository, args, { index, input: pathsOf(repository, there) });
    if (result.code === 0) return [];
    const faults = result.err.split("\n").filter((line) => line.startsWith("error: "));
    // A file that went away while it was read (an ack, a sender's reservation) is gone at the second look.
    if (tried < TRIES) continue;
    if (result.code === 1 && faults.length > 0) return faults.map((line) => line.slice("error: ".length));
    throw failureOf(repository, args, result);
  }
}

/** In what an index differs from a tree. */
export const stagedChanges = async (repository: Repository, index: string, tree: string): Promise<Change[]> =>
  parseRaw(await gitBytes(repository, ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", tree], { index }));

/** Fills an index with a tree. */
export async function readTree(repository: Repository, index: string, tree: string): Promise<void> {
  await gitBytes(repository, ["read-tree", tree], { index });
}

/** Puts files into an index, or takes them out (null), by the ids of their contents. */
export async function setInIndex(
  repository: Repository,
  index: string,
  files: readonly { path: string; id: string | null }[],
): Promise<void> {
  if (files.length === 0) return;
  const none = noId(repository);
  // What goes makes room first.
  const ordered = [...files.filter(({ id }) => id === null), ...files.filter(({ id }) => id !== null)];
  const lines = ordered.map(({ path: at, id }) => [Buffer.from(id === null ? `0 ${none}\t` : `100644 ${id}\t`), encodePath(at), ZERO]);
  await gitBytes(repository, ["update-index", "--replace", "-z", "--index-info"], { index, input: Buffer.concat(lines.flat()) });
}

/** Marks files of an index as ones that the home does not have, so that git neither looks for them nor takes them for deleted. */
export async function carryInIndex(repository: Repository, index: string, paths: readonly string[]): Promise<void> {
  if (paths.length > 0)
    await gitBytes(repository, ["update-index", "--skip-worktree", "-z", "--stdin"], { index, input: pathsOf(repository, paths) });
}

/** The byte between two entries of a list that git reads or writes. */
export const ZERO = Buffer.from([0]);

/** The id of no object, as long as the others of the repository. */
const noId = (repository: Repository): string => "0".repeat(idLength(repository));

/** Characters of the ids in a repository: 64 where it hashes with SHA-256; without one 40. */
export const idLength = (repository: Repository | null): 40 | 64 =>
  repository !== null && /^[ \t]*objectformat[ \t]*=[ \t]*sha256/im.test(readPlainText(path.join(repository.gitDir, "config"))) ? 64 : 40;

/** Writes an index as a tree; gives its id. @param changed how many of its files are others than in the trees that are there */
export const writeTree = async (repository: Repository, index: string, changed = 0): Promise<string> =>
  gitText(repository, [...flushOf(changed), "write-tree"], { index });
