/** The losing side of a merge, as the files record it. spec/git.md, "Merge". */
import { isKept } from "../noun/merge-tree.ts";

/** Lines with which a merge tells what gave way: of the history of a task or a thread, of a memory. */
const TOLD = / gave way( to .*)?$|^## .* \(kept [0-9a-f]{8}\)$/;

/**
 * What gave way by what came.
 * @param before the file until then; null where there was none
 * @returns `path: line`, or the path alone of a file that is kept beside another
 */
export function newlyGaveWay(path: string, before: string | null, after: string): string[] {
  if (isKept(path)) return before === null ? [path] : [];
  if (before === null || !/^(sessions|threads|memory)\/.*\.md$/.test(path)) return [];
  const known = new Set(before.split("\n"));
  return after
    .split("\n")
    .flatMap((line) => (TOLD.test(line) && !known.has(line) ? [`${path}: ${line.replace(/^(- \S+ relay: |## )/, "")}`] : []));
}
