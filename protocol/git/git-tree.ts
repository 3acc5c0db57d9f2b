/** An index that holds a tree, to be written to. */
import fs from "node:fs";
import { openIndex, ZERO } from "./git-index.ts";
import { listTreeAtOnce, type TreeFile } from "./git-list.ts";
import { encodePath } from "./git-path.ts";
import { gitBytes, gitResult, type Repository } from "./git-run.ts";

/** An empty index of this process's own. */
export function newIndex(repository: Repository): string {
  const own = openIndex(repository);
  fs.rmSync(own, { force: true });
  return own;
}

/**
 * Fills an index with what is wanted of a tree, which may have paths that git refuses to read.
 * @param isAllWanted whether the caller has listed the tree, and wants all of it: then it is not listed again
 */
export async function fillIndex(
  repository: Repository,
  index: string,
  tree: string,
  isWanted: (file: TreeFile) => boolean,
  isAllWanted = false,
): Promise<void> {
  if (isAllWanted && (await gitResult(repository, ["read-tree", tree], { index })).code === 0) return;
  const files: TreeFile[] = [];
  for await (const listed of listTreeAtOnce(repository, tree)) for (const file of listed) files.push(file);
  const wanted = files.filter(isWanted);
  // Git knows the trees of what it reads itself, and writes those alone that change.
  if (wanted.length === files.length && (await gitResult(repository, ["read-tree", tree], { index })).code === 0) return;
  const lines = wanted.flatMap(({ mode, id, path: at }) => [Buffer.from(`${mode} ${id}\t`), encodePath(at), ZERO]);
  if (lines.length > 0) await gitBytes(repository, ["update-index", "--add", "-z", "--index-info"], { index, input: Buffer.concat(lines) });
}
