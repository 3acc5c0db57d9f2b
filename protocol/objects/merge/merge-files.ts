/** Merging files that nobody joins: one stays, by a rule that does not know the sides, the other is kept beside. spec/git.md, "Merge". */
import { byPublication, type Conflict, type Job, keepBoth, ordered, type Sides } from "../noun/merge-tree.ts";
import { guardClass } from "../tree/guard-class.ts";

/**
 * A file of which one side's content stays: of what is written once, that of the side that was published.
 * @param keyOf what orders the contents, the smallest first; throws for one that cannot be read, which comes last. Null: their ids alone
 */
export function fileJob(sides: Sides, conflict: Conflict, keyOf: ((source: string) => string) | null): Job {
  const { path, ours, theirs } = conflict;
  const first = guardClass(path) === "once" ? byPublication(sides, conflict) : null;
  if (first !== null) return { needs: [], run: () => keepBoth(path, ...first) };
  if (keyOf === null) return { needs: [], run: () => keepBoth(path, ...ordered(ours, theirs)) };
  return {
    needs: [ours, theirs],
    run(read) {
      const rank = (id: string): string => {
        try {
          return `0 ${keyOf(read(id) ?? "")}`;
        } catch {
          return "1";
        }
      };
      const [one, other] = ordered(ours, theirs);
      return rank(one) <= rank(other) ? keepBoth(path, one, other) : keepBoth(path, other, one);
    },
  };
}
