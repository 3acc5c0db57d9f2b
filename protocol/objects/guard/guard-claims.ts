/** Guarding the chains of claims: a record gives way only to one that is surer, and lies beside then. spec/git.md, "Guard". */
import { boardTask, certainty, recordOf } from "../merge/merge-claims.ts";
import { type BlobId, type Job, keptPath, type Outcomes, type Tree } from "../noun/merge-tree.ts";
import { claimPath } from "../task/claim.ts";
import { lowestIn } from "../tree/series.ts";

/** Guards the records at some paths, task by task. @param paths records that are not as they were */
export function claimJobs(paths: readonly string[], before: Tree, now: Tree): Job[] {
  const chains = new Map<string, { session: string; task: string; fences: number[] }>();
  for (const path of paths) {
    const found = boardTask(path);
    if (found === null || found.fence === null) continue;
    const key = `${found.session}/${found.task}`;
    const chain = chains.get(key) ?? { session: found.session, task: found.task, fences: [] };
    chain.fences.push(found.fence);
    chains.set(key, chain);
  }
  return [...chains.values()].map(({ session, task, fences }) => chainJob(session, task, fences, before, now));
}

function chainJob(session: string, task: string, fences: readonly number[], before: Tree, now: Tree): Job {
  const from = lowestIn(fences);
  const at = claimPath(session, task, from);
  const [was, is] = [before.get(at) as BlobId, now.get(at)];
  return {
    needs: is === undefined ? [] : [was, is],
    run(read) {
      const sure = (id: BlobId): number => certainty(session, recordOf(read, task, { fence: from, id }), [before, now]);
      const gaveWay = is !== undefined && sure(was) < sure(is);
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
