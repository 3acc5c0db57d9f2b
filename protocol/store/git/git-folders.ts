/** What folders of a commit hold by name, for a few folders of many: all are asked of one process of git, and no tree is listed whole. */

import { decodePath } from "./git-path.ts";
import { gitText, type Repository } from "./git-run.ts";
import { gitStream, StreamReader } from "./git-stream.ts";
import { type ObjectGiven, smallObjects } from "./objects/object-process.ts";

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
  const few = await smallObjects(repository, asked);
  if (few !== null) return new Map(folders.map((folder, at) => [folder, recordedIn(few[at] ?? null)]));
  const answers = new StreamReader(gitStream(repository, ["cat-file", "--batch", "--buffer"], asked));
  try {
    for (const folder of folders) {
      const header = await answers.line();
      const [id = "", kind = "", size = ""] = header.split(" ");
      const isThere = !header.endsWith(" missing");
      const bytes = isThere ? await answers.bytes(Number(size)) : Buffer.alloc(0);
      if (isThere) await answers.bytes(1);
      found.set(folder, recordedIn(isThere ? { id, kind, bytes } : null));
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

/** What a commit has in a folder's place. */
function recordedIn(object: Pick<ObjectGiven, "id" | "kind" | "bytes"> | null): RecordedFolder {
  const holds: RecordedFolder = { files: new Set(), folders: new Map(), isFile: object !== null && object.kind !== "tree" };
  if (object?.kind !== "tree") return holds;
  for (const { mode, name, id } of entriesOf(object.bytes, object.id.length / 2)) {
    if (mode === "40000") holds.folders.set(name, id);
    else holds.files.add(name);
  }
  return holds;
}

/** A tree object: of each entry its mode, a space, its name, a byte of zero, and its id. @param idBytes how long an id is */
function* entriesOf(bytes: Buffer, idBytes: number): Generator<{ mode: string; name: string; id: string }> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const [mode, name] = [octal(bytes.toString("latin1", at, space)), decodePath(bytes.subarray(space + 1, end))];
    at = end + 1 + idBytes;
    yield { mode, name, id: bytes.toString("hex", end + 1, at) };
  }
}

/** A mode without the zeros that some programs put before it. */
const octal = (mode: string): string => mode.replace(/^0+/, "");

/** A blob at the top of a commit: its mode, such as `100644`, and its id; null where the commit has none of that name. @throws Refusal `git_failed` */
export async function topFile(repository: Repository, commit: string, name: string): Promise<{ mode: string; id: string } | null> {
  const [tree = null] = (await smallObjects(repository, [`${commit}^{tree}`])) ?? [];
  if (tree !== null) {
    const found = [...entriesOf(tree.bytes, tree.id.length / 2)].find((each) => each.name === name);
    return found === undefined ? null : { mode: found.mode.padStart(6, "0"), id: found.id };
  }
  const [, mode = "", id = ""] = /^(\d+) blob (\w+)\t/.exec(await gitText(repository, ["ls-tree", commit, "--", name])) ?? [];
  return id === "" ? null : { mode, id };
}
