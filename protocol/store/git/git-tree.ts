/** Writes trees as files of their own, to be read and removed. */
import fs from "node:fs";
import { thisThread } from "../process.ts";
import { exists } from "../read/facts.ts";
import { names } from "../read/list-folder.ts";
import { absolute, errorCode, type Store } from "../root.ts";
import { makeFolder } from "../write/make-folder.ts";
import { dropIndex, KEPT, openIndex, ZERO } from "./git-index.ts";
import { listTreeAtOnce, type TreeFile } from "./git-list.ts";
import { encodePath } from "./git-path.ts";
import { gitBytes, gitResult, type Repository } from "./git-run.ts";

/**
 * Lays a commit's files out in a folder of the home, whole or not at all; links become files that hold their target.
 * @param folder path in the home, such as `run/at`
 * @param isWanted whether a file is checked out
 * @returns the commit's own folder in it
 */
export async function layTree(
  store: Store,
  repository: Repository,
  commit: string,
  folder: string,
  isWanted: (file: TreeFile) => boolean,
): Promise<string> {
  const target = `${folder}/${commit}`;
  if (exists(store, target)) return target;
  clearOld(store, folder);
  const aside = `${folder}/.${commit}.${thisThread()}`;
  makeFolder(store, aside);
  const index = newIndex(repository);
  try {
    await fillIndex(repository, index, commit, isWanted);
    await gitBytes(repository, ["-c", "core.symlinks=false", "checkout-index", "--all", "--force", `--prefix=${absolute(store, aside)}/`], {
      index,
    });
  } finally {
    dropIndex(index);
  }
  try {
    fs.renameSync(absolute(store, aside), absolute(store, target));
  } catch (error) {
    // Somebody else asked for the same and was quicker.
    fs.rmSync(absolute(store, aside), { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(errorCode(error) ?? "")) throw error;
  }
  return target;
}

/** An empty index of this process's own. */
export function newIndex(repository: Repository): string {
  const own = openIndex(repository);
  fs.rmSync(own, { force: true });
  return own;
}

/**
 * Fills an index with what is wanted of a tree, which may have paths that git refuses to read.
 * @param isAllWanted whether the caller has listed the tree, and wants all of it: then it is not listed again
 */
export async function fillIndex(
  repository: Repository,
  index: string,
  tree: string,
  isWanted: (file: TreeFile) => boolean,
  isAllWanted = false,
): Promise<void> {
  if (isAllWanted && (await gitResult(repository, ["read-tree", tree], { index })).code === 0) return;
  const files: TreeFile[] = [];
  for await (const listed of listTreeAtOnce(repository, tree)) for (const file of listed) files.push(file);
  const wanted = files.filter(isWanted);
  // Git knows the trees of what it reads itself, and writes those alone that change.
  if (wanted.length === files.length && (await gitResult(repository, ["read-tree", tree], { index })).code === 0) return;
  const lines = wanted.flatMap(({ mode, id, path: at }) => [Buffer.from(`${mode} ${id}\t`), encodePath(at), ZERO]);
  if (lines.length > 0) await gitBytes(repository, ["update-index", "--add", "-z", "--index-info"], { index, input: Buffer.concat(lines) });
}

/** Removes all but the newest entries of a folder whose entries are only kept for the next time. */
export function clearOld(store: Store, folder: string): void {
  const all = names(store, folder).map((name) => ({ at: absolute(store, `${folder}/${name}`), name }));
  const aged = all.map(({ at }) => ({ at, ms: fs.statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? 0 })).sort((a, b) => b.ms - a.ms);
  for (const { at } of aged.slice(KEPT - 1)) fs.rmSync(at, { recursive: true, force: true });
}
