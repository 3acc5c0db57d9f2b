/** The words for files that arrived and were not written: each one that Relay knows, and of the others the first and their number. */

import type { FileFault } from "../../core/refusal.ts";
import { actingFirst } from "../../core/tree/layout.ts";
import type { Arrived } from "./write-file.ts";

/** So many files are named one by one. */
const NAMED = 20;
/** And so many of those that may act. */
const ACTING = 10;

/** @param attempts paths that were left out of the branch */
export function arrivalFaults({ skipped, strangers, later, unfit }: Arrived, attempts: readonly string[]): FileFault[] {
  return [
    ...skipped.slice(0, NAMED),
    ...together(
      skipped.slice(NAMED).map(({ path }) => path),
      "cannot be checked out here, and stay in the branch",
    ),
    ...unfit.slice(0, NAMED),
    ...together(
      unfit.slice(NAMED).map(({ path }) => path),
      "have a text that does not match their names, so they are not mail",
    ),
    ...actingNamed(
      attempts,
      "a link, a repository, a name of git or of this machine, or a file in the place of others: left out of the next commit of the branch",
      true,
    ),
    ...actingNamed(strangers, STRANGER),
    ...together(later, "new, and too much for one call; the next record or sync continues"),
  ];
}

/**
 * What to say of paths that came: those that may act on whoever works here each by name, so that nothing hides them, and of the
 * others the first and how many there are.
 * @param all whether every path may act
 */
export function actingNamed(paths: readonly string[], problem: string, all = false): FileFault[] {
  const { acting, others } = actingFirst(paths);
  const named = all ? [...acting, ...others] : acting;
  const rest = all ? [] : others;
  return [
    ...named.slice(0, ACTING).map((path) => ({ path, problem: all ? problem : ACTS })),
    ...together(named.slice(ACTING), all ? problem : ACTS),
    ...together(rest, problem),
  ];
}

/** What is said of a file outside of the layout. */
export const STRANGER = "outside of the layout: on the branch, not on this disk (read it: `git -C .relay show HEAD:PATH`)";
/** The words for a file that may act on an agent or a host. */
const ACTS = "outside of the layout, and agents, editors or hosts may act on it: on the branch, not on this disk";

/** The first of some paths, with how many more there are. */
function together(paths: readonly string[], problem: string): FileFault[] {
  const all = [...new Set(paths)];
  const [first] = all;
  if (first === undefined) return [];
  return [{ path: first, problem: all.length === 1 ? problem : `with ${all.length - 1} more ${problem}` }];
}
