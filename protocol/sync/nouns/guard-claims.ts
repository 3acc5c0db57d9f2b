/** Guarding the chains of claims: a record gives way only to one that is surer, or was there before it, and lies beside then. spec/git.md, "Guard". */

import { claimPath } from "../../board/nouns/claim.ts";
import { type BlobId, type Job, keptPath, type Outcomes, type Tree } from "../../core/noun/merge-tree.ts";
import { lowestIn } from "../../core/tree/series.ts";
import type { Stands } from "./guard.ts";
import { boardTask, byTask, chainOf, recordOf, surest, type UnreadLink } from "./merge-claims.ts";

/**
 * Guards the records at some paths, task by task.
 * @param paths records that are not as they were
 * @param stands decides between two chains of which none is surer, by the records at their first number
 */
export const claimJobs = (paths: readonly string[], before: Tree, now: Tree, stands: Stands): Job[] =>
  byTask(paths, (path) => path).map(({ session, task, items }) =>
    chainJob(
      session,
      task,
      items.flatMap((path) => boardTask(path)?.fence ?? []),
      [before, now],
      stands,
    ),
  );

function chainJob(session: string, task: string, fences: readonly number[], [before, now]: [Tree, Tree], stands: Stands): Job {
  const from = lowestIn(fences);
  const [first, was, is] = [
    claimPath(session, task, from),
    before.get(claimPath(session, task, from)),
    now.get(claimPath(session, task, from)),
  ];
  const isLater = was !== undefined && is !== undefined && stands(first, was, is) === is;
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
  const beside = had.filter(({ fence, id }) => {
    const path = claimPath(session, task, fence);
    return !now.has(path) && now.get(keptPath(path, id)) === id;
  });
  return {
    needs: came.length === 0 ? beside.map(({ id }) => id) : [...had, ...came].map(({ id }) => id),
    run(read) {
      const sure = (chain: readonly UnreadLink[]): number =>
        surest(
          session,
          chain.map((link) => recordOf(read, session, task, link)),
          [before, now],
        );
      const surer = came.length === 0 ? -1 : sure(came) - sure(had);
      const gaveWay = surer > 0 || (surer === 0 && isLater);
      const outcomes: Outcomes = new Map();
      // One that cannot be read says nothing, so it may lie beside its name.
      const said = new Set(beside.flatMap((link) => (recordOf(read, session, task, link) === null ? [link.fence] : [])));
      for (const fence of fences.filter((each) => !said.has(each))) {
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
