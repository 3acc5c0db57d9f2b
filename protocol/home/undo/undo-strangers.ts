/**
 * Taking files off the branch that a commit brought and that nobody protects: what lies outside of the layout, and what is kept
 * beside a file that the commit tried to change. spec/trust.md, "Undo".
 */
import { besideOf, isKept, keptPath } from "../../objects/noun/merge-tree.ts";
import { placeOf } from "../../objects/tree/layout.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { guardClass } from "../../objects/tree/record.ts";
import type { Change } from "../../store/git/git-changes.ts";
import { commitTree, resolveCommit } from "../../store/git/git-commits.ts";
import { dropIndex, keepIndex, openIndex, setInIndex, writeTree } from "../../store/git/git-index.ts";
import { listTree } from "../../store/git/git-list.ts";
import { moveRef } from "../../store/git/git-move-ref.ts";
import { exists } from "../../store/read/facts.ts";
import { removeFile } from "../../store/write/move-file.ts";
import type { World } from "../../world.ts";
import { cloneName } from "../feed.ts";
import { authorship } from "../git/authorship.ts";
import { branchRef, requireRepository } from "../git/repository.ts";
import { GUARDED } from "../guard/guard-push.ts";
import { recordIn, whileRecording } from "../sync/record-home.ts";

/** What was taken off the branch, as paths. The history has all of it. */
export interface TakenOff {
  /** Files outside of the layout. */
  strangers: string[];
  /** Files beside those that the commit tried to change, or laid there itself. */
  kept: string[];
}

/**
 * Takes off the branch what a commit brought, as long as it is as the commit had it.
 * Doing it again changes nothing.
 * @param changes what the commit changed
 * @throws Refusal `git_failed`, `busy`
 */
export function takeOff(world: World, commit: string, changes: readonly Change[]): Promise<TakenOff> {
  const repository = requireRepository(world);
  const brought = new Map(changes.flatMap(({ path, before, after }) => broughtBy(path, before, after)));
  const none: TakenOff = { strangers: [], kept: [] };
  if (brought.size === 0) return Promise.resolve(none);
  return whileRecording(world, async () => {
    await recordIn(world, repository);
    const ref = branchRef(repository);
    const head = await resolveCommit(repository, ref);
    if (head === null) return none;
    const before = new Map(changes.map((change) => [change.path, change.before]));
    const now = new Map<string, string>();
    for await (const { path, id } of listTree(repository, head)) now.set(path, id);
    // What lies beside a file is removed once the file is as it was: until then it may be the only copy.
    const isSpare = (path: string): boolean => !isKept(path) || now.get(besideOf(path)) === before.get(besideOf(path));
    const there = [...brought].flatMap(([path, id]) => (now.get(path) === id && isSpare(path) ? path : []));
    if (there.length === 0) return none;
    const index = openIndex(repository);
    try {
      await setInIndex(
        repository,
        index,
        there.map((path) => ({ path, id: null })),
      );
      const message = `relay: remove ${there.length} ${there.length === 1 ? "file" : "files"} that ${shortCommit(commit)} brought\n\nRelay-Clone: ${cloneName(world)}\n`;
      const tree = await writeTree(repository, index);
      const made = await commitTree(repository, { tree, parents: [head], message, env: await authorship(repository) });
      if (!(await moveRef(repository, ref, made, head, "relay: undo"))) return none;
      keepIndex(repository, index);
      await moveRef(repository, GUARDED, made, head, "relay: guard");
    } finally {
      dropIndex(index);
    }
    const kept = there.filter(isKept);
    const { store } = world.home();
    for (const path of kept) if (exists(store, path)) removeFile(store, path);
    return { strangers: there.filter((path) => !isKept(path)), kept };
  });
}

/** What of a change nobody protects, and the content by which it is known: the file, or what lies beside the one it tried to change. */
function broughtBy(path: string, before: string | null, after: string | null): [string, string][] {
  if (after === null) return [];
  // What gave way of a claim proves to other clones that it did.
  const kind = placeOf(besideOf(path))?.kind;
  if (kind === "claim" || kind === "decision") return [];
  // A signature stays with its message; nobody takes it for one.
  if (path.endsWith(".md.sig") && placeOf(path) !== null) return [];
  if (guardClass(path) === "stranger") return [[path, after]];
  return before === null ? [] : [[keptPath(path, after), after]];
}
