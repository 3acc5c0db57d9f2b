/** The tree of a push, with the files restored that it may not delete or change. spec/git.md, "Guard". */
import { addTo } from "../../objects/format/append.ts";
import { type Guarded, planGuard, saysNothing } from "../../objects/guard/guard.ts";
import { type GuardHistory, type IsBroken, lastReadable } from "../../objects/guard/guard-history.ts";
import type { BlobId, Tree } from "../../objects/merge/merge.ts";
import { ARCHIVE_FOLDER } from "../../objects/message/archive.ts";
import { type Job, type ReadBlob, textOf } from "../../objects/noun/merge-tree.ts";
import { isBroken, mostBytesAt } from "../../objects/tree/broken.ts";
import { type Listed, placeOf } from "../../objects/tree/layout.ts";
import { sha256 } from "../../store/digest.ts";
import { readBlobs, sizesOf } from "../../store/git/git-blobs.ts";
import { diffTrees } from "../../store/git/git-history.ts";
import type { Repository } from "../../store/git/git-run.ts";
import { limitsOf, runJobs, runPlan } from "./run-jobs.ts";

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

/** Says of files that are written once which content stands by the whole history of what came; of those alone where a part is in doubt. */
export type FirstOf = (before: Tree, now: Tree, isBroken: IsBroken) => Promise<ReadonlyMap<string, BlobId>>;

/**
 * Guards what came against what there was.
 * @param now the tree that came, or of it what differs from `before`
 * @param firstOf asks the whole history where a part of it does not decide
 * @param undecided what this clone met contested before: path → contents
 * @returns the outcomes; what no history decides; and whether only the whole trees would say all
 * @throws Refusal `git_failed`
 */
export async function guardedTree(
  repository: Repository,
  history: GuardHistory,
  before: Tree,
  now: Tree,
  { firstOf, undecided = new Map() }: { firstOf: FirstOf; undecided?: ReadonlyMap<string, readonly BlobId[]> },
): Promise<{ guarded: Guarded; contested: Map<string, BlobId[]>; isUncertain: boolean }> {
  const broken = await brokenAmong(repository, history.rewritten(before, now));
  const { tree, contested, edited, standing } = history.joinedWith(before, now, broken);
  for (const [path, id] of await firstOf(before, now, broken)) tree.set(path, id);
  for (const [path, ids] of await silenced(repository, standing)) edited.set(path, ids);
  for (const [path, id] of await decidedByReading(repository, edited, lastReadable)) tree.set(path, id);
  // Who met a file contested goes with the branch between its contents, so that whoever saw it clean decides.
  for (const [path, ids] of undecided) if ([tree, now].every((each) => ids.includes(each.get(path) ?? ""))) tree.delete(path);
  const plan = planGuard(tree, now, broken, { had: before, digest: sha256 });
  const guarded = await runPlan(repository, plan, [tree, now, before]);
  // Whether a guest's mail is still there, a claim was confirmed, and a thread that was archived has unread mail, only the whole tree says.
  const isUncertain =
    [...before.keys()].some((path) => {
      const kind = placeOf(path)?.kind;
      return kind === "claim" || (kind === "guest" && !now.has(path));
    }) || [...now.keys()].some((path) => path.startsWith(`${ARCHIVE_FOLDER}/`));
  return { guarded, contested, isUncertain };
}

/** Of files that were edited, those of which the last content says nothing. */
async function silenced(repository: Repository, standing: ReadonlyMap<string, BlobId[]>): Promise<[string, BlobId[]][]> {
  const last = new Map([...standing].map(([path, ids]) => [path, ids.slice(-1)]));
  const silent = await decidedByReading(repository, last, (path, [id = ""], read) => (saysNothing(path, read(id)) ? id : null));
  return [...silent.keys()].map((path) => [path, standing.get(path) as BlobId[]]);
}

/**
 * Chooses a content for each of some paths by reading, some at a time.
 * @param contents by path
 * @param choose gives null where a path has none
 */
async function decidedByReading(
  repository: Repository,
  contents: ReadonlyMap<string, readonly BlobId[]>,
  choose: (path: string, ids: readonly BlobId[], read: ReadBlob) => BlobId | null,
): Promise<Map<string, BlobId>> {
  const jobs = [...contents].map(
    ([path, needs]): Job => ({
      needs,
      run(read) {
        const take = choose(path, needs, read);
        return new Map(take === null ? [] : [[path, { take }]]);
      },
    }),
  );
  const limits = limitsOf([...contents].flatMap(([path, ids]) => ids.map((id) => [path, id] as const)));
  const decided = await runJobs(repository, jobs, limits);
  return new Map([...decided].flatMap(([path, outcome]) => ("take" in outcome ? [[path, outcome.take] as const] : [])));
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
