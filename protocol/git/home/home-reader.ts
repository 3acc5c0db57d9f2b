/** A home as it can be read without touching it: its folder as it is, or a commit of git that is not checked out. spec/check.md, "Check". */
import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { FileError, orElse } from "../../core/format/file-error.ts";
import { MOST_BYTES } from "../../core/format/schema.ts";
import { HOME_FOLDER } from "../../core/home/find-home.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import { refuse } from "../../core/refusal.ts";
import type { ListedFile } from "../../core/tree/layout.ts";
import { MACHINE, placeOf } from "../../core/tree/layout.ts";
import { facts } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readListed } from "../../store/read/read-file.ts";
import { absolute, openStore, type Store } from "../../store/root.ts";
import { readBlobs } from "../git-blobs.ts";
import { resolveCommit } from "../git-commits.ts";
import { listTreeAtOnce } from "../git-list.ts";
import { gitText, type Repository, repositoryFrom } from "../git-run.ts";

/** A file of a snapshot, or what stands in its place. */
export interface SnapshotFile extends ListedFile {
  /** Two files with the same have the same bytes. */
  same: string;
}

/** A home to read from; nothing is ever written through it. */
export interface Snapshot {
  /** The folder; null of a commit. */
  readonly store: Store | null;
  /** Every file, link and other thing, several at a time, in no order; of the folders those that have the name of a file. */
  files(): AsyncIterable<readonly SnapshotFile[]>;
  /** The texts of files one after the other in the order given, one in memory at a time; an error says why one is none. */
  texts(files: readonly SnapshotFile[]): AsyncIterable<{ file: SnapshotFile; text: string | FileError }>;
  /** Whether a link leads out of the home, or nowhere. */
  leaves(file: SnapshotFile): Promise<boolean>;
}

/** A home's folder as it is now. */
export function folderSnapshot(root: string): Snapshot {
  const store = openStore(root);
  store.passesOver = true;
  return {
    store,
    async *files() {
      yield* walk(store, "", FIRST);
    },
    async *texts(files) {
      for (const file of files) {
        try {
          const text = readListed(store, file.path, file.size, MOST_BYTES);
          if (text !== null) yield { file, text };
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
          yield { file, text: error };
        }
      }
    },
    async leaves({ path: at }) {
      return orElse(true, () => !fs.realpathSync.native(absolute(store, at)).startsWith(store.root + path.sep));
    },
  };
}

/** What takes longest to read comes first, so that it is read while all else is listed. */
const FIRST = "threads";

/** The files of a folder and of those in it, in the order of their paths: so they are sorted where they are few. @param first the name that comes before all */
function* walk(store: Store, folder: string, first?: string): Generator<readonly SnapshotFile[]> {
  let files: SnapshotFile[] = [];
  const listed = inOrder(entries(store, folder));
  const ordered =
    first === undefined ? listed : [...listed.filter(({ name }) => name === first), ...listed.filter(({ name }) => name !== first)];
  for (const { name, kind } of ordered) {
    const at = folder === "" ? name : `${folder}/${name}`;
    // What is git's own, or its machine's, is nobody else's. In a linked repository `.git` is a file.
    if (folder === "" && (name === ".git" || (kind === "folder" && MACHINE.has(name)))) continue;
    const isOpen = kind === "folder" && !isUnreadable(store, at);
    const file = isOpen && !isFileName(at) ? null : fileAt(store, at, kind);
    if (file !== null) files.push(file);
    if (!isOpen) continue;
    yield files;
    files = [];
    yield* walk(store, at);
  }
  yield files;
}

