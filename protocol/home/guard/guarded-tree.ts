/** The tree of a push, with the files restored that it may not delete or change. spec/git.md, "Guard". */
import { addTo } from "../../objects/format/append.ts";
import { FILE_BYTES, MOST_BYTES } from "../../objects/format/schema.ts";
import { type Guarded, planGuard, saysNothing } from "../../objects/guard/guard.ts";
import { type GuardHistory, type IsBroken, lastReadable } from "../../objects/guard/guard-history.ts";
import type { BlobId, Tree } from "../../objects/merge/merge.ts";
import { ARCHIVE_FOLDER } from "../../objects/message/archive.ts";
import { FORGOTTEN_FOLDER, isRequest, locateForgotten } from "../../objects/message/forget-request.ts";
import { keptPath, readerOf, textOf, UNREADABLE } from "../../objects/noun/merge-tree.ts";
import { isBroken, mostBytesAt } from "../../objects/tree/broken.ts";
import { type Listed, placeOf } from "../../objects/tree/layout.ts";
import { sha256 } from "../../store/digest.ts";
import { readAll, readBlobs, sizesOf } from "../../store/git/git-blobs.ts";
import { diffTrees } from "../../store/git/git-changes.ts";
import type { Repository } from "../../store/git/git-run.ts";

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
 * @param came the tree that came, or of it what differs from `before`
 * @param firstOf asks the whole history where a part of it does not decide
 * @param undecided what this clone met contested before: path → contents
 * @returns the outcomes; what no history decides; and whether only the whole trees would say all
 * @throws Refusal `git_failed`
 */
export async function guardedTree(
  repository: Repository,
  history: GuardHistory,
  before: Tree,
  came: Tree,
  { firstOf, undecided = new Map() }: { firstOf: FirstOf; undecided?: ReadonlyMap<string, readonly BlobId[]> },
): Promise<{ guarded: Guarded; contested: Map<string, BlobId[]>; isUncertain: boolean }> {
  const refused = await falseRequests(repository, came, before);
  const now = refused.size === 0 ? came : new Map([...came].filter(([path]) => !refused.has(path)));
  const broken = await brokenAmong(repository, history.rewritten(before, now));
  const { tree, contested, edited, standing } = history.joinedWith(before, now, broken);
  for (const [path, id] of await firstOf(before, now, broken)) tree.set(path, id);
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
  // Who met a file contested goes with the branch between its contents, so that whoever saw it clean decides.
  for (const [path, ids] of undecided) if ([tree, now].every((each) => ids.includes(each.get(path) ?? ""))) tree.delete(path);
  const plan = planGuard(tree, now, broken, { had: before, digest: sha256 });
  const contents = await readAll(repository, [...plan.needs], MOST_BYTES);
  const guarded = plan.run((id) => contents.get(id) ?? UNREADABLE);
  putBeside(guarded, refused);
  // Whether a guest's mail is still there, a claim was confirmed, and a thread that was archived has unread mail, only the whole tree says.
  const isUncertain =
    [...before.keys()].some((path) => {
      const kind = placeOf(path)?.kind;
      return kind === "claim" || (kind === "guest" && !now.has(path));
    }) || [...now.keys()].some((path) => path.startsWith(`${ARCHIVE_FOLDER}/`));
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

/** The files of a tree that lie where requests do and are none, but for those that another tree has too. @throws Refusal `git_failed` */
export async function falseRequests(repository: Repository, tree: Tree, having: Tree): Promise<Map<string, BlobId>> {
  const requests = [...tree].filter(
    ([path]) => path.startsWith(`${FORGOTTEN_FOLDER}/`) && !having.has(path) && locateForgotten(path)?.kind === "forgotten",
  );
  const texts = await readAll(repository, [...new Set(requests.map(([, id]) => id))], FILE_BYTES.forgotten);
  const read = readerOf((id) => texts.get(id) ?? UNREADABLE);
  return new Map(requests.filter(([path, id]) => !isRequest(path, read(id))));
}
