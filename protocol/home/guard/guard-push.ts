/**
 * Guarding what comes against what this clone has: what a push took away or changed is brought back by one commit on top of
 * it, the same on every clone that had the same. spec/git.md, "Guard".
 */

import { CONFIG_PATH } from "../../objects/config/config.ts";
import { isSealed } from "../../objects/format/id.ts";
import { MOST_BYTES } from "../../objects/format/size-limits.ts";
import { type Guarded, guardPlan, guardTree } from "../../objects/guard/guard.ts";
import { GuardHistory, lastReadable } from "../../objects/guard/guard-history.ts";
import { saysNothing } from "../../objects/guard/guard-text.ts";
import type { BlobId, Tree } from "../../objects/merge/merge.ts";
import { ARCHIVE_FOLDER } from "../../objects/message/archive.ts";
import { locateMessage } from "../../objects/message/message.ts";
import { sealProblem } from "../../objects/message/seal.ts";
import { keptPath, readerOf, UNREADABLE } from "../../objects/noun/merge-tree.ts";
import type { Listed } from "../../objects/tree/arrival.ts";
import { placeOf } from "../../objects/tree/layout.ts";
import { sha256 } from "../../store/digest.ts";
import { firstWith, historyOf } from "../../store/git/git-history.ts";
import { dropIndex, fillIndex, newIndex, setInIndex, writeTree } from "../../store/git/git-index.ts";
import { commitTree, diffTrees, listTreeAtOnce, moveRef, readAll, writeBlobs } from "../../store/git/git-objects.ts";
import { storeContent } from "../../store/git/git-refs.ts";
import { gitResult, type Repository } from "../../store/git/git-run.ts";
import { sameAuthorship } from "../git/authorship.ts";
import { falseRequests } from "./false-requests.ts";

/** What was brought back, for whoever is told. */
export interface BroughtBack {
  /** The commit that brought it back. */
  commit: string;
  /** The commits that took it away or changed it: at most `BLAMED`. */
  by: string[];
  /** How many files were deleted, and how many changed. */
  deleted: number;
  changed: number;
  /** The first of their paths. */
  paths: string[];
}

/** What came, with what it lacks. */
export interface Incoming {
  /** What came, or the commit on top of it. */
  commit: string;
  broughtBack: BroughtBack | null;
  /** Files written once of which history does not say which bytes were first: they are as the branch has them. */
  contested: string[];
}

/** The last commit of which this clone knows that it lost nothing; it is never sent. */
export const GUARDED = "refs/relay/guarded";
/** Commits and paths that are named. */
const BLAMED = 5;
const NAMED = 10;

/** What is guarded, and against what. */
export interface Guarding {
  /** The last commit that this clone has of what came; null where it has none. */
  base: string | null;
  /** A commit whose history this clone guarded; null where it guarded none, and the whole history is looked at. */
  known: string | null;
  /** What came. */
  theirs: string;
  /** Whether a branch may have a file at all; what may not be there is left out of the commit that brings something back. */
  isWelcome: (file: Listed) => boolean;
}

/** Guards a commit that came. @throws Refusal `git_failed` */
export async function guardIncoming(repository: Repository, { base, known, theirs, isWelcome }: Guarding): Promise<Incoming> {
  const history = new GuardHistory();
  for await (const events of historyOf(repository, [theirs, ...(known === null ? [] : [`^${known}`])])) {
    for (const event of events) {
      if (event.change === null) history.addCommit(event.commit, event.parents);
      else history.addChange(event.commit, isWelcome(event.change) ? event.change : { ...event.change, after: null });
    }
  }
  let isAllWelcome = true;
  const theirFiles = async (): Promise<Map<string, BlobId>> => {
    const files = new Map<string, BlobId>();
    for await (const listed of listTreeAtOnce(repository, theirs))
      for (const file of listed) {
        if (isWelcome(file)) files.set(file.path, file.id);
        else isAllWelcome = false;
      }
    return files;
  };
  const [before, now] =
    base === null ? [new Map<string, BlobId>(), await theirFiles()] : await changed(repository, base, theirs, isWelcome);
  const partial = await guardedTree(repository, history, before, now);
  // Of most pushes what changed is all there is to look at; what seems lost may be said in a file that did not change.
  const isSettled = base === null || (partial.guarded.outcomes.size === 0 && !partial.isUncertain);
  const all = isSettled ? now : await theirFiles();
  const had = isSettled ? before : withoutChanges(all, before, now);
  const whole = isSettled ? partial : await guardedTree(repository, history, had, all);
  const undecided = whole.guarded.held.length === 0 ? new Map<string, BlobId[]>() : await readContested(repository);
  const { guarded, contested: parted } = undecided.size === 0 ? whole : await guardedTree(repository, history, had, all, undecided);
  await noteContested(repository, parted, all);
  const contested = [...parted.keys()].sort();
  if (guarded.outcomes.size === 0) return { commit: theirs, broughtBack: null, contested };
  const by = [...new Set([...guarded.back, ...guarded.held].flatMap((path) => history.commitOf(path, all.get(path) ?? null) ?? []))].sort(
    (a, b) => history.orderOf(a) - history.orderOf(b),
  );
  const told = {
    by: by.slice(0, BLAMED),
    deleted: guarded.back.length,
    changed: guarded.held.length,
    paths: [...guarded.back, ...guarded.held].slice(0, NAMED),
  };
  // Whatever is to be brought back was found in the whole tree, so that it has been listed.
  const commit = await repair(repository, { theirs, isWelcome, isAllWelcome }, guarded, told);
  return { commit, broughtBack: { commit, ...told }, contested };
}

