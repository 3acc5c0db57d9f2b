/** What a repository holds: the trees of commits, the differences between two, and contents. Every list is fed to one process, because starting git costs more than its work. */

import { refuse } from "../../refusal.ts";
import { zeroFields } from "./git-path.ts";
import { gitBytes, gitResult, gitText, type Repository } from "./git-run.ts";
import { gitFieldLists, gitStream, Reader } from "./git-stream.ts";

/** A file of a tree. */
export interface TreeFile {
  path: string;
  /** Name of its content: two files with the same have the same bytes. */
  id: string;
  /** Git's, such as `100644`. */
  mode: string;
  /** In bytes; 0 of what is no blob, and where sizes were not asked for. */
  size: number;
}

/**
 * Every file of a tree or commit. Sizes cost a look at every object.
 * @param under a folder whose files alone are listed, by their paths in it; empty for the whole tree
 * @throws Refusal `git_failed`
 */
export async function* listTree(
  repository: Repository,
  tree: string,
  { under = "", sizes = false }: { under?: string; sizes?: boolean } = {},
): AsyncGenerator<TreeFile> {
  for await (const files of listTreeAtOnce(repository, tree, { under, sizes })) yield* files;
}

/** The same, as many at a time as git printed, for callers that read whole trees. @throws Refusal `git_failed` */
export async function* listTreeAtOnce(
  repository: Repository,
  tree: string,
  { under = "", sizes = false }: { under?: string; sizes?: boolean } = {},
): AsyncGenerator<TreeFile[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", ...(sizes ? ["-l"] : []), under === "" ? tree : `${tree}:${under}`];
  for await (const lines of gitFieldLists(repository, args)) {
    yield lines.map((line) => {
      // `<mode> <type> <id>[ <size>]`, a tab, the path.
      const tab = line.indexOf("\t");
      const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
      const size = sizes ? Number.parseInt(line.slice(line.lastIndexOf(" ", tab) + 1, tab), 10) || 0 : 0;
      return { path: line.slice(tab + 1), id, mode, size };
    });
  }
}

/** Whether a commit has a file or folder. */
export const hasPath = async (repository: Repository, commit: string, path: string): Promise<boolean> =>
  (await gitResult(repository, ["cat-file", "-e", `${commit}:${path}`])).code === 0;

/** The tree without files. */
export async function emptyTree(repository: Repository): Promise<string> {
  // Git knows it without anybody writing it.
  return gitText(repository, ["hash-object", "-t", "tree", "--stdin"]);
}

/** A path that differs between two trees; null where one has none. Modes are git's, such as `100644`; of nothing, zeros. */
export interface Change {
  path: string;
  before: string | null;
  after: string | null;
  /** What it is afterwards. */
  mode: string;
  /** What it was, where somebody asked git. */
  oldMode?: string;
}

const NONE = /^0+$/;

/** What `--raw -z` printed. */
export function parseRaw(out: Buffer): Change[] {
  const fields = zeroFields(out);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", before = "", after = ""] = (fields[at] as string).slice(1).split(" ");
    changes.push({ path: fields[at + 1] as string, before: idOrNull(before), after: idOrNull(after), mode, oldMode });
  }
  return changes;
}

const idOrNull = (id: string): string | null => (NONE.test(id) ? null : id);

/** Every path that differs between two trees or commits. */
export const diffTrees = async (repository: Repository, from: string, to: string): Promise<Change[]> =>
  parseRaw(await gitBytes(repository, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to]));

/**
 * The contents of blobs, one after the other in the order asked for, by one process of git.
 * @throws Refusal `git_failed`, also where one is missing: what cannot be read is never taken for what is gone
 */
export async function* readBlobs(repository: Repository, ids: readonly string[]): AsyncGenerator<{ id: string; bytes: Buffer }> {
  if (ids.length === 0) return;
  const answers = new Reader(gitStream(repository, ["cat-file", "--batch", "--buffer"], ids));
  try {
    for (const id of ids) {
      // `<id> blob <size>`, the bytes, a line break.
      const header = await answers.line();
      const [found, kind, size] = header.split(" ");
      if (found !== id || kind !== "blob" || !/^\d+$/.test(size ?? ""))
        throw refuse("git_failed", { command: "git cat-file --batch", reason: `no blob ${id}: ${header}` });
      yield { id, bytes: await answers.bytes(Number(size)) };
      await answers.bytes(1);
    }
  } finally {
    await answers.end();
  }
}

/**
 * The contents of a few blobs by their ids.
 * @param mostBytes larger ones are left out, unread
 * @throws Refusal `git_failed`
 */
export async function readAll(
  repository: Repository,
  ids: readonly string[],
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Map<string, Buffer>> {
  const sizes = Number.isFinite(mostBytes) ? await sizesOf(repository, ids) : new Map<string, number>();
  const wanted = ids.filter((id) => (sizes.get(id) ?? 0) <= mostBytes);
  const all = new Map<string, Buffer>();
  for await (const { id, bytes } of readBlobs(repository, wanted)) all.set(id, bytes);
  return all;
}

/** How many bytes each blob has, without reading one. @throws Refusal `git_failed`, also where one is missing */
export async function sizesOf(repository: Repository, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (ids.length === 0) return sizes;
  const answers = new Reader(gitStream(repository, ["cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer"], ids));
  try {
    for (const id of ids) {
      const [kind, size] = (await answers.line()).split(" ");
      if (kind !== "blob") throw refuse("git_failed", { command: "git cat-file --batch-check", reason: `no blob ${id}` });
      sizes.set(id, Number(size));
    }
  } finally {
    await answers.end();
  }
  return sizes;
}

/** Writes contents as objects; gives their ids in the same order. */
export async function writeBlobs(repository: Repository, contents: readonly Uint8Array[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const input = contents.flatMap((bytes, index) => [
    Buffer.from(`blob\nmark :${index + 1}\ndata ${bytes.length}\n`),
    bytes,
    Buffer.from("\n"),
  ]);
  const marks = contents.map((_, index) => `get-mark :${index + 1}\n`).join("");
  const out = await gitText(repository, ["fast-import", "--quiet"], { input: Buffer.concat([...input, Buffer.from(marks)]) });
  return out.split("\n");
}
