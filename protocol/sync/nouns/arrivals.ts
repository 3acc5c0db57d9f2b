/** When a clone met the commits of a history. Pure. spec/git.md, "Guard". */

/**
 * Says at which of its syncs a clone met each commit.
 * @param parents of each commit of the history
 * @param tips what the branch was at, sync after sync
 * @returns by commit, the first tip that has it, counted from 0; what no tip has is not in it
 */
export function arrivalsOf(parents: ReadonlyMap<string, readonly string[]>, tips: readonly string[]): Map<string, number> {
  const arrived = new Map<string, number>();
  for (const [at, tip] of tips.entries()) {
    const ahead = parents.has(tip) && !arrived.has(tip) ? [tip] : [];
    for (const commit of ahead) arrived.set(commit, at);
    for (let commit = ahead.pop(); commit !== undefined; commit = ahead.pop())
      for (const parent of parents.get(commit) ?? []) {
        if (arrived.has(parent)) continue;
        arrived.set(parent, at);
        ahead.push(parent);
      }
  }
  return arrived;
}

/**
 * Whether a clone keeps a content of a file that is written once against another one: it had its own while it had met no commit that
 * gave the file the other. So of two clones of one branch never both keep theirs.
 * @param own the commit that brought its own
 * @param others the commits that gave the file the other content
 */
export function knewBetter(arrived: ReadonlyMap<string, number>, own: string, others: readonly string[]): boolean {
  const at = arrived.get(own);
  return at !== undefined && others.every((other) => (arrived.get(other) ?? Number.POSITIVE_INFINITY) > at);
}
