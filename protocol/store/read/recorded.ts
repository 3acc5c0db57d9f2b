/** The files of a commit, found and read like those of a folder. Nothing is checked out: what is asked for is read from git's objects. */
import path from "node:path";
import type { FileFacts } from "./facts.ts";
import { joined, type RecordedFolder } from "./recorded-folder.ts";
import type { RecordedFile, RecordedObjects } from "./recorded-objects.ts";

/** Who reads one of a folder mostly reads the others, so more and more of them are asked for together, up to so many. */
const [MOST_AHEAD, GROWTH] = [512, 8];
/** So many folders are read together to see the names in them. */
const MOST_TOGETHER = 2_048;
/** So many files are read before anybody asks for them. */
const MOST_WARM = 1_024;

/** So many folders are found again by their paths alone. */
const MOST_LATELY = 256;

/** A folder by its name in the one above, with the names of its files. The layout may know neither. */
export type FolderNames = readonly [folder: string, files: readonly string[]];

/** The files of one commit. Paths are those in the home, with `/`. */
export class Recorded {
  readonly #objects: RecordedObjects;
  readonly #root: string;
  /** Folders that were asked for lately, by their paths. */
  readonly #lately = new Map<string, RecordedFolder>();
  /** How many of a folder were asked for together last, by the folder above it. */
  readonly #ahead = new Map<string, number>();

  /** @param tree id of the commit's tree */
  constructor(objects: RecordedObjects, tree: string) {
    this.#objects = objects;
    this.#root = tree;
  }

  /** What a name is; null where it is not there. */
  kindOf(target: string): "file" | "folder" | null {
    const found = this.#find(target);
    return found === null ? null : found.isFolder ? "folder" : "file";
  }

  /** What a file or a folder is. Two with the same content have the same `inode`; nothing is known of times. */
  facts(target: string): FileFacts | null {
    const found = this.#find(target);
    if (found === null) return null;
    const inode = Number.parseInt(found.id.slice(0, 13), 16);
    if (found.isFolder) return { kind: "folder", size: 0, inode, modifiedMs: 0 };
    return { kind: "file", size: found.read().size, inode, modifiedMs: 0 };
  }

