/**
 * Which files of a home may have changed since it was recorded last. Below `threads/` and `inbox/`, which grow with every message, a
 * folder is asked and not its files: one whose time of change is an old one holds the names that it held. Of the folders that
 * changed last the files are looked at too, and elsewhere every file is. spec/git.md, "Recording".
 */
import fs from "node:fs";
import { MACHINE } from "../../core/tree/layout.ts";
import { inFolder, recordedBelow, recordedFolders } from "../../git/git-folders.ts";
import type { Repository } from "../../git/git-run.ts";
import { isHalfMade } from "../../git/home/repository.ts";
import { lstatIfThere } from "../../store/look.ts";
import { errorCode, type Store } from "../../store/root.ts";
import { type SeenHome, sinceOf } from "./seen-home.ts";

/** Of so many folders, those that changed last, the files are looked at too. */
const LATE = 100;
/** Folders of messages, and of names in inboxes, by the folders that they are in: what lies in them has no folders. */
const HOLDS_LEAVES = /^(threads\/[^/]+|inbox\/[^/]+\/read)$/;
/** Dotted names, and those that not every disk has. */
const ODD = /^\.|[^!-~]/;
const INBOX_NEW = /^inbox\/[^/]+\/new$/;

/** What may have changed. */
interface ChangedFiles {
  /** Paths that the home has and the record may not have so, or the other way round. */
  paths: string[];
  /** Whether the record has a path of these, as far as anybody asked. */
  isRecorded: (path: string) => boolean;
  /** The folders that hold folders, each with its inode. */
  folders: Record<string, number>;
}

/** What only git can say: a repository inside the home, a pipe, a name of other bytes than UTF-8. */
class AskGit extends Error {}

/** What may have changed since; null where git must look at everything. @throws Refusal `git_failed` */
export async function changedFiles(store: Store, repository: Repository, seen: SeenHome): Promise<ChangedFiles | null> {
  try {
    return await changesIn(new Walk(store, seen), repository, seen);
  } catch (error) {
    if (error instanceof AskGit) return null;
    throw error;
  }
}

/** The folders that hold folders, each with its inode. */
export function foldersOf(store: Store): Record<string, number> {
  const walk = new Walk(store, null);
  walk.visit("", false);
  return walk.folders;
}

async function changesIn(walk: Walk, repository: Repository, seen: SeenHome): Promise<ChangedFiles> {
  walk.visit("", false);
  for (const folder of seen.loud) if (!walk.compared.has(folder) && !walk.whole.has(folder)) walk.visit(folder, true);
  const recorded = new Set<string>();
  const ids = new Map<string, string>();
  for (const [folder, { files, folders, isFile }] of await recordedFolders(repository, seen.commit, [...walk.compared.keys()])) {
    if (isFile) recorded.add(folder);
    for (const name of files) recorded.add(inFolder(folder, name));
    const here = walk.compared.get(folder) as Map<string, boolean>;
    for (const [name, id] of folders) {
      if (here.has(name)) continue;
      walk.whole.add(inFolder(folder, name));
      ids.set(inFolder(folder, name), id);
    }
    // A folder that came from elsewhere may be old.
    for (const [name, isPassedOver] of here) if (isPassedOver && !folders.has(name)) walk.visit(inFolder(folder, name), true);
  }
  for (const path of await recordedBelow(repository, seen.commit, [...walk.whole], ids)) recorded.add(path);
  walk.lookAtLate();
  return {
    paths: [...new Set([...recorded, ...walk.files, ...walk.touched])],
    isRecorded: (path) => recorded.has(path) || walk.touched.has(path),
    folders: walk.folders,
  };
}

/** One walk through the folders of a home; links lead nowhere. */
class Walk {
  /** Files in folders whose names may be others than they were. */
  readonly files = new Set<string>();
  /** Files that changed in folders whose names did not. */
  readonly touched = new Set<string>();
  /** Folders whose names are compared with those of the record, and the folders that they hold: whether each was passed over. */
  readonly compared = new Map<string, Map<string, boolean>>();
  /** Folders of which everything that the record has may be gone. */
  readonly whole = new Set<string>();
  readonly folders: Record<string, number> = {};
  readonly late = new Late();
  readonly #root: string;
  readonly #seen: SeenHome | null;
  readonly #sinceMs: number;
  readonly #loud: ReadonlySet<string>;

  constructor(store: Store, seen: SeenHome | null) {
    this.#root = `${store.root}/`;
    this.#seen = seen;
    this.#sinceMs = seen === null ? Number.POSITIVE_INFINITY : sinceOf(seen);
    this.#loud = new Set(seen?.loud);
  }

