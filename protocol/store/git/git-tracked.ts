/** Whether git tracks a file: asked at once and seldom, where the search for a home meets an odd link. */
import { zeroFields } from "./git-path.ts";
import { gitAtOnce, LIST } from "./spawn-git.ts";

/** Whether the repository of a folder tracks a name in it. What cannot be asked counts as tracked. */
export function isTracked(folder: string, name: string): boolean {
  const listed = gitAtOnce(folder, [...LIST, `:(literal)${name}`]);
  return listed === null || listed.length > 0;
}

/**
 * What a working tree's repository tracks at some paths and below them, in whatever case.
 * @param top absolute path of the working tree
 * @param paths from its top, with `/`
 * @returns such paths; null where git cannot be asked
 */
export function trackedBelow(top: string, paths: readonly string[]): string[] | null {
  const listed = gitAtOnce(top, [...LIST, ...paths.map((each) => `:(top,literal,icase)${each}`)]);
  return listed === null ? null : zeroFields(listed).filter((name) => name !== "");
}
