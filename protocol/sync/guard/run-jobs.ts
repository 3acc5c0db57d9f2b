/** What the guard and a merge decide by reading, some contents at a time: however much came, little of it is in memory at once. */
import { append } from "../../core/format/append.ts";
import { MOST_BYTES } from "../../core/format/schema.ts";
import {
  type BlobId,
  type Job,
  type Outcome,
  type Outcomes,
  type Plan,
  readerOf,
  type Tree,
  UNREADABLE,
} from "../../core/noun/merge-tree.ts";
import { mostBytesAt } from "../../core/tree/broken.ts";
import { readAll, sizesOf } from "../../git/git-blobs.ts";
import type { Repository } from "../../git/git-run.ts";
import { storedOutcomes } from "../../git/home/commit-files.ts";

/** Bytes of contents that are read at a time; a job that needs more is run by itself. */
const BATCH_BYTES = 8_388_608;

/** How many bytes a content may have to be read: what a file at one of its paths may have. */
type Limits = ReadonlyMap<BlobId, number>;

/**
 * Does what a plan does, a part of it at a time.
 * @param trees that the plan was made of
 * @throws Refusal `git_failed`
 */
export async function runPlan<T>(repository: Repository, plan: Plan<T>, trees: readonly Tree[]): Promise<T> {
  const { needs, jobs } = plan;
  const limits =
    needs.size === 0 ? new Map<BlobId, number>() : limitsOf(trees.flatMap((tree) => [...tree].filter(([, id]) => needs.has(id))));
  return plan.concluded(await runJobs(repository, jobs, limits));
}

/** The limits of contents by the paths that they lie at. */
export function limitsOf(files: Iterable<readonly [path: string, id: BlobId]>): Limits {
  const limits = new Map<BlobId, number>();
  for (const [path, id] of files) limits.set(id, Math.max(limits.get(id) ?? 0, mostBytesAt(path)));
  return limits;
}

/**
 * Runs jobs one after the other, with what they need of contents. One that is larger than its file may be cannot be read, and nobody
 * checks it out.
 * @returns what all of them decided, the last one about a path
 * @throws Refusal `git_failed`
 */
export async function runJobs(repository: Repository, jobs: readonly Job[], limits: Limits): Promise<Outcomes> {
  const sizes = await sizesOf(repository, [...new Set(jobs.flatMap(({ needs }) => needs))]);
  const bytesOf = (id: BlobId): number => {
    const size = sizes.get(id) as number;
    return size <= (limits.get(id) ?? MOST_BYTES) ? size : -1;
  };
  const decided: Outcomes = new Map();
  let batch: Job[] = [];
  let [ids, held] = [new Set<BlobId>(), 0];
  const run = async (isLast: boolean): Promise<void> => {
    const contents = await readAll(repository, [...ids]);
    const read = readerOf((id) => contents.get(id) ?? UNREADABLE);
    const found: [string, Outcome][] = [];
    for (const job of batch) append(found, job.run(read));
    // Texts are held until all is stored: of what is read in parts, each part is stored by itself.
    const all = isLast ? found : await stored(repository, found);
    for (const [path, outcome] of all) decided.set(path, outcome);
    [batch, ids, held] = [[], new Set(), 0];
  };
  for (const job of jobs) {
    const own = [...new Set(job.needs)].filter((id) => !ids.has(id) && bytesOf(id) !== -1);
    const bytes = own.reduce((sum, id) => sum + bytesOf(id), 0);
    if (batch.length > 0 && held + bytes > BATCH_BYTES) await run(false);
    batch.push(job);
    for (const id of job.needs) if (bytesOf(id) !== -1) ids.add(id);
    held += bytes;
  }
  if (batch.length > 0) await run(true);
  return decided;
}

/** The same outcomes, with each text that no side has as a content. */
async function stored(repository: Repository, outcomes: readonly [string, Outcome][]): Promise<[string, Outcome][]> {
  const texts = new Map(outcomes.filter(([, outcome]) => "content" in outcome));
  const ids = new Map((await storedOutcomes(repository, texts)).map(({ path, id }) => [path, id as BlobId]));
  return outcomes.map(([path, outcome]) => ("content" in outcome ? [path, { take: ids.get(path) as BlobId }] : [path, outcome]));
}
