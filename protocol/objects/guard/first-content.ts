/** Which of two contents of a file that is written once a history had first. Pure. spec/git.md, "Guard". */

/** The commits that gave a file each of two contents. */
export interface Beginnings {
  path: string;
  /** Of the content that this clone has. */
  mine: readonly string[];
  /** Of the content that came. */
  yours: readonly string[];
}

/** Commits of which those before or after are kept while others are looked at. */
const KEPT = 64;

/**
 * Finds whose content was first, file by file: one of its commits comes before all commits of the other.
 * @param parents of each commit of the history
 * @returns by path; a file of which neither content was first is not in it
 */
export function firstOf(parents: ReadonlyMap<string, readonly string[]>, files: readonly Beginnings[]): Map<string, "mine" | "yours"> {
  const children = new Map<string, string[]>();
  for (const [commit, above] of parents)
    for (const parent of above) {
      const below = children.get(parent);
      if (below === undefined) children.set(parent, [commit]);
      else below.push(commit);
    }
  const [mine, yours] = (["mine", "yours"] as const).map((side) => new Set(files.flatMap((file) => file[side]))) as [
    Set<string>,
    Set<string>,
  ];
  // One walk each for the commits of the side that has fewer: a push rewrites many files by one commit, or one file by many.
  const [few, side] = mine.size < yours.size ? [mine, "mine" as const] : [yours, "yours" as const];
  const before = kept((commit) => reachable(commit, parents));
  const after = kept((commit) => reachable(commit, children));
  const comesBefore = (earlier: string, later: string): boolean =>
    few.has(later) ? before(later).has(earlier) : after(earlier).has(later);
  const isFirst = (one: readonly string[], other: readonly string[]): boolean =>
    other.length > 0 && one.some((earlier) => other.every((later) => earlier !== later && comesBefore(earlier, later)));
  const first = new Map<string, "mine" | "yours">();
  for (const file of [...files].sort((a, b) => ((a[side][0] ?? "") < (b[side][0] ?? "") ? -1 : 1))) {
    if (isFirst(file.mine, file.yours)) first.set(file.path, "mine");
    else if (isFirst(file.yours, file.mine)) first.set(file.path, "yours");
  }
  return first;
}

/** A function that keeps its last answers. */
function kept<T>(ask: (commit: string) => T): (commit: string) => T {
  const answers = new Map<string, T>();
  return (commit) => {
    const answer = answers.get(commit) ?? ask(commit);
    answers.set(commit, answer);
    if (answers.size > KEPT) answers.delete(answers.keys().next().value as string);
    return answer;
  };
}

/** The commits that a way leads to from one, itself among them. */
function reachable(from: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const met = new Set([from]);
  for (const commit of met) for (const each of next.get(commit) ?? []) met.add(each);
  return met;
}
