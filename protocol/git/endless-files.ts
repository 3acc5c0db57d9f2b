/** What makes git wait for ever: it opens its own files by their names, and a pipe has no end until somebody writes to it. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../core/format/file-error.ts";
import { repositoriesAround } from "./git-config.ts";

/** After so long Relay looks for what may hold a git up. */
const LOOK_MS = 3_000;

/** Files that git reads in every folder of a working tree, and at its top. */
const READ_BY_GIT: ReadonlySet<string> = new Set([".gitignore", ".gitattributes", ".gitmodules", ".mailmap"]);

/** Whether a name leads to a pipe or a device. A socket lets nobody open it, and git may keep one. */
function isEndless(at: string): boolean {
  const stat = orElse(undefined, () => fs.statSync(at, { throwIfNoEntry: false }));
  return stat !== undefined && (stat.isFIFO() || stat.isCharacterDevice() || stat.isBlockDevice());
}

/**
 * The first file that git reads in some folders, and below them, that is a pipe or a device; null where none is.
 * @param folders absolute paths of working trees, and of directories of git, of which git may read any file
 */
export async function endlessIn(folders: readonly string[]): Promise<string | null> {
  const waiting = folders.map((at) => ({ at, isGit: path.basename(at) === ".git" || fs.existsSync(path.join(at, "HEAD")) }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, isGit } = next;
    for (const entry of await fs.promises.readdir(at, { withFileTypes: true }).catch(() => [])) {
      const file = path.join(at, entry.name);
      if (entry.isDirectory()) waiting.push({ at: file, isGit: isGit || entry.name === ".git" });
      else if ((isGit || READ_BY_GIT.has(entry.name)) && !entry.isFile() && isEndless(file)) return file;
    }
  }
  return null;
}

/**
 * Looks for what holds a git up that runs for long.
 * @param cwd where it was started
 * @param gitDir the directory that it was told; absent where it looks for one
 * @param stop ends it; called with the reason
 * @returns ends the watch
 */
export function watchGit(cwd: string, gitDir: string | undefined, stop: (reason: string) => void): () => void {
  let isOver = false;
  const timer = setTimeout(async () => {
    const found = await endlessIn([cwd, ...(gitDir === undefined ? repositoriesAround(cwd) : [gitDir])]);
    if (found !== null && !isOver) stop(`${found} is no plain file, and git would wait for it. Remove it`);
  }, LOOK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
