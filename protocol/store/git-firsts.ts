/** Which commit of a range brought which content: one stream of git's, so that it costs what the range holds. */
import type { Repository } from "./git-run.ts";
import { gitFields } from "./git-stream.ts";

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
  const shape = ["-m", "--root", "--full-history", "--topo-order", "--reverse", "--max-parents=2"];
  const args = ["log", ...shape, "--raw", "-z", "--no-renames", "--no-abbrev", "--format=commit %H", to, `^${from}`, "--"];
  let commit = "";
  let content: string | null = null;
  for await (const field of gitFields(repository, args)) {
    if (content !== null) {
      const key = `${content} ${field}`;
      if (!first.has(key)) first.set(key, commit);
      content = null;
      continue;
    }
    // `commit <id>`, then for each path `:<mode> <mode> <before> <after> <letter>` and the path.
    const header = field.trimStart();
    if (header.startsWith("commit ")) commit = header.slice("commit ".length);
    else if (header.startsWith(":")) content = header.split(" ")[3] as string;
  }
  return (path, id) => first.get(`${id} ${path}`) ?? null;
}

/** The names of all contents that a path ever had in a history. @throws Refusal `git_failed` */
export async function contentsAt(repository: Repository, revision: string, path: string): Promise<Set<string>> {
  const args = [
    "log",
    "--no-show-signature",
    "-O/dev/null",
    "--encoding=UTF-8",
    "-m",
    "--root",
    "--full-history",
    "--raw",
    "-z",
    "--no-renames",
    "--no-abbrev",
    "--format=",
    revision,
    "--",
    path,
  ];
  const contents = new Set<string>();
  for await (const field of gitFields(repository, args)) {
    const header = field.trimStart();
    if (!header.startsWith(":")) continue;
    for (const id of header.split(" ").slice(2, 4)) if (!/^0+$/.test(id)) contents.add(id);
  }
  return contents;
}