/** Deletions were lawful in homes of format 1: what such a home lost before it was upgraded is not brought back. */
export const firstGuarded = (repository: Repository, commit: string): Promise<{ commit: string; isRoot: boolean } | null> =>
  firstWith(repository, commit, CONFIG_PATH, "^format: *([2-9]|[1-9][0-9])");

/** What differs between two commits. */
async function changed(
  repository: Repository,
  base: string,
  theirs: string,
  isWelcome: (file: Listed) => boolean,
): Promise<[Map<string, BlobId>, Map<string, BlobId>]> {
  const [before, now] = [new Map<string, BlobId>(), new Map<string, BlobId>()];
  for (const { path, before: was, after, mode, oldMode = mode } of await diffTrees(repository, base, theirs)) {
    if (was !== null && isWelcome({ path, mode: oldMode })) before.set(path, was);
    if (after !== null && isWelcome({ path, mode })) now.set(path, after);
  }
  return [before, now];
}

/** What there was before some changes, of which `before` and `now` hold both sides. */
function withoutChanges(all: Tree, before: Tree, now: Tree): Map<string, BlobId> {
  const had = new Map(all);
  for (const path of now.keys()) if (!before.has(path)) had.delete(path);
  for (const [path, id] of before) had.set(path, id);
  return had;
}

async function guardedTree(
  repository: Repository,
  history: GuardHistory,
  before: Tree,
  came: Tree,
  undecided: ReadonlyMap<string, readonly BlobId[]> = new Map(),
): Promise<{ guarded: Guarded; contested: Map<string, BlobId[]>; isUncertain: boolean }> {
  const refused = await falseRequests(repository, came, before);
  const now = refused.size === 0 ? came : new Map([...came].filter(([path]) => !refused.has(path)));
  const { tree, contested, edited, standing } = history.joinedWith(before, now);
  // A request that came and went within the range comes back, where it is one.
  for (const path of (await falseRequests(repository, tree, before)).keys()) tree.delete(path);
  for (const [path, ids] of await silenced(repository, standing)) edited.set(path, ids);
  const texts = await readAll(repository, [...new Set([...edited.values()].flat())], MOST_BYTES);
  for (const [path, ids] of edited)
    tree.set(
      path,
      lastReadable(
        path,
        ids,
        readerOf((id) => texts.get(id) ?? UNREADABLE),
      ),
    );
  await decideMessages(repository, contested, tree);
  // Who met a file contested goes with the branch between its contents, so that whoever saw it clean decides.
  for (const [path, ids] of undecided) if ([tree, now].every((each) => ids.includes(each.get(path) ?? ""))) tree.delete(path);
  const contents = await readAll(repository, [...guardPlan(tree, now)], MOST_BYTES);
  const guarded = guardTree(tree, now, (id) => contents.get(id) ?? UNREADABLE, isIntact, { had: before, digest: sha256 });
  putBeside(guarded, refused);
  // Whether a guest's mail is still there, and a thread that was archived has unread mail, only the whole tree says.
  const isUncertain =
    [...before.keys()].some((path) => !now.has(path) && placeOf(path)?.kind === "guest") ||
    [...now.keys()].some((path) => path.startsWith(`${ARCHIVE_FOLDER}/`));
  return { guarded, contested, isUncertain };
}

/** Files that came and do not count lie beside their names, and are told among what was changed. */
function putBeside({ outcomes, held }: Guarded, files: Tree): void {
  for (const [path, id] of files) {
    outcomes.set(path, { absent: true });
    outcomes.set(keptPath(path, id), { take: id });
    held.push(path);
  }
  held.sort();
}

