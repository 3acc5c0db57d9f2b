/** The commit of a range that brought each content: one stream of git, so the cost follows the size of the range. */
import { historyOf } from "./git-history.ts";
import type { Repository } from "./git-run.ts";

/**
 * The first commit of a range that has a path with a content, as a function; null where none has.
 * @param from commits that this one contains are not looked at
 * @param to the newest commit
 * @throws Refusal `git_failed`
 */
export async function firstCommits(
  repository: Repository,
  from: string,
  to: string,
): Promise<(path: string, content: string) => string | null> {
  const first = new Map<string, string>();
  for await (const events of historyOf(repository, [to, `^${from}`])) {
    for (const { commit, change } of events) {
      if (change === null || change.after === null) continue;
      const key = `${change.after} ${change.path}`;
      if (!first.has(key)) first.set(key, commit);
    }
  }
  return (path, id) => first.get(`${id} ${path}`) ?? null;
}

/**
 * All contents that files ever had in a history: path → names of contents.
 * @param paths files, and folders, of which each file counts
 * @throws Refusal `git_failed`
 */
export async function contentsAt(repository: Repository, revision: string, paths: readonly string[]): Promise<Map<string, Set<string>>> {
  const contents = new Map<string, Set<string>>();
  for await (const events of historyOf(repository, [revision], paths))
    for (const { change } of events) {
      if (change === null) continue;
      const known = contents.get(change.path) ?? new Set();
      contents.set(change.path, known);
      for (const id of [change.before, change.after]) if (id !== null) known.add(id);
    }
  return contents;
}

/**
 * The newest commit that added each of some files: path → commit. What only a merge added has none.
 * @throws Refusal `git_failed`
 */
export async function addersOf(repository: Repository, revision: string, paths: readonly string[]): Promise<Map<string, string>> {
  const adders = new Map<string, string>();
  if (paths.length === 0) return adders;
  const merges = new Set<string>();
  const literal = paths.map((path) => `:(literal)${path}`);
  for await (const events of historyOf(repository, [revision], literal))
    for (const event of events) {
      if (event.change === null) {
        if (event.parents.length > 1) merges.add(event.commit);
      } else if (event.change.before === null && !merges.has(event.commit)) adders.set(event.change.path, event.commit);
    }
  return adders;
}
