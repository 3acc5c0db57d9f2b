/**
 * Guards this clone's files against a push: files that the push deleted or changed are restored by one commit on top of
 * it, the same on every clone that had the same. spec/git.md, "Guard".
 */
import { CONFIG_PATH } from "../../objects/config/config-schema.ts";
import type { Guarded } from "../../objects/guard/guard.ts";
import { GuardHistory } from "../../objects/guard/guard-history.ts";
import type { BlobId, Tree } from "../../objects/merge/merge.ts";
import { besideOf, keptPath } from "../../objects/noun/merge-tree.ts";
import type { Listed } from "../../objects/tree/layout.ts";
import { guardClass } from "../../objects/tree/record.ts";
import { firstWith, historyOf } from "../../store/git/git-history.ts";
import { listTreeAtOnce } from "../../store/git/git-list.ts";
import { moveRef } from "../../store/git/git-move-ref.ts";
import type { Repository } from "../../store/git/git-run.ts";
import { objectsOf } from "../../store/git/objects/object-process.ts";
import { storeContent } from "../../store/git/remote/git-refs.ts";
import { sameAuthorship } from "../git/authorship.ts";
import { commitFiles, storedOutcomes } from "../git/commit-files.ts";
import { brokenAmong, changed, type FirstOf, guardedTree, withoutChanges } from "./guarded-tree.ts";

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
interface Guarding {
  /** The last commit that this clone has of what came; null where it has none. */
  base: string | null;
  /** A commit whose history this clone guarded; null where it guarded none, and the whole history is read. */
  known: string | null;
  /** What came. */
  theirs: string;
  /** Whether a branch may have a file at all; what may not be there is left out of the commit that brings something back. */
  isWelcome: (file: Listed) => boolean;
}

/** Guards a commit that came. @throws Refusal `git_failed` */
export async function guardIncoming(repository: Repository, { base, known, theirs, isWelcome }: Guarding): Promise<Incoming> {
  const history = await readRange(repository, [theirs, ...(known === null ? [] : [`^${known}`])], isWelcome);
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
  const mine =
    base === null || known === null || known === base ? new Map<string, BlobId>() : (await changed(repository, base, known, isWelcome))[1];
  const firstOf = firstIn(repository, { theirs, isWelcome, mine });
  const partial = await guardedTree(repository, history, before, now, { firstOf });
  // Of most pushes what changed is all there is to read; what seems lost may be said in a file that did not change.
  const isSettled = base === null || (partial.guarded.outcomes.size === 0 && !partial.isUncertain);
  const all = isSettled ? now : await theirFiles();
  const had = isSettled ? before : withoutChanges(all, before, now);
  const whole = isSettled ? partial : await guardedTree(repository, history, had, all, { firstOf });
  const undecided = whole.guarded.held.length === 0 ? new Map<string, BlobId[]>() : await readContested(repository);
  const { guarded, contested: parted } =
    undecided.size === 0 ? whole : await guardedTree(repository, history, had, all, { firstOf, undecided });
  await noteContested(repository, parted, all);
  const contested = [...parted.keys()].sort();
  if (guarded.outcomes.size === 0) return { commit: theirs, broughtBack: null, contested };
  const changedBy = (path: string): string | null => history.commitOf(besideOf(path), all.get(besideOf(path)) ?? null);
  const by = [...new Set([...guarded.back, ...guarded.held].flatMap((path) => changedBy(path) ?? []))].sort(
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

/** The effects of a range of commits. @param isAsked whether a path matters */
async function readRange(
  repository: Repository,
  range: readonly string[],
  isWelcome: (file: Listed) => boolean,
  isAsked: (path: string) => boolean = () => true,
): Promise<GuardHistory> {
  const history = new GuardHistory();
  for await (const events of historyOf(repository, range))
    for (const event of events) {
      const { commit, change } = event;
      if (change === null) history.addCommit(commit, event.parents);
      else if (isAsked(change.path)) history.addChange(commit, isWelcome(change) ? change : { ...change, after: null });
    }
  return history;
}

/**
 * Says which content of a file that is written once stands by the whole history of what came. It is asked where this clone's part of
 * that history does not decide: what was there before is broken, or both changed the file since.
 * @param mine what this clone changed since the commit that both have, by path
 */
function firstIn(repository: Repository, { theirs, isWelcome, mine }: Pick<Guarding, "theirs" | "isWelcome"> & { mine: Tree }): FirstOf {
  return async (before, now, isBroken) => {
    const isInDoubt = (path: string): boolean => {
      const was = before.get(path);
      return (mine.has(path) || (was !== undefined && isBroken(path, was))) && guardClass(path) === "once";
    };
    const asked = new Set([...before.keys(), ...now.keys()].filter(isInDoubt));
    if (asked.size === 0) return new Map();
    const from = await guardedFrom(repository, theirs);
    const range = [theirs, ...(from === null ? [] : [`^${from}`])];
    const history = await readRange(repository, range, isWelcome, (path) => asked.has(path));
    const [none, came] = [new Map<string, BlobId>(), new Map([...now].filter(([path]) => asked.has(path)))];
    const { tree } = history.joinedWith(none, came, await brokenAmong(repository, history.rewritten(none, came)));
    return new Map([...tree].filter(([path]) => asked.has(path)));
  };
}

/**
 * The commit after which a history is guarded: null where all of it is, the commit itself where nothing is. Deletions were lawful in
 * homes of format 1: what such a home lost before it was upgraded is not brought back.
 */
export async function guardedFrom(repository: Repository, commit: string): Promise<string | null> {
  const from = await firstWith(repository, commit, CONFIG_PATH, "^format: *([2-9]|[1-9][0-9])");
  return from === null ? commit : from.isRoot ? null : from.commit;
}

/** The commit on top of what came. Every clone that brings back the same makes the same one, so that they do not part by it. */
async function repair(
  repository: Repository,
  { theirs, isWelcome, isAllWelcome }: Pick<Guarding, "theirs" | "isWelcome"> & { isAllWelcome: boolean },
  { outcomes }: Guarded,
  told: Omit<BroughtBack, "commit">,
): Promise<string> {
  return commitFiles(repository, {
    ...{ on: theirs, isWanted: isWelcome, isAllWanted: isAllWelcome },
    files: await storedOutcomes(repository, outcomes),
    message: `${sentence(told)}\n`,
    env: await sameAuthorship(repository, theirs),
  });
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

/** What this clone met contested, and took as the branch had it: path → contents. It is never sent. */
const CONTESTED = "refs/relay/contested";

async function readContested(repository: Repository): Promise<Map<string, BlobId[]>> {
  const open = new Map<string, BlobId[]>();
  for await (const blob of objectsOf(repository, [CONTESTED]))
    for (const [path, ids] of blob?.kind !== "blob" ? [] : (JSON.parse(String(blob.bytes)) as [string, BlobId[]][])) open.set(path, ids);
  return open;
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
