/** Guarding the chains of claims: a record gives way only to one that is surer, and lies beside then. spec/git.md, "Guard". */
import { boardTask, byTask, chainOf, recordOf, surest, type UnreadLink } from "../merge/merge-claims.ts";
import { type BlobId, type Job, keptPath, type Outcomes, type Tree } from "../noun/merge-tree.ts";
import { claimPath } from "../task/claim.ts";
import { lowestIn } from "../tree/series.ts";

/** Guards the records at some paths, task by task. @param paths records that are not as they were */
export const claimJobs = (paths: readonly string[], before: Tree, now: Tree): Job[] =>
  byTask(paths, (path) => path).map(({ session, task, items }) =>
    chainJob(
      session,
      task,
      items.flatMap((path) => boardTask(path)?.fence ?? []),
      before,
      now,
    ),
  );

function chainJob(session: string, task: string, fences: readonly number[], before: Tree, now: Tree): Job {
  const from = lowestIn(fences);
  const had = fences.map((fence): UnreadLink => ({ fence, id: before.get(claimPath(session, task, fence)) as BlobId }));
  const came = now.has(claimPath(session, task, from))
    ? chainOf(
        now,
        session,
        task,
        from,
        [...fences].sort((a, b) => a - b),
      ).filter(({ fence, id }) => fences.includes(fence) && before.get(claimPath(session, task, fence)) !== id)
    : [];
  return {
    needs: came.length === 0 ? [] : [...had, ...came].map(({ id }) => id),
    run(read) {
      const sure = (chain: readonly UnreadLink[]): number =>
        surest(
          session,
          chain.map((link) => recordOf(read, session, task, link)),
          [before, now],
        );
      const gaveWay = came.length > 0 && sure(had) < sure(came);
      const outcomes: Outcomes = new Map();
      for (const fence of fences) {
        const path = claimPath(session, task, fence);
        const [mine, yours] = [before.get(path) as BlobId, now.get(path)];
        if (gaveWay) outcomes.set(keptPath(path, mine), { take: mine });
        else {
          outcomes.set(path, { take: mine });
          if (yours !== undefined) outcomes.set(keptPath(path, yours), { take: yours });
        }
      }
      return outcomes;
    },
  };
}