/** Names of a folder in the order that the paths below them have: a folder stands where its slash does. */
function inOrder(listed: ReturnType<typeof entries>): ReturnType<typeof entries> {
  const sorted = listed.map((entry) => ({ ...entry, key: entry.kind === "folder" ? `${entry.name}/` : entry.name }));
  return sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Whether a name lists, and cannot be opened: its bytes are no UTF-8, and stand as U+FFFD. */
const isUnreadable = (store: Store, at: string): boolean => at.includes("\uFFFD") && facts(store, at) === null;

function isFileName(at: string): boolean {
  const place = placeOf(at);
  return place !== null && place.kind !== "ignored" && place.kind !== "machine";
}

function fileAt(store: Store, at: string, kind: SnapshotFile["kind"]): SnapshotFile | null {
  const fact = facts(store, at);
  if (fact !== null) return { path: at, kind, size: fact.size, same: String(fact.inode) };
  // Nothing but its name can be said of it.
  return at.includes("\uFFFD") ? { path: at, kind: "file", size: 0, same: at } : null;
}

/** A commit that has a home: where it was found, and where in its tree the home lies. */
interface HomeCommit {
  repository: Repository;
  commit: string;
  /** Empty, or `.relay` where the home is files of the code. */
  under: string;
}

/**
 * The commit that a name stands for, in the first of some folders whose repository has a home under that name.
 * @throws Refusal `unknown_ref`; `no_home_in_commit` when its tree has no home
 */
export async function homeCommit(folders: readonly string[], name: string): Promise<HomeCommit> {
  let homeless: string | null = null;
  for (const folder of folders) {
    const repository = await repositoryFrom(folder);
    if (repository === null) continue;
    const commit = await resolveCommit(repository, name);
    if (commit === null) continue;
    for (const under of [HOME_FOLDER, ""]) {
      const at = under === "" ? CONFIG_PATH : `${under}/${CONFIG_PATH}`;
      if ((await gitText(repository, ["ls-tree", "-z", "--full-tree", commit, "--", at])) !== "") return { repository, commit, under };
    }
    homeless ??= commit;
  }
  if (homeless !== null) throw refuse("no_home_in_commit", { given: name, commit: homeless });
  throw refuse("unknown_ref", { given: name, looked: folders.join(", ") });
}

const kindOf = (mode: string): SnapshotFile["kind"] => (mode.startsWith("100") ? "file" : mode === "120000" ? "link" : "other");

/** The home of a commit, read from git's objects. */
export function commitSnapshot({ repository, commit, under }: HomeCommit): Snapshot {
  return {
    store: null,
    async *files() {
      for await (const files of listTreeAtOnce(repository, commit, { under, sizes: true }))
        yield files.map(({ path: at, mode, size, id }) => ({ path: at, kind: kindOf(mode), size, same: id }));
    },
    async *texts(files) {
      let next = 0;
      const ids = files.map(({ same }) => same);
      for await (const { bytes } of readBlobs(repository, ids)) {
        const file = files[next++] as SnapshotFile;
        yield { file, text: textOf(bytes) ?? new FileError("expected UTF-8 text, it has other bytes", undefined, file.path) };
      }
    },
    async leaves({ path: at, same }) {
      for await (const { bytes } of readBlobs(repository, [same])) {
        const target = path.posix.normalize(path.posix.join(path.posix.dirname(at), bytes.toString("utf8")));
        return bytes.toString("utf8").startsWith("/") || target === ".." || target.startsWith("../");
      }
      return true;
    },
  };
}

/** A commit, whole or in part, or a name of git's such as `relay~3`. */
export const NAME = /^[A-Za-z0-9][\w./~^-]*$/;
/** An instant without seconds, with or without its offset. */
export const MINUTE = /^[\d-]+[T ]\d\d:\d\d(Z|[+-]\d\d:?\d\d)?$/i;
/** From the beginning of a minute to its last second: git counts in seconds. */
export const LAST_SECOND_MS = 59_000;

/** When the home was first recorded. */
export async function firstRecordAt(repository: Repository): Promise<string> {
  const args = ["log", "--no-show-signature", "--encoding=UTF-8", "--first-parent", "--max-parents=0", "--format=%cI", "HEAD"];
  const times = await gitText(repository, args);
  return new Date(times.split("\n").at(-1) as string).toISOString();
}