/** Of files that were edited, those of which the last content says nothing. */
async function silenced(repository: Repository, standing: ReadonlyMap<string, BlobId[]>): Promise<[string, BlobId[]][]> {
  const last = [...standing].map(([path, ids]) => ({ path, ids, id: ids.at(-1) as BlobId }));
  const texts = await readAll(repository, [...new Set(last.map(({ id }) => id))], MOST_BYTES);
  const read = readerOf((id) => texts.get(id) ?? UNREADABLE);
  return last.flatMap(({ path, ids, id }): [string, BlobId[]][] => (saysNothing(path, read(id)) ? [[path, ids]] : []));
}

/** What this clone met contested, and took as the branch had it: path → contents. It is never sent. */
const CONTESTED = "refs/relay/contested";

async function readContested(repository: Repository): Promise<Map<string, BlobId[]>> {
  const { code, out } = await gitResult(repository, ["cat-file", "blob", CONTESTED]);
  return new Map(code === 0 ? (JSON.parse(out.toString("utf8")) as [string, BlobId[]][]) : []);
}

/** Remembers what is contested, but for what an honest merge decided: there the other content lies beside. */
async function noteContested(repository: Repository, contested: ReadonlyMap<string, BlobId[]>, now: Tree): Promise<void> {
  const open = [...contested].filter(([path, ids]) => ids.some((id) => now.get(path) !== id && !now.has(keptPath(path, id))));
  if (open.length === 0) return;
  const all = await readContested(repository);
  for (const [path, ids] of open) all.set(path, [...new Set([...(all.get(path) ?? []), ...ids])]);
  const id = await storeContent(repository, JSON.stringify([...all]));
  await moveRef(repository, CONTESTED, id, undefined, "relay: contested");
}

/** Of the contested messages those that fit their names stand. */
async function decideMessages(repository: Repository, contested: Map<string, BlobId[]>, tree: Map<string, BlobId>): Promise<void> {
  const messages = [...contested].filter(([path]) => {
    const key = locateMessage(path);
    return key !== null && isSealed(key.token);
  });
  const contents = await readAll(
    repository,
    messages.flatMap(([, ids]) => ids),
    MOST_BYTES,
  );
  for (const [path, ids] of messages) {
    const intact = ids.find((id) => isIntact(path, contents.get(id)?.toString("utf8") ?? "") === true);
    if (intact === undefined) continue;
    tree.set(path, intact);
    contested.delete(path);
  }
}

/** Whether a message's text is the one that its name was made of; null of a name that says nothing of it. */
function isIntact(path: string, text: string): boolean | null {
  const key = locateMessage(path);
  return key === null || !isSealed(key.token) ? null : sealProblem(text, key, sha256) === null;
}

/** The commit on top of what came. Every clone that brings back the same makes the same one, so that they do not part by it. */
async function repair(
  repository: Repository,
  { theirs, isWelcome, isAllWelcome }: Pick<Guarding, "theirs" | "isWelcome"> & { isAllWelcome: boolean },
  { outcomes }: Guarded,
  told: Omit<BroughtBack, "commit">,
): Promise<string> {
  const written = [...outcomes].flatMap(([path, outcome]) => ("content" in outcome ? [{ path, content: outcome.content }] : []));
  const ids = await writeBlobs(
    repository,
    written.map(({ content }) => Buffer.from(content)),
  );
  const made = new Map(written.map(({ path }, at) => [path, ids[at] as string]));
  const files = [...outcomes].map(([path, outcome]) => ({
    path,
    id: "take" in outcome ? outcome.take : "absent" in outcome ? null : (made.get(path) as string),
  }));
  const index = newIndex(repository);
  try {
    await fillIndex(repository, index, theirs, isWelcome, isAllWelcome);
    await setInIndex(repository, index, files);
    return await commitTree(repository, {
      tree: await writeTree(repository, index),
      parents: [theirs],
      message: `${sentence(told)}\n`,
      env: await sameAuthorship(repository, theirs),
    });
  } finally {
    dropIndex(index);
  }
}

/** The commit's message: `relay: bring back 214 files that 3f2a1b2c deleted, 2 that it changed`. */
function sentence({ by, deleted, changed }: Omit<BroughtBack, "commit">): string {
  const [first = "a push", ...others] = by.map((commit) => commit.slice(0, 12));
  const who = others.length === 0 ? first : `${first} and ${others.length} more`;
  const files = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`;
  if (changed === 0) return `relay: bring back ${files(deleted)} that ${who} deleted`;
  if (deleted === 0) return `relay: bring back ${files(changed)} that ${who} changed`;
  return `relay: bring back ${files(deleted)} that ${who} deleted, ${changed} that it changed`;
}
