/** What to say of files that arrived and were not laid out: each that has a place, and of the others the first and how many. */
import type { FileFault } from "../refusal.ts";
import type { Arrived } from "./lay.ts";

/** So many files are named one by one. */
const NAMED = 20;

/** @param attempts paths that were left out of the branch */
export function unlaidFaults({ skipped, strangers, later }: Arrived, attempts: readonly string[]): FileFault[] {
  return [
    ...skipped.slice(0, NAMED),
    ...together(
      skipped.slice(NAMED).map(({ path }) => path),
      "cannot be laid out here, and stay in the branch",
    ),
    ...together(strangers, STRANGER),
    ...together(attempts, "a link, a repository, or a name of git or of this machine: left out of the next commit of the branch"),
    ...together(later, "new, and more than one call lays out: the next record or sync goes on"),
  ];
}

/** What is said of a file outside of the layout. */
export const STRANGER =
  "outside of the layout: the branch carries it, the disk does not (`git show HEAD:PATH` in .relay shows it, `relay accept PATH` lays it out)";

/** The first of some paths, with how many more there are. */
function together(paths: readonly string[], problem: string): FileFault[] {
  const all = [...new Set(paths)];
  const [first] = all;
  if (first === undefined) return [];
  return [{ path: first, problem: all.length === 1 ? problem : `with ${all.length - 1} more ${problem}` }];
}
