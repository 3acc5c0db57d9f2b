/** The files of a tree of a home's repository. */

import { zeroFields } from "./git-path.ts";
import { gitBytes, gitResult, gitText, type Repository } from "./git-run.ts";
import { gitFieldLists } from "./git-stream.ts";

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

/** The same, as many at a time as git printed, for whoever reads whole trees. @throws Refusal `git_failed` */
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
export async function hasPath(repository: Repository, commit: string, path: string): Promise<boolean> {
  return (await gitResult(repository, ["cat-file", "-e", `${commit}:${path}`])).code === 0;
}

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
export async function diffTrees(repository: Repository, from: string, to: string): Promise<Change[]> {
  return parseRaw(await gitBytes(repository, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to]));
}
