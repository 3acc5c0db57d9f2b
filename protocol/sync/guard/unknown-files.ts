/** Files of the home's branch that Relay does not know. Relay reports them. It writes none of them to the disk by itself. spec/git.md, "What is checked out". */
import { orElse } from "../../core/format/file-error.ts";
import type { FileFault } from "../../core/refusal.ts";
import { arrivalOf } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { listTreeAtOnce, type TreeFile } from "../../git/git-list.ts";
import type { Repository } from "../../git/git-run.ts";
import { exists } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";

/** Files that hosts run when they lie on a branch that is pushed. */
const RUN_BY_HOSTS =
  /^(\.github\/workflows\/|\.gitlab-ci\.yml$|\.circleci\/|\.woodpecker|\.drone\.yml$|\.gitea\/|\.forgejo\/|\.travis\.yml$|azure-pipelines\.yml$|bitbucket-pipelines\.yml$|Jenkinsfile$)/i;
/** So many paths stand for all of a kind where a person joins. */
const NAMED = 3;

/** Paths of a branch outside of the layout: what nobody knows, what would act where it is checked out, what a host runs. */
export interface UnknownFiles {
  strangers: string[];
  attempts: string[];
  run: string[];
}

/**
 * What a commit of the home has outside of the layout; without strangers that are on the disk.
 * @param look is shown every file, for who wants more of them than that: a large tree is listed once
 */
export async function unknownFilesIn(
  world: World,
  repository: Repository,
  commit: string,
  look: (file: TreeFile) => void = () => undefined,
): Promise<UnknownFiles> {
  const unknown: UnknownFiles = { strangers: [], attempts: [], run: [] };
  for await (const files of listTreeAtOnce(repository, commit)) {
    for (const file of files) {
      look(file);
      const arrival = arrivalOf(file);
      if (arrival === "known") continue;
      if (RUN_BY_HOSTS.test(file.path)) unknown.run.push(file.path);
      else if (arrival === "attempt") unknown.attempts.push(file.path);
      else if (!isHere(world.home().store, file.path)) unknown.strangers.push(file.path);
    }
  }
  return unknown;
}

/** Whether a name is on the disk; of one that no disk has it is not. */
const isHere = (store: Store, path: string): boolean => orElse(false, () => exists(store, path));

/** What to tell a person who joins a home of what its branch has and the disk has not: how many, and the first names. */
export function unknownFilesNotes({ strangers, attempts, run }: UnknownFiles, skipped: readonly FileFault[]): string[] {
  return [
    ...noted(strangers, "outside of the layout, so only the branch has it (`relay doctor`)"),
    ...noted(run, "outside of the layout, and a host runs it when the branch is pushed"),
    ...noted(attempts, OFF_THE_BRANCH),
    ...noted(
      skipped.map(({ path }) => path),
      "part of the layout, but cannot be checked out here (`relay doctor` says why)",
    ),
  ];
}

/** Tells a person who joins which files the next sync removes from the branch: a host runs them, or they act on the disk as links do. */
export function leftOutNotes(left: readonly string[]): string[] {
  return [
    ...noted(
      left.filter((path) => RUN_BY_HOSTS.test(path)),
      "a host runs it when the branch is pushed, so the next sync removes it from the branch",
    ),
    ...noted(
      left.filter((path) => !RUN_BY_HOSTS.test(path)),
      OFF_THE_BRANCH,
    ),
  ];
}

const OFF_THE_BRANCH =
  "a link, a repository, a name of git or of this machine, or a file in the place of others, so the next sync removes it from the branch";

function noted(paths: readonly string[], what: string): string[] {
  if (paths.length === 0) return [];
  const first = paths.slice(0, NAMED).map((path) => JSON.stringify(path));
  const rest = paths.length > NAMED ? ", …" : "";
  return [`${paths.length} ${paths.length === 1 ? "file" : "files"} of the branch (${first.join(", ")}${rest}): ${what}`];
}
