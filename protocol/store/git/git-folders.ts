/** What folders of a commit hold by name, for a few folders of many: all are asked of one process of git, and no tree is listed whole. */
import { decodePath } from "./git-path.ts";
import type { Repository } from "./git-run.ts";
import { gitStream, StreamReader } from "./git-stream.ts";

/** What a folder of a commit holds: the names of its files, and its folders by name, each with its id. Neither, where the commit has no such folder. */
export interface RecordedFolder {
  files: Set<string>;
  folders: Map<string, string>;
  /** Whether the commit has a file in the folder's place. */
  isFile: boolean;
}

/**
 * What some folders of a commit hold.
 * @param folders paths from the top; empty for the top itself
 * @param ids of those that the commit is known to have: a name that a push chose may hold a line break, and so ask for something else
 * @throws Refusal `git_failed`
 */
export async function recordedFolders(
  repository: Repository,
  commit: string,
  folders: readonly string[],
  ids: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, RecordedFolder>> {
  const found = new Map<string, RecordedFolder>();
  if (folders.length === 0) return found;
  const asked = folders.map((folder) => ids.get(folder) ?? `${commit}:${folder}`);
  const answers = new StreamReader(gitStream(repository, ["cat-file", "--batch", "--buffer"], asked));
  try {
    for (const folder of folders) {
      const header = await answers.line();
      const [id = "", kind = "", size = ""] = header.split(" ");
      const isThere = !header.endsWith(" missing");
      const bytes = isThere ? await answers.bytes(Number(size)) : Buffer.alloc(0);
      if (isThere) await answers.bytes(1);
      const holds = kind === "tree" ? entriesOf(bytes, id.length / 2) : { files: new Set<string>(), folders: new Map<string, string>() };
      found.set(folder, { ...holds, isFile: isThere && kind !== "tree" });
    }
  } finally {
    await answers.end();
  }
  return found;
}

/** The paths of every file that a commit has below some folders. @param ids as of `recordedFolders` @throws Refusal `git_failed` */
export async function recordedBelow(
  repository: Repository,
  commit: string,
  folders: readonly string[],
  ids: ReadonlyMap<string, string>,
): Promise<string[]> {
  const paths: string[] = [];
  for (let [level, known] = [[...new Set(folders)], ids]; level.length > 0; ) {
    const next = new Map<string, string>();
    for (const [folder, { files, folders: inside, isFile }] of await recordedFolders(repository, commit, level, known)) {
      if (isFile) paths.push(folder);
      for (const name of files) paths.push(inFolder(folder, name));
      for (const [name, id] of inside) next.set(inFolder(folder, name), id);
    }
    [level, known] = [[...next.keys()], next];
  }
  return paths;
}

/** The path of a name in a folder; the top has the empty path. */
export const inFolder = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** A tree object: of each entry its mode, a space, its name, a byte of zero, and its id. @param idBytes how long an id is */
function entriesOf(bytes: Buffer, idBytes: number): Pick<RecordedFolder, "files" | "folders"> {
  const [files, folders] = [new Set<string>(), new Map<string, string>()];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const isFolder = bytes.toString("latin1", at, space) === "40000";
    const name = decodePath(bytes.subarray(space + 1, end));
    at = end + 1 + idBytes;
    if (isFolder) folders.set(name, bytes.toString("hex", end + 1, at));
    else files.add(name);
  }
  return { files, folders };
}
