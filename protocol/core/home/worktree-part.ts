/** Which part a worktree of the code is. SPEC.md, "Parts". */
import fs from "node:fs";
import path from "node:path";
import { removeBeside, writeBeside } from "../../store/beside/beside.ts";
import { sha256 } from "../../store/digest.ts";
import { linkedTop, linkedWorktrees, namedWorktrees } from "../../store/linked-worktrees.ts";
import { names } from "../../store/read/list-folder.ts";
import { firstLineIn } from "../../store/read/plain-file.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { findMachineStore, machineStore, readMachine } from "../../trust/files/machine.ts";
import { noteNames } from "../../trust/files/names-here.ts";
import { orElse } from "../format/file-error.ts";
import type { World } from "../world.ts";
import { codeRepository, isFolder, realFolder } from "./find-home.ts";

/** The file in git's per-worktree directory that says which part a worktree is. */
const HERE = "relay-part";
/** Bytes of the longest name of a part, and more. */
const HERE_BYTES = 1_024;

/** Where this machine keeps which part a worktree was made, by its `relay-part` file. */
const noteOf = (file: string): string => `here/${sha256(file)}`;

/**
 * The part that a `relay-part` file names, where a person made the worktree that part on this machine, at the top that it has now; null
 * when there is none. The files in git's directory alone may have come with the folder. spec/commands.md, "Who you are".
 */
export function partIn(world: World, file: string): string | null {
  const named = namedIn(file);
  if (named === null || keptFor(world, file) !== `${named}\n`) return null;
  const top = linkedTop(path.dirname(file));
  return top === null || keptForTop(world, sha256(top))[0] === named ? named : null;
}

/** What this machine keeps for a `relay-part` file; null where that worktree was made no part. */
const keptFor = (world: World, file: string): string | null => orElse(null, () => readMachine(world, noteOf(file), HERE_BYTES));

/** Whether the worktree of a folder was made a part on this machine, whatever its file says by now. */
export function wasMadePart(world: World, folder: string): boolean {
  const file = hereFile(folder);
  return file !== null && keptFor(world, file) !== null;
}

/** The part that a `relay-part` file names, whoever wrote it; null when there is none. */
const namedIn = (file: string): string | null => firstLineIn(file) || null;

/** The folder in which this machine keeps which part a linked worktree is, by its top, also when the worktree itself is gone. */
const WORKTREES = "worktrees";
const WORKTREE_BYTES = 16_384;

/** The part that the linked worktree at a top was made, and its real top. @param name the digest of the top */
const keptForTop = (world: World, name: string): string[] =>
  (orElse(null, () => readMachine(world, `${WORKTREES}/${name}`, WORKTREE_BYTES)) ?? "").split("\n");

/** Linked worktrees that were made parts on this machine and are gone: their tops, and the parts that they were. */
export function goneWorktrees(world: World): { top: string; part: string }[] {
  const store = findMachineStore(world);
  return (store === null ? [] : names(store, WORKTREES)).flatMap((name) => {
    const [part = "", top = ""] = keptForTop(world, name);
    return part === "" || !path.isAbsolute(top) || fs.existsSync(top) ? [] : [{ top, part }];
  });
}

/**
 * Makes a worktree a part.
 * @param file its `relay-part` file
 * @throws Refusal `no_state_folder`; the errors of the disk
 */
export function makePart(world: World, file: string, part: string): void {
  const store = machineStore(world);
  place(store, noteOf(file), `${part}\n`);
  const top = linkedTop(path.dirname(file));
  if (top !== null) place(store, `${WORKTREES}/${sha256(top)}`, `${part}\n${realFolder(top)}\n`);
  writeBeside(file, `${part}\n`);
  noteNames(world);
}

/** Makes a worktree no part. @param file its `relay-part` file @throws the errors of the disk */
export function makeNoPart(world: World, file: string): void {
  removeBeside(file);
  const store = orElse(null, () => findMachineStore(world));
  if (store !== null) removeFile(store, noteOf(file));
}

/** Where `part here` is kept for a folder; null outside of git. */
export function hereFile(from: string): string | null {
  const repository = codeRepository(from);
  return repository === null ? null : path.join(repository.gitDir, HERE);
}

/** Whether a folder lies in the main worktree of a repository. */
export function isMainWorktree(folder: string): boolean {
  const repository = codeRepository(folder);
  return repository !== null && repository.top !== null && repository.gitDir === repository.commonDir;
}

/** The part that the worktree of a folder is; null where it is none. */
export function partOf(world: World, folder: string): string | null {
  const file = hereFile(folder);
  return file === null ? null : partIn(world, file);
}

/** Every worktree of a repository in which a `relay-part` file names a part: its git directory, its top, what is named, and which part it is. */
export function worktreeNames(world: World, commonDir: string): { gitDir: string; top: string; named: string; part: string | null }[] {
  const main = path.basename(commonDir) === ".git" ? [{ gitDir: commonDir, top: path.dirname(commonDir) }] : [];
  return [...main, ...linkedWorktrees(commonDir)].flatMap((each) => {
    const file = path.join(each.gitDir, HERE);
    const named = namedIn(file);
    return named === null ? [] : [{ ...each, named, part: partIn(world, file) }];
  });
}

/** The top of the one worktree of a folder's repository that is a part; null where none is, or several are. */
export function worktreeOfPart(world: World, from: string, part: string): string | null {
  const repository = codeRepository(from);
  const tops = repository === null ? [] : worktreeNames(world, repository.commonDir).filter((each) => each.part === part);
  return tops.length === 1 ? (tops[0] as { top: string }).top : null;
}

/** The tops of other worktrees of a folder's repository that are a part too; empty outside of git. */
export function otherWorktreesOf(world: World, from: string, part: string): string[] {
  const repository = codeRepository(from);
  if (repository === null) return [];
  return worktreeNames(world, repository.commonDir).flatMap((each) =>
    each.gitDir !== repository.gitDir && each.part === part ? [each.top] : [],
  );
}

/** Git directories that name a folder as their worktree which does not lead back: an archive may name any folder. */
export const strayWorktrees = (commonDir: string): string[] => {
  const own = linkedWorktrees(commonDir).map(({ gitDir }) => gitDir);
  return namedWorktrees(commonDir).flatMap(({ gitDir, top }) => (isFolder(top) && !own.includes(gitDir) ? [gitDir] : []));
};
