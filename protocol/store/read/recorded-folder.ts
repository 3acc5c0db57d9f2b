/** A folder of a commit, as git's object of it lists it. */

const FOLDER_MODE = "40000";
/** Git's modes of ordinary files; `100664` is what very old versions wrote. */
const FILE_MODES: ReadonlySet<string> = new Set(["100644", "100755", "100664"]);
/** What git's other modes are. */
const OTHERS: Readonly<Record<string, string>> = { "120000": "a symbolic link", "160000": "a submodule" };
/** Larger folders are looked up by a table. */
const FEW = 32;

/** Whether a file of a commit is one of the home. @param path in the home @param mode git's, such as `100644` */
export type IsWanted = (file: { path: string; mode: string }) => boolean;

/** Its names in git's order. */
export class RecordedFolder {
  readonly names: string[] = [];
  readonly isFolder: boolean[] = [];
  /** What is neither a folder nor a file of the home, by its name. */
  readonly others = new Map<string, string>();
  readonly #ids: Buffer;
  readonly #idBytes: number;
  #places: Map<string, number> | null = null;

  /** @param tree git's object @param at path in the home, empty for the home itself @param idBytes of the name of an object */
  constructor(tree: Buffer, at: string, idBytes: number, isWanted: IsWanted) {
    const ids: Buffer[] = [];
    eachEntry(tree, idBytes, (mode, name, id) => {
      const isFolder = mode === FOLDER_MODE;
      if (!isFolder && !isWanted({ path: joined(at, name), mode })) {
        this.others.set(name, OTHERS[mode] ?? "a file");
        return;
      }
      this.names.push(name);
      this.isFolder.push(isFolder);
      ids.push(tree.subarray(id, id + idBytes));
    });
    this.#ids = Buffer.concat(ids);
    this.#idBytes = idBytes;
  }

  /** Where a name stands in it; -1 where it does not. */
  placeOf(name: string): number {
    if (this.names.length <= FEW) return this.names.indexOf(name);
    this.#places ??= new Map(this.names.map((each, place) => [each, place]));
    return this.#places.get(name) ?? -1;
  }

  /** The ids of all folders in it, or of all files. */
  idsOf(isFolder: boolean): string[] {
    return this.isFolder.flatMap((each, place) => (each === isFolder ? [this.idAt(place)] : []));
  }

  idAt(place: number): string {
    return this.#ids.toString("hex", place * this.#idBytes, (place + 1) * this.#idBytes);
  }
}

/** The names of the ordinary files in a folder, whatever they are called. @param tree git's object @param idBytes of the name of an object */
export function fileNames(tree: Buffer, idBytes: number): string[] {
  const names: string[] = [];
  eachEntry(tree, idBytes, (mode, name) => {
    if (FILE_MODES.has(mode)) names.push(name);
  });
  return names;
}

/** @param take is given the place where the entry's id begins */
function eachEntry(tree: Buffer, idBytes: number, take: (mode: string, name: string, id: number) => void): void {
  for (let from = 0; from < tree.length; ) {
    const space = tree.indexOf(0x20, from);
    const zero = space === -1 ? -1 : tree.indexOf(0, space);
    // What is no list ends here, however it came to stand in the place of one.
    if (zero === -1) return;
    take(tree.toString("latin1", from, space), tree.toString("utf8", space + 1, zero), zero + 1);
    from = zero + 1 + idBytes;
  }
}

/** The path of a name in a folder. @param folder empty for the home itself */
export const joined = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);
