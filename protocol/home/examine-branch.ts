/** Looking over what the home's branch has and the disk has not: what was deleted, and what is never laid out. SPEC.md, "doctor". */
import { resolveCommit } from "../store/git-objects.ts";
import type { Repository } from "../store/git-run.ts";
import type { World } from "../world.ts";
import { admit } from "./admitting.ts";
import { STRANGER } from "./arrived-told.ts";
import { examineHistory } from "./check-history.ts";
import type { Finding } from "./finding.ts";
import { asMissing, missingFiles, restoreMissing } from "./record.ts";
import { branchRef, findRepository } from "./repository.ts";
import { unlaidIn } from "./unlaid.ts";

/** What the last record has and the home has not. */
export async function examineBranch(world: World): Promise<Finding[]> {
  const repository = findRepository(world);
  if (repository === null) return [];
  return [
    ...(await examineFaults(repository)),
    ...(await examineMissing(world, repository)),
    ...(await examineStrangers(world, repository)),
  ];
}

/** Commits that took away or changed what no operation does: what they did was brought back, and the commits stay. */
async function examineFaults(repository: Repository): Promise<Finding[]> {
  const head = await resolveCommit(repository, "HEAD");
  const { faults } = head === null ? { faults: [] } : await examineHistory(repository, head);
  return faults.map(({ commit, deleted, changed, path: at }) => ({
    severity: "warning",
    code: deleted > 0 ? "deleted_by_push" : "changed_by_push",
    path: at,
    problem: `commit ${commit.slice(0, 12)} deleted ${deleted} and changed ${changed} files that no operation does; they were brought back`,
    remedy: `See what else it did: \`cd .relay && git show --stat ${commit.slice(0, 12)}\`; protect the branch if it was not you`,
  }));
}

/** Files of the layout: deleted though nobody said so, or such that they cannot be laid out. */
async function examineMissing(world: World, repository: Repository): Promise<Finding[]> {
  const missing = (await missingFiles(world, repository)).map(asMissing);
  const { skipped } = await admit(world.home().store, repository, missing, new Map(), Number.POSITIVE_INFINITY);
  const unlaid = new Set(skipped.map(({ path }) => path));
  let restored: Promise<unknown> | null = null;
  return [
    ...skipped.map(({ path, problem }): Finding => ({ severity: "warning", code: "not_laid_out", path, problem })),
    ...missing
      .filter(({ path }) => !unlaid.has(path))
      .map(
        ({ path }): Finding => ({
          severity: "error",
          code: "missing",
          path,
          problem: "it is recorded, and was deleted without anybody saying so",
          fix: async () => {
            restored ??= restoreMissing(world, repository);
            await restored;
          },
        }),
      ),
  ];
}

/** Files outside of the layout that the branch has: the first of each kind, and how many. */
async function examineStrangers(world: World, repository: Repository): Promise<Finding[]> {
  const head = await resolveCommit(repository, branchRef(repository));
  if (head === null) return [];
  const { strangers, attempts, run } = await unlaidIn(world, repository, head);
  return [
    ...together("note", "stranger", strangers, STRANGER, "To remove it: `git rm --cached --sparse PATH` and a commit in .relay, then sync"),
    ...together(
      "warning",
      "attempt",
      attempts,
      "a link, a repository, or a name of git or of this machine, on the branch",
      "The next sync leaves it out",
    ),
    ...together(
      "warning",
      "run_by_host",
      run,
      "on the home's branch, and a host runs it when the branch is pushed",
      "Take it off the branch, unless you put it there",
    ),
  ];
}

function together(severity: Finding["severity"], code: string, paths: readonly string[], problem: string, remedy: string): Finding[] {
  const [first] = paths;
  if (first === undefined) return [];
  return [{ severity, code, path: first, problem: paths.length === 1 ? problem : `with ${paths.length - 1} more ${problem}`, remedy }];
}
