/** The files of a commit, found and read like those of a folder. Nothing is checked out: what is asked for is read from git's objects. */
import path from "node:path";
import { Refusal } from "../../refusal.ts";
import type { GitObject, ObjectReader } from "../git/objects/object-reader.ts";
import type { FileFacts } from "./facts.ts";
import { Kept } from "./kept.ts";

/** A larger file is not read together with others, and not kept. */
const SMALL_BYTES = 65_536;
/** Bytes of files that are kept; what one moment and the next have in common is read once. */
const KEPT_BYTES = 16 * 1_048_576;
/** Names in folders that are kept: those of some 200,000 messages with their inboxes. */
const KEPT_NAMES = 400_000;
/** What a file that is kept takes beside its bytes, and a folder beside its names, about. */
const BESIDE = { bytes: 300, names: 4 };
/** Who reads one of a folder mostly reads the others, so more and more of them are asked for together, up to so many. */
const [MOST_AHEAD, GROWTH] = [512, 8];
const FOLDER_MODE = "40000";
/** Larger folders are looked up by a table. */
const FEW = 32;

/** Whether a file of a commit is one of the home. @param path in the home @param mode git's, such as `100644` */
export type IsWanted = (file: { path: string; mode: string }) => boolean;

/** A folder of a commit: its names in git's order. */
class Folder {
  readonly names: string[] = [];
  readonly isFolder: boolean[] = [];
  readonly #ids: Buffer;
  readonly #idBytes: number;
  #places: Map<string, number> | null = null;

  /** @param tree git's object @param at path in the home, empty for the home itself @param idBytes of the name of an object */
  constructor(tree: Buffer, at: string, idBytes: number, isWanted: IsWanted) {
    const ids: Buffer[] = [];
    for (let from = 0; from < tree.length; ) {
      const [space, zero] = [tree.indexOf(0x20, from), tree.indexOf(0, from)];
      const mode = tree.toString("latin1", from, space);
      const name = tree.toString("utf8", space + 1, zero);
      from = zero + 1 + idBytes;
      const isFolder = mode === FOLDER_MODE;
      if (!isFolder && !isWanted({ path: joined(at, name), mode })) continue;
      this.names.push(name);
      this.isFolder.push(isFolder);
      ids.push(tree.subarray(zero + 1, from));
    }
    this.#ids = Buffer.concat(ids);
    this.#idBytes = idBytes;
  }

  /** Where a name stands in it; -1 where it does not. */
  placeOf(name: string): number {
    if (this.names.length <= FEW) return this.names.indexOf(name);
    this.#places ??= new Map(this.names.map((each, place) => [each, place]));
    return this.#places.get(name) ?? -1;
  }

  idAt(place: number): string {
    return this.#ids.toString("hex", place * this.#idBytes, (place + 1) * this.#idBytes);
  }
}

/** A file of a commit; its bytes are null where they are too many to be kept. */
interface RecordedFile {
  size: number;
  bytes: Buffer | null;
}

/** What was read of a repository last: an object never changes, so every moment shares it. */
export class RecordedObjects {
  readonly #reader: Pick<ObjectReader, "read">;
  readonly #isWanted: IsWanted;
  readonly #folders = new Kept<Folder>(KEPT_NAMES, ({ names }) => names.length + BESIDE.names);
  readonly #found = new Kept<readonly string[]>(KEPT_NAMES, (texts) => texts.length + BESIDE.names);
  readonly #files = new Kept<RecordedFile>(KEPT_BYTES, ({ bytes }) => (bytes?.length ?? 0) + BESIDE.bytes);

  constructor(reader: Pick<ObjectReader, "read">, isWanted: IsWanted) {
    this.#reader = reader;
    this.#isWanted = isWanted;
  }

