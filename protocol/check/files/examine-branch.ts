/** Checks the files that are on the home's branch and not on the disk: deleted ones, and those that Relay never checks out. spec/check.md, "doctor". */
import { type Finding, found } from "../../core/format/finding.ts";
import { shellWord } from "../../core/format/shell-word.ts";
import type { World } from "../../core/world.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import { addersOf } from "../../git/git-history.ts";
import type { Repository } from "../../git/git-run.ts";
import { branchRef, findRepository } from "../../git/home/repository.ts";
import { examineHistory, faultFindings } from "../../sync/guard/check-history.ts";
import { type UnknownFiles, unknownFilesIn } from "../../sync/guard/unknown-files.ts";
import { actingNamed, STRANGER } from "../../sync/sync/arrival-words.ts";
import { notHere, restoreMissing } from "../../sync/sync/lost-files.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";
import { examineKept, isTold } from "./examine-kept.ts";

/** So many files that cannot be checked out are told with their commits. */
const NAMED = 20;

/** Checks what the last record has and the home has not. Writes nothing. @throws Refusal `git_failed` */
export async function* examineBranch(world: World): AsyncGenerator<Finding> {
  const repository = findRepository(world);
  if (repository === null) return;
  const head = await resolveCommit(repository, branchRef(repository));
  const kept: { path: string; id: string }[] = [];
  const noteKept = ({ path, id }: { path: string; id: string }): void => {
    if (isTold(path)) kept.push({ path, id });
  };
  world.progress?.("what git has");
  // Git does most of it: together it takes as long as the longest.
  const [faults, away, unknown] = await Promise.all([
    findFaults(repository),
    head === null ? null : notHere(world, repository),
    head === null ? null : unknownFilesIn(world, repository, head, noteKept),
  ]);
  yield* faults;
  if (head === null || away === null || unknown === null) return;
  yield* examineMissing(world, repository, head, away);
  yield* examineStrangers(repository, head, unknown);
  yield* examineKept(repository, head, kept);
}

/** What commits took away or changed as no operation does, as far as it still stands. */
async function findFaults(repository: Repository): Promise<Finding[]> {
  const head = await resolveCommit(repository, "HEAD");
  return head === null ? [] : (await examineHistory(repository, head)).faults.flatMap((fault) => [...faultFindings(fault)]);
}

/** Files of the layout: deleted though nobody said so, or such that they cannot be checked out. */
async function* examineMissing(
  world: World,
  repository: Repository,
  head: string,
  { missing, carried }: Awaited<ReturnType<typeof notHere>>,
): AsyncGenerator<Finding> {
  const adders = await addersOf(
    repository,
    head,
    carried.slice(0, NAMED).map(({ path }) => path),
  );
  for (const { path, problem } of carried) {
    const by = adders.get(path);
    const undo = by === undefined ? "" : `; undo its commit: relay undo ${shortCommit(by)}`;
    yield found("not_laid_out", problem, { path, remedy: `read it: git -C .relay show HEAD:${shellWord(path)}${undo}` });
  }
  let restored: Promise<unknown> | null = null;
  const fix = async (): Promise<void> => {
    restored ??= restoreMissing(world, repository);
    await restored;
  };
  for (const { path } of missing) yield found("missing", "it is committed, and was deleted without an operation", { path, fix });
}

/** Files outside of the layout that the branch has: those that may act by name, else the first of each kind, and how many. */
async function* examineStrangers(
  repository: Repository,
  head: string,
  { strangers, attempts, run }: UnknownFiles,
): AsyncGenerator<Finding> {
  const named = actingNamed(strangers, STRANGER);
  const paths = named.map(({ path }) => path);
  const adders = await addersOf(repository, head, paths);
  for (const { path, problem } of named) {
    const by = adders.get(path);
    const remedy = by && `remove it from the branch, and undo the rest of that commit: relay undo ${shortCommit(by)}`;
    yield found("stranger", problem, { path, remedy });
  }
  for (const { path, problem } of actingNamed(
    attempts,
    "a link, a repository, a name of git or of this machine, or a file in the place of others, on the branch",
    true,
  ))
    yield found("attempt", problem, { path, remedy: "relay sync (removes it from the branch)" });
  const [first, ...others] = run;
  if (first === undefined) return;
  const problem = "on the home's branch, and a host runs it when the branch is pushed";
  const remedy = "Remove it from the branch, unless you put it there";
  yield found("run_by_host", others.length === 0 ? problem : `with ${others.length} more ${problem}`, { path: first, remedy });
}
