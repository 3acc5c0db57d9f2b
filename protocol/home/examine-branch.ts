/** Looking over what the home's branch has and the disk has not: what was deleted, and what is never laid out. SPEC.md, "doctor". */
import { arrivalOf } from "../objects/arrival.ts";
import { listTree, resolveCommit } from "../store/git-objects.ts";
import type { Repository } from "../store/git-run.ts";
import { exists } from "../store/read.ts";
import type { Store } from "../store/root.ts";
import type { World } from "../world.ts";
import { acceptedFiles } from "./accepted.ts";
import { admit } from "./admitting.ts";
import { STRANGER } from "./arrived-told.ts";
import { examineHistory } from "./check-history.ts";
import type { Finding } from "./finding.ts";
import { asMissing, missingFiles, restoreMissing } from "./record.ts";
import { branchRef, findRepository } from "./repository.ts";

/** Files that hosts run when they lie on a branch that is pushed. */
const RUN_BY_HOSTS =
  /^(\.github\/workflows\/|\.gitlab-ci\.yml$|\.circleci\/|\.woodpecker|\.drone\.yml$|\.gitea\/|\.forgejo\/|\.travis\.yml$|azure-pipelines\.yml$|bitbucket-pipelines\.yml$|Jenkinsfile$)/i;

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
  const accepted = acceptedFiles(world);
  const [strangers, attempts, run]: [string[], string[], string[]] = [[], [], []];
  for await (const file of listTree(repository, head)) {
    const arrival = arrivalOf(file);
    if (arrival === "known") continue;
    if (RUN_BY_HOSTS.test(file.path)) run.push(file.path);
    else if (arrival === "attempt") attempts.push(file.path);
    else if (!accepted.has(file.path) && !isHere(world.home().store, file.path)) strangers.push(file.path);
  }
  return [
    ...together("note", "stranger", strangers, STRANGER, "To remove it: `git rm --cached PATH` and a commit in .relay, then sync"),
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

/** Whether a name is on the disk; of one that no disk has it is not. */
function isHere(store: Store, path: string): boolean {
  try {
    return exists(store, path);
  } catch {
    return false;
  }
}

function together(severity: Finding["severity"], code: string, paths: readonly string[], problem: string, remedy: string): Finding[] {
  const [first] = paths;
  if (first === undefined) return [];
  return [{ severity, code, path: first, problem: paths.length === 1 ? problem : `with ${paths.length - 1} more ${problem}`, remedy }];
}
