/** What folders of a commit hold by name, for a few folders of many: all are asked of one process of git, and no tree is listed whole. */
import { decodePath } from "./git-path.ts";
import type { Repository } from "./git-run.ts";
import { gitStream, StreamReader } from "./git-stream.ts";

/** What a folder of a commit holds: the names of its files, and of its folders. Neither, where the commit has no such folder. */
export interface RecordedFolder {
  files: Set<string>;
  folders: Set<string>;
  /** Whether the commit has a file in the folder's place. */
  isFile: boolean;
}

/**
 * What some folders of a commit hold.
 * @param folders paths from the top, without line breaks; empty for the top itself
 * @throws Refusal `git_failed`
 */
export async function recordedFolders(
  repository: Repository,
  commit: string,
  folders: readonly string[],
): Promise<Map<string, RecordedFolder>> {
  const found = new Map<string, RecordedFolder>();
  if (folders.length === 0) return found;
  const asked = folders.map((folder) => `${commit}:${folder}`);
  const answers = new StreamReader(gitStream(repository, ["cat-file", "--batch", "--buffer"], asked));
  try {
    for (const folder of folders) {
      const header = await answers.line();
      const [id = "", kind = "", size = ""] = header.split(" ");
      const isThere = !header.endsWith(" missing");
      const bytes = isThere ? await answers.bytes(Number(size)) : Buffer.alloc(0);
      if (isThere) await answers.bytes(1);
      const holds = kind === "tree" ? entriesOf(bytes, id.length / 2) : { files: new Set<string>(), folders: new Set<string>() };
      found.set(folder, { ...holds, isFile: isThere && kind !== "tree" });
    }
  } finally {
    await answers.end();
  }
  return found;
}

/** The paths of every file that a commit has below some folders. @throws Refusal `git_failed` */
export async function recordedBelow(repository: Repository, commit: string, folders: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (let level = [...new Set(folders)]; level.length > 0; ) {
    const next: string[] = [];
    for (const [folder, { files, folders: inside, isFile }] of await recordedFolders(repository, commit, level)) {
      if (isFile) paths.push(folder);
      for (const name of files) paths.push(inFolder(folder, name));
      for (const name of inside) next.push(inFolder(folder, name));
    }
    level = next;
  }
  return paths;
}

/** The path of a name in a folder; the top has the empty path. */
export const inFolder = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** A tree object: of each entry its mode, a space, its name, a byte of zero, and its id. @param idBytes how long an id is */
function entriesOf(bytes: Buffer, idBytes: number): Pick<RecordedFolder, "files" | "folders"> {
  const [files, folders] = [new Set<string>(), new Set<string>()];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const isFolder = bytes.toString("latin1", at, space) === "40000";
    (isFolder ? folders : files).add(decodePath(bytes.subarray(space + 1, end)));
    at = end + 1 + idBytes;
  }
  return { files, folders };
}
