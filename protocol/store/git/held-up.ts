/** What makes git wait for ever: it opens its own files by their names, and a pipe has no end until somebody writes to it. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";

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
export async function heldUpBy(folders: readonly string[]): Promise<string | null> {
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
