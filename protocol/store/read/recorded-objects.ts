/** What was read of a repository last, so that the next moment reads only what differs. Every other part of `recorded.ts` asks git by it. */
import { Refusal } from "../../core/refusal.ts";
import { Kept } from "./kept.ts";
import { fileNames, type IsWanted, RecordedFolder } from "./recorded-folder.ts";

/** A larger file is not read together with others, and not kept. */
const SMALL_BYTES = 65_536;
/** Bytes of files that are kept; what one moment and the next have in common is read once. */
const KEPT_BYTES = 16 * 1_048_576;
/** Names in folders that are kept: those of some 200,000 messages with their inboxes. */
const KEPT_NAMES = 400_000;
/** What a file that is kept takes beside its bytes, and a folder beside its names, about. */
const BESIDE = { bytes: 300, names: 4 };
/** A file of a commit; its bytes are null where they are too many to be kept. */
export interface RecordedFile {
  size: number;
  bytes: Buffer | null;
}

/** An object of git; its bytes are null where it is larger than what is held in memory. */
export interface GitObject {
  kind: string;
  /** In bytes. */
  size: number;
  bytes: Buffer | null;
}

/** A source of objects by their ids, in the order asked for. `begin` has it get ready before the first question. */
export interface ObjectSource {
  begin(): void;
  read(ids: readonly string[], most: number): GitObject[];
}

/** What was read of a repository last: an object never changes, so every moment shares it. */
export class RecordedObjects {
  readonly #reader: ObjectSource;
  readonly #isWanted: IsWanted;
  readonly #folders = new Kept<RecordedFolder>(KEPT_NAMES, ({ names }) => names.length + BESIDE.names);
  readonly #found = new Kept<readonly string[]>(KEPT_NAMES, (texts) => texts.length + BESIDE.names);
  readonly #files = new Kept<RecordedFile>(KEPT_BYTES, ({ bytes }) => (bytes?.length ?? 0) + BESIDE.bytes);

  constructor(reader: ObjectSource, isWanted: IsWanted) {
    this.#reader = reader;
    this.#isWanted = isWanted;
  }

  /** Starts what reads, for a question that comes soon. */
  begin(): void {
    this.#reader.begin();
  }

  /** A folder by its id and its path. @param ahead others that are wanted soon */
  folder(id: string, at: string, ahead: () => Iterable<readonly [id: string, at: string]>): RecordedFolder {
    const known = this.#folders.get(`${id} ${at}`);
    if (known !== undefined) return known;
    const others = [...ahead()].filter(([each, place]) => each !== id && this.#folders.get(`${each} ${place}`) === undefined);
    const { asked, read } = this.#read([...others, [id, at] as const], ([each]) => each, Number.MAX_SAFE_INTEGER);
    let last: RecordedFolder | null = null;
    for (const [index, [each, place]] of asked.entries()) {
      last = new RecordedFolder(read[index]?.bytes ?? Buffer.alloc(0), place, id.length / 2, this.#isWanted);
      this.#folders.set(`${each} ${place}`, last);
    }
    return last as RecordedFolder;
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

  /** The names of the files in some folders, whatever they are called: read for one question, and not kept. @param ids of the folders */
  fileNames(ids: readonly string[]): string[][] {
    const read = this.#reader.read(ids, Number.MAX_SAFE_INTEGER);
    return read.map(({ bytes }, at) => fileNames(bytes ?? Buffer.alloc(0), (ids[at] as string).length / 2));
  }

  /** What was found in a folder before; undefined where that is not known. @param key the folder's id and path, and what was searched for */
  found(key: string): readonly string[] | undefined {
    return this.#found.get(key);
  }

  /** Keeps what was found. */
  keepFound(key: string, texts: readonly string[]): void {
    this.#found.set(key, texts);
  }

  /** Reads those folders together that are not kept. */
  warmFolders(all: readonly (readonly [id: string, at: string])[]): void {
    const [first] = all.filter(([id, at]) => this.#folders.get(`${id} ${at}`) === undefined);
    if (first !== undefined) this.folder(...first, () => all);
  }

  /** Reads those files together that are not kept. */
  warmFiles(ids: readonly string[]): void {
    const first = ids.find((id) => this.#files.get(id) === undefined);
    if (first !== undefined) this.file(first, () => ids);
  }

  /** The bytes of a file that is too large to be kept. */
  bytes(id: string): Buffer | null {
    return this.#reader.read([id], Number.MAX_SAFE_INTEGER)[0]?.bytes ?? null;
  }
}
