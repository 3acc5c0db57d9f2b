/** Which commit of a range brought which content: one stream of git's, so that it costs what the range holds. */
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

/** The names of all contents that a path ever had in a history. @throws Refusal `git_failed` */
export async function contentsAt(repository: Repository, revision: string, path: string): Promise<Set<string>> {
  const contents = new Set<string>();
  for await (const events of historyOf(repository, [revision], [path]))
    for (const { change } of events) for (const id of [change?.before, change?.after]) if (id) contents.add(id);
  return contents;
}
