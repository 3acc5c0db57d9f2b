/** The trees that a guard compares, and which contents of them stand. spec/git.md, "Guard". */
import { addTo } from "../../core/format/append.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import { isBroken, mostBytesAt } from "../../core/tree/broken.ts";
import { type Listed, placeOf } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";
import { readBlobs, sizesOf } from "../../git/git-blobs.ts";
import { diffTrees, historyOf } from "../../git/git-history.ts";
import { gitText, type Repository } from "../../git/git-run.ts";
import { ARCHIVE_FOLDER } from "../../removal/nouns/archive.ts";
import { sha256 } from "../../store/digest.ts";
import type { Witness } from "../../trust/files/note-origins.ts";
import { arrivalsOf, knewBetter } from "../nouns/arrivals.ts";
import { type Guarded, planGuard, type Stands } from "../nouns/guard.ts";
import type { IsBroken } from "../nouns/history-faults.ts";
import type { BlobId, Tree } from "../nouns/merge.ts";
import { runPlan } from "./run-jobs.ts";

/** What differs between two commits. */
export async function changed(
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
export function withoutChanges(all: Tree, before: Tree, now: Tree): Map<string, BlobId> {
  const had = new Map(all);
  for (const path of now.keys()) if (!before.has(path)) had.delete(path);
  for (const [path, id] of before) had.set(path, id);
  return had;
}

/** Guards what came against what there was. @throws Refusal `git_failed` */
export const guardedTree = (repository: Repository, before: Tree, now: Tree, stands: Stands): Promise<Guarded> =>
  runPlan(repository, planGuard(before, now, stands, sha256), [before, now]);

/**
 * Whether only the whole trees say what a change lost: whether a guest's mail is still there, a claim was confirmed, and a thread
 * that was archived has unread mail.
 */
export const needsWholeTrees = (before: Tree, now: Tree): boolean =>
  [...before.keys()].some((path) => {
    const kind = placeOf(path)?.kind;
    return kind === "claim" || (kind === "guest" && !now.has(path));
  }) || [...now.keys()].some((path) => path.startsWith(`${ARCHIVE_FOLDER}/`));

/**
 * Finds which contents stand of the files that are written once and have another content in what came. A broken one gives way to one
 * that is not. Else this clone keeps what was written here, and what it had before it met a commit that gave the file the other
 * content; of the rest it has what the branch has.
 * @param base the last commit that this clone has of what came
 * @returns `contested`: files that are as the branch has them
 * @throws Refusal `git_failed`
 */
export async function whatStands(
  repository: Repository,
  { base, theirs, witness }: { base: string; theirs: string; witness: Witness },
  [before, now]: readonly [Tree, Tree],
): Promise<{ stands: Stands; contested: string[] }> {
  const rewritten = [...before].flatMap(([path, was]): Rewritten[] => {
    const is = now.get(path);
    return is === undefined || is === was || guardClass(path) !== "once" ? [] : [{ path, was, is }];
  });
  const broken = await brokenAmong(repository, new Map(rewritten.map(({ path, was, is }) => [path, [was, is]])));
  const givesWay = new Set(rewritten.flatMap(({ path, was, is }) => (broken(path, was) && !broken(path, is) ? path : [])));
  const asked = rewritten.filter(({ path, was, is }) => broken(path, was) === broken(path, is) && !witness.wrote(path));
  const contested: string[] = [];
  if (asked.length > 0) {
    const arrived = arrivalsOf(await parentsIn(repository, theirs), [...witness.tips(), base]);
    for (const { path, mine, yours } of await beginningsOf(repository, theirs, asked))
      if (!mine.some((own) => knewBetter(arrived, own, yours))) contested.push(path);
    for (const path of contested) givesWay.add(path);
  }
  return { stands: (path, was, is) => (givesWay.has(path) ? is : was), contested: contested.sort() };
}

/** A file that is written once, and the commits that gave it the content of this clone, and the other one. */
interface Beginnings {
  path: string;
  mine: readonly string[];
  yours: readonly string[];
}

/** A file that is written once, with the content that this clone has and the one that came. */
interface Rewritten {
  path: string;
  was: BlobId;
  is: BlobId;
}

/** The parents of each commit of a history. */
async function parentsIn(repository: Repository, theirs: string): Promise<Map<string, string[]>> {
  const lines = (await gitText(repository, ["rev-list", "--parents", theirs])).split("\n");
  return new Map(lines.map((line) => line.split(" ")).map(([commit = "", ...parents]) => [commit, parents]));
}

/** Paths up to which git looks for them alone. */
const FEW = 100;

/** The commits of a history that gave some files the contents in question, which none of their parents has there. */
async function beginningsOf(repository: Repository, theirs: string, files: readonly Rewritten[]): Promise<Beginnings[]> {
  const asked = new Map(files.flatMap(({ path, was, is }) => [was, is].map((id) => [`${id} ${path}`, new Map<string, number>()])));
  const parents = new Map<string, number>();
  const literal = files.length > FEW ? [] : files.map(({ path }) => `:(literal)${path}`);
  for await (const events of historyOf(repository, [theirs], literal))
    for (const event of events) {
      if (event.change === null) parents.set(event.commit, event.parents.length);
      else {
        const times = asked.get(`${event.change.after} ${event.change.path}`);
        times?.set(event.commit, (times.get(event.commit) ?? 0) + 1);
      }
    }
  // A merge that takes a side's content differs from the other side alone.
  const isNew = ([commit, times]: [string, number]): boolean => times >= (parents.get(commit) ?? 0);
  const begun = (path: string, id: BlobId): string[] => [...(asked.get(`${id} ${path}`) ?? [])].filter(isNew).map(([commit]) => commit);
  return files.map(({ path, was, is }) => ({ path, mine: begun(path, was), yours: begun(path, is) }));
}

/**
 * Tells which contents of files that are written once are broken. Each is read by itself, however many they are.
 * @param contents by path
 * @throws Refusal `git_failed`
 */
export async function brokenAmong(repository: Repository, contents: ReadonlyMap<string, readonly BlobId[]>): Promise<IsBroken> {
  const paths = new Map<BlobId, string[]>();
  for (const [path, ids] of contents) for (const id of ids) addTo(paths, id, path);
  const sizes = await sizesOf(repository, [...paths.keys()]);
  const isWithin = (path: string, id: BlobId): boolean => (sizes.get(id) as number) <= mostBytesAt(path);
  const nameOf = (path: string, id: BlobId): string => `${id} ${path}`;
  const broken = new Set<string>();
  for (const [id, at] of paths) for (const path of at) if (!isWithin(path, id)) broken.add(nameOf(path, id));
  const read = [...paths].filter(([id, at]) => at.some((path) => isWithin(path, id))).map(([id]) => id);
  for await (const { id, bytes } of readBlobs(repository, read)) {
    const text = textOf(bytes);
    for (const path of paths.get(id) as string[]) if (isBroken(path, text, sha256)) broken.add(nameOf(path, id));
  }
  return (path, id) => broken.has(nameOf(path, id));
}
