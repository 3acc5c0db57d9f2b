/** What a repository holds: the trees of commits, the differences between two, and contents. Every list is fed to one process, because starting git costs more than its work. */

import { type Answers, askOnce, listOnce } from "./git-answers.ts";
import { gitText, type Repository } from "./git-run.ts";
import { gitFieldLists } from "./git-stream.ts";
import { factsOf } from "./objects/object-process.ts";

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
 * Every file of a tree or commit. For sizes git reads every object.
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
): AsyncGenerator<readonly TreeFile[]> {
  const list = (): AsyncGenerator<TreeFile[]> => readListed(repository, under === "" ? tree : `${tree}:${under}`, sizes);
  // A tree in parts or with sizes is listed for one step alone.
  yield* under === "" && !sizes ? listOnce(trees, repository, [tree], list) : list();
}

const trees: Answers<readonly TreeFile[]> = new Map();

async function* readListed(repository: Repository, tree: string, sizes: boolean): AsyncGenerator<TreeFile[]> {
  for await (const lines of gitFieldLists(repository, ["ls-tree", "-r", "-z", "--full-tree", ...(sizes ? ["-l"] : []), tree])) {
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
  (await factsOf(repository, [`${commit}:${path}`]))[0] != null;

/** The tree without files: git knows it without anybody writing it. */
export const emptyTree = (repository: Repository): Promise<string> =>
  askOnce(empty, repository, [], () => gitText(repository, ["hash-object", "-t", "tree", "--stdin"]));

const empty: Answers<string> = new Map();

/** The id that git writes where there is no object. */
export const NONE = /^0+$/;