  /** Goes through a folder and those below it. @param isWhole whether all of it may have changed */
  visit(folder: string, isWhole: boolean): void {
    const stat = lstatIfThere(this.#root + folder);
    if (stat?.isDirectory() !== true) {
      this.whole.add(folder);
      return;
    }
    this.folders[folder] = stat.ino;
    const all = isWhole || (this.#seen !== null && this.#seen.folders[folder] !== stat.ino);
    const isChanged = all || this.#isFresh(stat) || this.#loud.has(folder);
    if (all) this.whole.add(folder);
    const inside = HOLDS_LEAVES.test(folder) ? this.#passThrough(folder, isChanged, all) : this.#list(folder, isChanged, all);
    if (isChanged && !all) this.compared.set(folder, inside);
  }

  /** Lists a folder of folders that hold files alone, so that the time of change of each speaks for its names. */
  #passThrough(folder: string, isChanged: boolean, all: boolean): Map<string, boolean> {
    const inside = new Map<string, boolean>();
    for (const name of listed(() => fs.readdirSync(this.#root + folder))) {
      const path = inFolder(folder, name);
      const stat = lstatIfThere(this.#root + path);
      if (stat === undefined) continue;
      if (stat.isDirectory()) inside.set(name, this.visitLeaf(path, stat, all));
      else if (!isHalfMade(name)) this.#file(path, stat, isChanged || this.#isFresh(stat));
      if (ODD.test(name)) this.#mustBePlain(folder, name);
    }
    return inside;
  }

  /** Goes through a folder that holds files alone. @returns whether it was passed over */
  visitLeaf(folder: string, stat: fs.Stats, all: boolean): boolean {
    if (!all && !this.#isFresh(stat) && !this.#loud.has(folder)) {
      this.late.add(folder, stat.ctimeMs);
      return true;
    }
    const inside = this.#list(folder, true, all);
    if (all) this.whole.add(folder);
    else this.compared.set(folder, inside);
    return false;
  }

  #list(folder: string, isChanged: boolean, all: boolean): Map<string, boolean> {
    const inside = new Map<string, boolean>();
    for (const entry of listed(() => fs.readdirSync(this.#root + folder, { withFileTypes: true }))) {
      const { name } = entry;
      if (folder === "" && (MACHINE.has(name) || name === ".git")) continue;
      if (ODD.test(name) && isHalfMade(name)) continue;
      if (ODD.test(name)) this.#mustBePlain(folder, name);
      const path = inFolder(folder, name);
      if (entry.isDirectory()) inside.set(name, this.#inside(path, all));
      else if (isChanged) this.#file(path, entry, true);
      else this.#touch(path);
    }
    return inside;
  }

  #inside(path: string, all: boolean): boolean {
    const stat = INBOX_NEW.test(path) ? lstatIfThere(this.#root + path) : undefined;
    if (stat?.isDirectory() === true) return this.visitLeaf(path, stat, all);
    this.visit(path, all);
    return false;
  }

  #isFresh = ({ ctimeMs }: fs.Stats): boolean => ctimeMs >= this.#sinceMs;

  /** A name of other bytes is told in git's spelling; a line break would end a question to git. */
  #mustBePlain(folder: string, name: string): void {
    if (this.#seen !== null && (/[\ufffd\n]/.test(name) || (folder !== "" && /^\.git$/i.test(name)))) throw new AskGit(name);
  }

  #file(path: string, kind: fs.Dirent | fs.Stats, isFresh: boolean): void {
    if (this.#seen === null || !isFresh) return;
    if (!kind.isFile() && !kind.isSymbolicLink()) throw new AskGit(path);
    this.files.add(path);
  }

  /** Takes a file in where it changed. */
  #touch(path: string): void {
    if (this.#seen === null) return;
    const changedMs = lstatIfThere(this.#root + path)?.ctimeMs ?? Number.POSITIVE_INFINITY;
    if (changedMs >= this.#sinceMs) this.touched.add(path);
  }

  /** Looks at the files in the folders that changed last, of those that were passed over. */
  lookAtLate(): void {
    for (const folder of this.late.folders())
      for (const name of listed(() => fs.readdirSync(this.#root + folder))) this.#touch(inFolder(folder, name));
  }
}

/** What a folder holds; nothing of one that an archive, or the last ack, took away since it was met. */
function listed<T>(list: () => T[]): T[] {
  try {
    return list();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

/** The folders that changed last of many. */
class Late {
  #all: { folder: string; ms: number }[] = [];
  #floorMs = Number.NEGATIVE_INFINITY;

  add(folder: string, ms: number): void {
    if (ms <= this.#floorMs) return;
    this.#all.push({ folder, ms });
    if (this.#all.length >= 4 * LATE) this.#cut();
  }

  #cut(): void {
    this.#all = this.#all.sort((one, other) => other.ms - one.ms).slice(0, LATE);
    if (this.#all.length === LATE) this.#floorMs = this.#all.at(-1)?.ms as number;
  }

  folders(): string[] {
    this.#cut();
    return this.#all.map(({ folder }) => folder);
  }
}
