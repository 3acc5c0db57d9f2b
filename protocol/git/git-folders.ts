/** Names in a few folders of a commit: no tree is listed whole. */
import { decodePath } from "./git-path.ts";
import type { Repository } from "./git-run.ts";
import { type ObjectGiven, objectsOf } from "./objects/object-process.ts";

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
  const names = folders.map((folder) => ids.get(folder) ?? `${commit}:${folder}`);
  for await (const object of objectsOf(repository, names)) found.set(folders[found.size] as string, recordedIn(object));
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

/** A folder as an object of git has it: without names where it is no tree. */
function recordedIn(object: ObjectGiven | null): RecordedFolder {
  const holds: RecordedFolder = { files: new Set(), folders: new Map(), isFile: object !== null && object.kind !== "tree" };
  for (const { mode, name, id } of entriesOf(object)) {
    if (mode === "40000") holds.folders.set(name, id);
    else holds.files.add(name);
  }
  return holds;
}

/** The entries of a tree object: of each its mode, a space, its name, a byte of zero, and its id. Another object has none. */
function* entriesOf(object: ObjectGiven | null): Generator<{ mode: string; name: string; id: string }> {
  if (object?.kind !== "tree") return;
  const bytes = object.bytes as Buffer;
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    // A tree that ends within an entry has no more.
    if (space === -1 || end === -1) return;
    // Some programs put zeros before a mode.
    const mode = bytes.toString("latin1", at, space).replace(/^0+/, "");
    at = end + 1 + object.id.length / 2;
    yield { mode, name: decodePath(bytes.subarray(space + 1, end)), id: bytes.toString("hex", end + 1, at) };
  }
}

/** The mode, such as `100644`, and id of an entry at the top of a commit; null where it has none of that name. @throws Refusal `git_failed` */
export async function topEntry(repository: Repository, commit: string, name: string): Promise<{ mode: string; id: string } | null> {
  for await (const tree of objectsOf(repository, [`${commit}^{tree}`]))
    for (const entry of entriesOf(tree)) if (entry.name === name) return { mode: entry.mode.padStart(6, "0"), id: entry.id };
  return null;
}
