/** The changes of the commits of a range, as a stream. spec/git.md, "Guard". */
import { type Answers, askOnce, keepAnswer, keyOf, LENGTH_MOST, listOnce } from "./git-answers.ts";
import { type Change, idOrNull, parseRaw } from "./git-changes.ts";
import { encodePath } from "./git-path.ts";
import { gitBytes, gitText, type Repository } from "./git-run.ts";
import { gitFieldLists } from "./git-stream.ts";

/** A commit of a range and its author (`name <address>`), or one path that it changed against one of its parents. */
type HistoryEvent = { commit: string; parents: readonly string[]; author: string; change: null } | { commit: string; change: Change };

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
  "--diff-merges=separate",
];
const FORMAT = "--format=%x01%H %P%x01%an <%ae>";
/**
 * The commits of a range, parents before children, each followed by what it changed; as many at a time as git printed.
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
  const reader = new EventReader();
  for await (const fields of gitFieldLists(repository, [...LOG, ...filter, FORMAT, ...range, "--", ...paths])) yield reader.read(fields);
}

/** The commits that one has and another has not, parents before children, and the author of each (`name <address>`), as it says. */
export async function authorsIn(repository: Repository, from: string, to: string): Promise<Map<string, string>> {
  const authors = new Map<string, string>();
  for await (const events of historyOf(repository, [to, `^${from}`]))
    for (const event of events) if (event.change === null) authors.set(event.commit, event.author);
  return authors;
}

/** The newest commits that one has and another has not, the names of their authors, and how many there are. @param most so many are named */
export async function commitsBetween(
  repository: Repository,
  from: string,
  to: string,
  most: number,
): Promise<{ newest: string[]; authors: string[]; count: number }> {
  const all = from === to ? new Map<string, string>() : await authorsIn(repository, from, to);
  const named = [...all].reverse().slice(0, most);
  const authors = named.map(([, author]) => author.slice(0, author.indexOf(" <")));
  return { newest: named.map(([commit]) => commit), authors: [...new Set(authors)], count: all.size };
}

/** Every path that differs between two trees or commits. Where the history between two is known, and goes from one to the other, git is not asked. */
export const diffTrees = (repository: Repository, from: string, to: string): Promise<readonly Change[]> =>
  askOnce(
    differences,
    repository,
    [from, to],
    async () =>
      changesAlong(histories.get(keyOf(repository, [to, `^${from}`])) ?? [], from, to) ??
      parseRaw(await gitBytes(repository, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to])),
  );

const differences: Answers<readonly Change[]> = new Map();

/** Changes of all commits of a history together, in git's order; null where the commits are not one line from one commit to another. */
function changesAlong(events: readonly HistoryEvent[], from: string, to: string): Change[] | null {
  const changes = new Map<string, Change>();
  let at = from;
  for (const event of events) {
    if (event.change === null) {
      if (event.parents.length !== 1 || event.parents[0] !== at) return null;
      at = event.commit;
    } else {
      const { path, before, oldMode = "" } = changes.get(event.change.path) ?? event.change;
      changes.set(path, { ...event.change, before, oldMode });
    }
  }
  if (at !== to) return null;
  const made = [...changes.values()].filter(({ before, after, mode, oldMode }) => before !== after || mode !== oldMode);
  return made.sort((a, b) => Buffer.compare(encodePath(a.path), encodePath(b.path)));
}

/** Memory that git may take for what one commit changed: some 500 bytes for each file. */
const GIT_BYTES = 1_073_741_824;

/**
 * Tells whether the commits of a range change more files than that, all of them together, or name few contents very often, or a path that no
 * disk has, or too many parents. A push of some kilobytes can have a tree of more files than any disk, each of its folders many times, so that nobody may list it before it was counted.
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
  const reader = new EventReader();
  const all: HistoryEvent[] = [];
  try {
    for await (const fields of gitFieldLists(repository, [...LOG, FORMAT, ...range, "--"], memory)) {
      const events = reader.read(fields);
      if (reader.changes > most || reader.repeats || reader.isEndless) return true;
      if (all.length <= LENGTH_MOST) for (const event of events) all.push(event);
    }
  } catch (error) {
    if (!isOver) throw error;
    return true;
  }
  // The guard reads the same history next.
  keepAnswer(histories, keyOf(repository, range), range, all);
  return false;
}

/** A history may name its contents this often: a message to many lies in each inbox. Beyond it, so many files stay what they are. */
const PATHS_OF_CONTENT = 20;
const FEW_PATHS = 100_000;
/** Folders of one another that git walks without a stack of its own; a home has fewer than ten. */
const FOLDERS_DEEP = 64;
/** Parents of a commit; a merge of Relay has two. Git names all of them once for each. */
const PARENTS = 256;
/** Letters of a path; no disk takes a quarter of them. */
const PATH_LENGTH = 16_384;

/** Reads what git printed of a history. */
class EventReader {
  /** Number of changes. */
  changes = 0;
  /** True where a path is longer, or lies in more folders, than a disk has or git can walk, or a commit has more parents than any merge. */
  isEndless = false;
  #written = 0;
  readonly #contents = new Set<string>();
  #commit = "";
  #raw: Omit<Change, "path"> | null = null;

  read(fields: readonly string[]): HistoryEvent[] {
    const events: HistoryEvent[] = [];
    for (const field of fields) {
      if (this.#raw !== null) {
        this.changes += 1;
        this.isEndless ||= field.length > PATH_LENGTH || field.split("/", FOLDERS_DEEP + 1).length > FOLDERS_DEEP;
        events.push({ commit: this.#commit, change: { path: field, ...this.#raw } });
        this.#raw = null;
      } else if (field.startsWith("\u0001")) {
        const [ids = "", author = ""] = field.slice(1).split("\u0001");
        const [id = "", ...parents] = ids.trim().split(" ");
        this.isEndless ||= parents.length > PARENTS;
        // A merge is printed once for each of its parents.
        if (id !== this.#commit) events.push({ commit: id, parents, author: author.trimEnd(), change: null });
        this.#commit = id;
      } else {
        // `:<mode> <mode> <before> <after> <letter>`, the first of a commit after a line break.
        const [oldMode = "", mode = "", before = "", after = ""] = field.slice(field.startsWith("\n") ? 2 : 1).split(" ");
        this.#raw = { before: idOrNull(before), after: idOrNull(after), mode, oldMode };
        if (this.#raw.after === null) continue;
        this.#written += 1;
        if (this.#contents.size < FEW_PATHS) this.#contents.add(after);
      }
    }
    return events;
  }

  /** Whether few contents were written at very many paths, as a tree that has one folder again and again does. */
  get repeats(): boolean {
    return this.#written > FEW_PATHS + PATHS_OF_CONTENT * this.#contents.size;
  }
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
