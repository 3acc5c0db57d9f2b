/** The changes of the commits of a range, as a stream. spec/git.md, "Guard". */
import { type Answers, listOnce } from "./git-answers.ts";
import { type Change, idOrNull } from "./git-changes.ts";
import { gitResult, gitText, type Repository } from "./git-run.ts";
import { gitFieldLists, gitStream } from "./git-stream.ts";

/** A commit of a range, or one path that it changed against one of its parents. */
type HistoryEvent = { commit: string; parents: readonly string[]; change: null } | { commit: string; change: Change };

/** Paths of merges are compared with each parent. History is never simplified: that hides a side. */
const LOG = [
  "log",
  "--no-show-signature",
  "-O/dev/null",
  "--encoding=UTF-8",
  "--root",
  "--full-history",
  "--topo-order",
  "--reverse",
  "--raw",
  "-z",
  "--no-renames",
  "--no-abbrev",
];
const FORMAT = "--format=%x01%H %P";

/**
 * The commits of a range, parents before children, each followed by what it changed; as many at a time as git printed.
 * A commit of three and more parents comes at the end, and is compared with its first parent alone.
 * @param range revisions, such as `<commit>` and `^<commit>`
 * @param paths what to read; all, where none is given
 * @throws Refusal `git_failed`
 */
export async function* historyOf(
  repository: Repository,
  range: readonly string[],
  paths: readonly string[] = [],
): AsyncGenerator<readonly HistoryEvent[]> {
  const read = (): AsyncGenerator<HistoryEvent[]> => readHistory(repository, range, paths);
  yield* paths.length === 0 ? listOnce(histories, repository, range, read) : read();
}

/**
 * What the commits of a range changed or deleted, and nothing that they only added: of most histories a small part. Otherwise as `historyOf`.
 * @throws Refusal `git_failed`
 */
export const touchesOf = (repository: Repository, range: readonly string[]): AsyncGenerator<readonly HistoryEvent[]> =>
  readHistory(repository, range, [], ["--diff-filter=a"]);

const histories: Answers<readonly HistoryEvent[]> = new Map();

async function* readHistory(
  repository: Repository,
  range: readonly string[],
  paths: readonly string[],
  filter: readonly string[] = [],
): AsyncGenerator<HistoryEvent[]> {
  const which = [...filter, FORMAT, ...range, "--", ...paths];
  yield* eventsOf(repository, [...LOG, "-m", "--max-parents=2", ...which]);
  yield* eventsOf(repository, [...LOG, "--diff-merges=first-parent", "--min-parents=3", ...which]);
}

/** Memory that git may take for what one commit changed: some 500 bytes for each file. */
const GIT_BYTES = 1_073_741_824;

/**
 * Whether the commits of a range change more files than that, all of them together. A push of some kilobytes can have a tree
 * of more files than any disk, each of its folders many times, so that nobody may list it before it was counted.
 * @throws Refusal `git_failed`
 */
export async function changesMoreThan(repository: Repository, range: readonly string[], most: number): Promise<boolean> {
  let isOver = false;
  const memory = {
    mostBytes: GIT_BYTES,
    onOver: () => {
      isOver = true;
    },
  };
  // Modes and ids of a change, then its path: each ends with a zero.
  let zeros = 0;
  try {
    for await (const chunk of gitStream(repository, [...LOG, "-m", "--format=", ...range, "--"], [], memory)) {
      for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, at + 1)) zeros += 1;
      if (zeros > 2 * most) return true;
    }
  } catch (error) {
    if (!isOver) throw error;
  }
  return isOver;
}

async function* eventsOf(repository: Repository, args: readonly string[]): AsyncGenerator<HistoryEvent[]> {
  let commit = "";
  let raw: Omit<Change, "path"> | null = null;
  for await (const fields of gitFieldLists(repository, args)) {
    const events: HistoryEvent[] = [];
    for (const field of fields) {
      if (raw !== null) {
        events.push({ commit, change: { path: field, ...raw } });
        raw = null;
      } else if (field.startsWith("\u0001")) {
        const [id = "", ...parents] = field.slice(1).trim().split(" ");
        commit = id;
        events.push({ commit, parents: parents.filter((parent) => parent !== ""), change: null });
      } else {
        // `:<mode> <mode> <before> <after> <letter>`, the first of a commit after a line break.
        const [oldMode = "", mode = "", before = "", after = ""] = field.slice(field.startsWith("\n") ? 2 : 1).split(" ");
        raw = { before: idOrNull(before), after: idOrNull(after), mode, oldMode };
      }
    }
    yield events;
  }
}

/** Commits that a history is compared by; more than these say as little as none. */
const COMPARED = 500;

/**
 * The commit from which on a history has a line in a file, whichever of its lines of commits is followed: where two
 * have it each from a commit of its own, the last that both have.
 * @param pattern a regular expression, as git takes it
 * @returns `isRoot` where that is the beginning, or there is no such commit; null where no commit has the line
 */
export async function firstWith(
  repository: Repository,
  commit: string,
  path: string,
  pattern: string,
): Promise<{ commit: string; isRoot: boolean } | null> {
  const args = [
    "log",
    "--full-history",
    "--topo-order",
    "--reverse",
    "--no-show-signature",
    "-O/dev/null",
    "--encoding=UTF-8",
    "--no-ext-diff",
    "--no-textconv",
    `-G${pattern}`,
    "--format=%H %P",
    commit,
    "--",
    path,
  ];
  const found = (await gitText(repository, args)).split("\n").filter((line) => line !== "");
  const [first] = found;
  if (first === undefined) return null;
  const [id = "", ...parents] = first.split(" ");
  if (parents.length === 0 || found.length > COMPARED) return { commit: id, isRoot: true };
  const ids = found.map((line) => line.slice(0, id.length));
  const shared = (await gitResult(repository, ["merge-base", "--octopus", ...ids])).out.toString("utf8").trim();
  return shared === "" ? { commit: id, isRoot: true } : { commit: shared, isRoot: false };
}

/** The commits that a cut history begins with, as in a shallow clone; none where all of it is there. */
export async function oldestKnown(repository: Repository): Promise<string[]> {
  if ((await gitText(repository, ["rev-parse", "--is-shallow-repository"])) !== "true") return [];
  return (await gitText(repository, ["rev-list", "--max-parents=0", "HEAD"])).split("\n").filter((commit) => commit !== "");
}

/** When a commit was made, as git takes it for a date: `@seconds zone`. One that does not say it is of 1970, on every clone. */
export async function dateOf(repository: Repository, commit: string): Promise<string> {
  const seconds = await gitText(repository, ["log", "-1", "--encoding=UTF-8", "--format=%cd", "--date=raw", commit]);
  return /^\d+ [+-]\d{4}$/.test(seconds) ? `@${seconds}` : "@0 +0000";
}

/**
 * The first commit of a range that has a path with a content, as a function; null where none has.
 * @param from commits that this one contains are not read
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