  /** The bytes of a file within a limit; null of anything else. */
  bytes(target: string, limit: number): Buffer | null {
    const found = this.#find(target);
    if (found === null || found.isFolder) return null;
    const { size, bytes } = found.read();
    return size > limit ? null : (bytes ?? this.#objects.bytes(found.id));
  }

  /** The names in a folder; none where it is not there. */
  names(target: string): string[] {
    return this.#folder(normal(target))?.names.slice() ?? [];
  }

  /** The same, and what each is. */
  entries(target: string): { name: string; kind: "file" | "folder" }[] {
    const folder = this.#folder(normal(target));
    return (folder?.names ?? []).map((name, place) => ({ name, kind: folder?.isFolder[place] === true ? "folder" : "file" }));
  }

  /** What stands in the place of a folder, or of one above it: a link, a submodule or a file. Null where nothing does. */
  inPlaceOf(target: string): { at: string; what: string } | null {
    const at = normal(target);
    if (at === "") return null;
    const above = folderOf(at);
    const what = this.#folder(above)?.others.get(nameIn(above, at));
    return what === undefined ? this.inPlaceOf(above) : { at, what };
  }

  /**
   * Texts that follow from the names in the folders of a folder: they are found once for every moment that has the folder with the same
   * content. Those that are new are read together, and only the texts are kept.
   * @param of what is searched for, a word for each search
   * @param find finds the texts in one of the folders
   * @returns the texts of each, in the order of `targets`
   */
  found(
    targets: readonly string[],
    of: string,
    find: (target: string, folders: readonly FolderNames[]) => readonly string[],
  ): (readonly string[])[] {
    const keys = new Map<string, string>();
    for (const target of targets) {
      const at = this.#find(target);
      if (at?.isFolder === true) keys.set(target, `${of} ${at.id} ${normal(target)}`);
    }
    const texts = new Map([...keys].map(([target, key]) => [target, this.#objects.found(key)]));
    for (const [target, folders] of this.#below([...keys.keys()].filter((each) => texts.get(each) === undefined))) {
      texts.set(target, find(target, folders));
      this.#objects.keepFound(keys.get(target) as string, texts.get(target) ?? []);
    }
    return targets.map((target) => texts.get(target) ?? []);
  }

  /** Reads some folders with the files in them together: whoever asks for one of them soon asks for the others. */
  warm(targets: readonly string[]): void {
    const found = targets.flatMap((target) => {
      const at = this.#find(target);
      return at?.isFolder === true ? [[at.id, normal(target)] as const] : [];
    });
    this.#objects.warmFolders(found);
    const files = found.flatMap(([, at]) => this.#folder(at)?.idsOf(false) ?? []);
    this.#objects.warmFiles(files.slice(0, MOST_WARM));
  }

  /** The folders in each of some folders. */
  *#below(targets: readonly string[]): Generator<readonly [target: string, folders: FolderNames[]]> {
    const all = targets.flatMap((target) => {
      const folder = this.#folder(normal(target));
      return (folder?.names ?? []).flatMap((name, place) =>
        folder?.isFolder[place] === true ? [{ target, name, id: folder.idAt(place) }] : [],
      );
    });
    let folders: FolderNames[] = [];
    for (let from = 0; from < all.length; from += MOST_TOGETHER) {
      const some = all.slice(from, from + MOST_TOGETHER);
      const files = this.#objects.fileNames(some.map(({ id }) => id));
      for (const [at, { target, name }] of some.entries()) {
        folders.push([name, files[at] as string[]]);
        if (all[from + at + 1]?.target === target) continue;
        yield [target, folders];
        folders = [];
      }
    }
  }

  #find(target: string): { isFolder: boolean; id: string; read: () => RecordedFile } | null {
    const at = normal(target);
    if (at === "") return { isFolder: true, id: this.#root, read: () => ({ size: 0, bytes: null }) };
    const above = folderOf(at);
    const folder = this.#folder(above);
    const place = folder?.placeOf(nameIn(above, at)) ?? -1;
    if (folder === null || place === -1) return null;
    const id = folder.idAt(place);
    const ahead = () => [...this.#others(above, folder, place, false)].map((other) => folder.idAt(other));
    return { isFolder: folder.isFolder[place] as boolean, id, read: () => this.#objects.file(id, ahead) };
  }

  #folder(at: string): RecordedFolder | null {
    const known = this.#lately.get(at) ?? this.#readFolder(at);
    if (known === null) return null;
    if (this.#lately.size >= MOST_LATELY) this.#lately.clear();
    this.#lately.set(at, known);
    return known;
  }

  #readFolder(at: string): RecordedFolder | null {
    if (at === "") return this.#objects.folder(this.#root, "", () => []);
    const above = folderOf(at);
    const parent = this.#folder(above);
    const place = parent?.placeOf(nameIn(above, at)) ?? -1;
    if (parent === null || place === -1 || parent.isFolder[place] !== true) return null;
    const ahead = () =>
      [...this.#others(above, parent, place, true)].map(
        (other) => [parent.idAt(other), joined(above, parent.names[other] as string)] as const,
      );
    return this.#objects.folder(parent.idAt(place), at, ahead);
  }

  /** The places after and before one in a folder, of the same kind, as many as seem worth it by what was read until now. */
  *#others(at: string, folder: RecordedFolder, place: number, isFolder: boolean): Generator<number> {
    const key = `${isFolder} ${folderOf(at)}`;
    const most = this.#ahead.get(key) ?? 0;
    this.#ahead.set(key, Math.min(MOST_AHEAD, Math.max(1, most) * GROWTH));
    const first = Math.max(0, Math.min(place - Math.floor(most / 2), folder.names.length - most));
    for (let other = first; other < Math.min(folder.names.length, first + most); other += 1)
      if (other !== place && folder.isFolder[other] === isFolder) yield other;
  }
}

const nameIn = (above: string, at: string): string => at.slice(above === "" ? 0 : above.length + 1);
const folderOf = (at: string): string => (at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "");

/** A path as it is looked up; the home itself is the empty one. */
function normal(target: string): string {
  const at = path.posix.normalize(target);
  return at === "." ? "" : at.replace(/\/$/, "");
}
