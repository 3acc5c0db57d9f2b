/** Names that cannot lie side by side: those that differ only in case, and a file where the other side has a folder. spec/git.md, "Merge". */
import { type Difference, keptPath, type Outcomes, type Sides } from "../noun/merge-tree.ts";

/** Of two new names that differ only in case the one that was published stays, else the smaller one; a file gives way to a folder. Who gives way is kept beside. */
export function clashing({ ours, theirs, published }: Sides, differences: readonly Difference[]): Outcomes {
  const outcomes: Outcomes = new Map();
  const folded = new Map<string, string>();
  for (const { path, base, theirs: other } of differences) {
    if (base === undefined && other === undefined) folded.set(path.toLowerCase(), path);
  }
  const giveWay = (path: string): void => {
    const id = ours.get(path) ?? theirs.get(path);
    if (id === undefined) return;
    outcomes.set(path, { absent: true });
    outcomes.set(keptPath(path, id), { take: id });
  };
  for (const { path, base, ours: mine, theirs: other } of differences) {
    if (base !== undefined || (mine !== undefined && other !== undefined)) continue;
    const twin = mine === undefined ? folded.get(path.toLowerCase()) : undefined;
    // The twin is ours, and the path theirs.
    if (twin !== undefined) giveWay(published === "theirs" || (published === undefined && path < twin) ? twin : path);
    const across = mine === undefined ? ours : theirs;
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (across.has(folder)) giveWay(folder);
    }
  }
  return outcomes;
}
