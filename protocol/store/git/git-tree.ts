/** Writes trees as files of their own, to be read and removed. */
import fs from "node:fs";
import { makeFolder } from "../files.ts";
import { thisThread } from "../process.ts";
import { exists } from "../read.ts";
import { absolute, errorCode, type Store } from "../root.ts";
import { clearOld, dropIndex, fillIndex, newIndex } from "./git-index.ts";
import type { TreeFile } from "./git-list.ts";
import { gitBytes, type Repository } from "./git-run.ts";

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