  /** A folder by its id and its path. @param ahead others that are wanted soon */
  folder(id: string, at: string, ahead: () => Iterable<readonly [id: string, at: string]>): Folder {
    const known = this.#folders.get(`${id} ${at}`);
    if (known !== undefined) return known;
    const others = [...ahead()].filter(([each, place]) => each !== id && this.#folders.get(`${each} ${place}`) === undefined);
    const { asked, read } = this.#read([...others, [id, at] as const], ([each]) => each, Number.MAX_SAFE_INTEGER);
    let last: Folder | null = null;
    for (const [index, [each, place]] of asked.entries()) {
      last = new Folder(read[index]?.bytes ?? Buffer.alloc(0), place, id.length / 2, this.#isWanted);
      this.#folders.set(`${each} ${place}`, last);
    }
    return last as Folder;
  }

  /** A file by its id. @param ahead others that are wanted soon */
  file(id: string, ahead: () => Iterable<string>): RecordedFile {
    const known = this.#files.get(id);
    if (known !== undefined) return known;
    const others = [...ahead()].filter((each) => each !== id && this.#files.get(each) === undefined);
    const { asked, read } = this.#read([...others, id], (each) => each, SMALL_BYTES);
    let last: RecordedFile | null = null;
    for (const [index, { size, bytes }] of read.entries()) {
      // A copy: a part of a larger answer would hold all of it.
      last = { size, bytes: bytes === null ? null : Buffer.from(bytes) };
      this.#files.set(asked[index] as string, last);
    }
    return last as RecordedFile;
  }

  /** Reads several, of which the last is the one that is needed: where one of them is missing, that one alone. @throws Refusal `missing_object` */
  #read<T>(asked: readonly T[], idOf: (each: T) => string, most: number): { asked: readonly T[]; read: GitObject[] } {
    try {
      return { asked, read: this.#reader.read(asked.map(idOf), most) };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "missing_object" || asked.length === 1) throw error;
      return this.#read(asked.slice(-1), idOf, most);
    }
  }

  /** What was found in a folder before. @param key the folder's id and path, and what was searched for */
  found(key: string, find: () => readonly string[]): readonly string[] {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const texts = find();
    this.#found.set(key, texts);
    return texts;
  }

  /** The bytes of a file that is too large to be kept. */
  bytes(id: string): Buffer | null {
    return this.#reader.read([id], Number.MAX_SAFE_INTEGER)[0]?.bytes ?? null;
  }
}

/** The files of one commit. Paths are those in the home, with `/`. */
export class Recorded {
  readonly #objects: RecordedObjects;
  readonly #root: string;
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

  /**
   * Texts that follow from all that is in a folder: they are found once for every moment that has the folder with the same content.
   * @param of what is searched for, a word for each search
   */
  found(target: string, of: string, find: () => readonly string[]): readonly string[] {
    const at = this.#find(target);
    return at?.isFolder === true ? this.#objects.found(`${of} ${at.id} ${normal(target)}`, find) : find();
  }

  #find(target: string): { isFolder: boolean; id: string; read: () => RecordedFile } | null {
    const at = normal(target);
    if (at === "") return { isFolder: true, id: this.#root, read: () => ({ size: 0, bytes: null }) };
    const above = folderOf(at);
    const folder = this.#folder(above);
    const place = folder?.placeOf(at.slice(above === "" ? 0 : above.length + 1)) ?? -1;
    if (folder === null || place === -1) return null;
    const id = folder.idAt(place);
    const ahead = () => [...this.#others(above, folder, place, false)].map((other) => folder.idAt(other));
    return { isFolder: folder.isFolder[place] as boolean, id, read: () => this.#objects.file(id, ahead) };
  }

  #folder(at: string): Folder | null {
    if (at === "") return this.#objects.folder(this.#root, "", () => []);
    const above = folderOf(at);
    const parent = this.#folder(above);
    const place = parent?.placeOf(at.slice(above === "" ? 0 : above.length + 1)) ?? -1;
    if (parent === null || place === -1 || parent.isFolder[place] !== true) return null;
    const ahead = () =>
      [...this.#others(above, parent, place, true)].map(
        (other) => [parent.idAt(other), joined(above, parent.names[other] as string)] as const,
      );
    return this.#objects.folder(parent.idAt(place), at, ahead);
  }

  /** The places after and before one in a folder, of the same kind, as many as seem worth it by what was read until now. */
  *#others(at: string, folder: Folder, place: number, isFolder: boolean): Generator<number> {
    const key = `${isFolder} ${folderOf(at)}`;
    const most = this.#ahead.get(key) ?? 0;
    this.#ahead.set(key, Math.min(MOST_AHEAD, Math.max(1, most) * GROWTH));
    const first = Math.max(0, Math.min(place - Math.floor(most / 2), folder.names.length - most));
    for (let other = first; other < Math.min(folder.names.length, first + most); other += 1)
      if (other !== place && folder.isFolder[other] === isFolder) yield other;
  }
}

const joined = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);
const folderOf = (at: string): string => (at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "");

/** A path as it is looked up; the home itself is the empty one. */
function normal(target: string): string {
  const at = path.posix.normalize(target);
  return at === "." ? "" : at.replace(/\/$/, "");
}
