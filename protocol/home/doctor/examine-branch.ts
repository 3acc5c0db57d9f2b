/** Checks the files that are on the home's branch and not on the disk: deleted ones, and those that Relay never checks out. spec/check.md, "doctor". */
import { type Finding, found } from "../../objects/format/finding.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { resolveCommit } from "../../store/git/git-commits.ts";
import { addersOf } from "../../store/git/git-history.ts";
import type { Repository } from "../../store/git/git-run.ts";
import type { World } from "../../world.ts";
import { branchRef, findRepository } from "../git/repository.ts";
import { admit } from "../guard/admit-files.ts";
import { examineHistory } from "../guard/check-history.ts";
import { unknownFilesIn } from "../guard/unknown-files.ts";
import { actingNamed, STRANGER } from "../sync/arrival-words.ts";
import { asMissing, missingFiles, restoreMissing } from "../sync/lost-files.ts";
import { examineKept } from "./examine-kept.ts";

/** What the last record has and the home has not. */
export async function examineBranch(world: World): Promise<Finding[]> {
  const repository = findRepository(world);
  if (repository === null) return [];
  const head = await resolveCommit(repository, branchRef(repository));
  return [
    ...(await examineFaults(repository)),
    ...(await examineMissing(world, repository)),
    ...(await examineStrangers(world, repository)),
    ...(head === null ? [] : await examineKept(repository, head)),
  ];
}

/** Commits that took away or changed what no operation does: what they did was brought back, and the commits stay. */
async function examineFaults(repository: Repository): Promise<Finding[]> {
  const head = await resolveCommit(repository, "HEAD");
  const { faults } = head === null ? { faults: [] } : await examineHistory(repository, head);
  return faults.map(({ commit, deleted, changed, firstDeleted, firstChanged }) => {
    const what = [...counted(deleted, "deleted", firstDeleted), ...counted(changed, "changed", firstChanged)].join(" and ");
    return {
      // Nothing is left to be put right, so it keeps no home from being well.
      severity: "note",
      code: deleted > 0 ? "deleted_by_push" : "changed_by_push",
      path: firstDeleted ?? firstChanged ?? undefined,
      problem: `commit ${commit.slice(0, 12)} ${what}, which no operation does. Relay restored all of it; see what else the commit did`,
      remedy: `git -C .relay show --stat ${commit.slice(0, 12)}; undo the rest: relay undo ${commit.slice(0, 12)}; protect the branch if it was not you`,
    };
  });
}

/** What was done to so many files, and to which first. */
const counted = (count: number, verb: string, first: string | null): string[] =>
  count === 0 ? [] : [`${verb} ${count} ${count === 1 ? "file" : "files"} (${count === 1 ? "" : "first "}${first})`];

/** Files of the layout: deleted though nobody said so, or such that they cannot be checked out. */
async function examineMissing(world: World, repository: Repository): Promise<Finding[]> {
  const missing = (await missingFiles(world, repository)).map(asMissing);
  const { skipped } = await admit(world.home().store, repository, missing, new Map(), Number.POSITIVE_INFINITY);
  const skippedPaths = new Set(skipped.map(({ path }) => path));
  let restored: Promise<unknown> | null = null;
  return [
    ...skipped.map(({ path, problem }): Finding => found("not_laid_out", problem, { path })),
    ...missing
      .filter(({ path }) => !skippedPaths.has(path))
      .map(
        ({ path }): Finding =>
          found("missing", "it is committed, and was deleted without an operation", {
            path,
            fix: async () => {
              restored ??= restoreMissing(world, repository);
              await restored;
            },
          }),
      ),
  ];
}

/** Files outside of the layout that the branch has: those that may act by name, else the first of each kind, and how many. */
async function examineStrangers(world: World, repository: Repository): Promise<Finding[]> {
  const head = await resolveCommit(repository, branchRef(repository));
  if (head === null) return [];
  const { strangers, attempts, run } = await unknownFilesIn(world, repository, head);
  const told = actingNamed(strangers, STRANGER);
  const adders = await addersOf(
    repository,
    head,
    told.map(({ path }) => path),
  );
  return [
    ...told.map(({ path, problem }): Finding => {
      const by = adders.get(path);
      const remedy =
        by === undefined ? undefined : `remove it from the branch, and undo the rest of that commit: relay undo ${shortCommit(by)}`;
      return found("stranger", problem, { path, remedy });
    }),
    ...actingNamed(attempts, "a link, a repository, or a name of git or of this machine, on the branch", true).map(
      ({ path, problem }): Finding => found("attempt", problem, { path, remedy: "relay sync (removes it from the branch)" }),
    ),
    ...together(
      "warning",
      "run_by_host",
      run,
      "on the home's branch, and a host runs it when the branch is pushed",
      "Remove it from the branch, unless you put it there",
    ),
  ];
}

function together(severity: Finding["severity"], code: string, paths: readonly string[], problem: string, remedy: string): Finding[] {
  const [first] = paths;
  if (first === undefined) return [];
  return [{ severity, code, path: first, problem: paths.length === 1 ? problem : `with ${paths.length - 1} more ${problem}`, remedy }];
}
