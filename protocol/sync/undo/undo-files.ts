/**
 * Bringing back what a commit deleted or wrote over, where it still stands, and taking off the branch what it brought and nobody
 * protects: what lies outside of the layout, and what is kept beside a file that it tried to change. spec/trust.md, "Undo".
 */
import { seen } from "../../core/format/hidden.ts";
import { many } from "../../core/format/many.ts";
import { besideOf, isKept, keptPath } from "../../core/noun/merge-tree.ts";
import { actingFirst, placeOf } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import type { Change } from "../../git/git-changes.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import { listTree } from "../../git/git-list.ts";
import { moveRef } from "../../git/git-move-ref.ts";
import { sameAuthorship } from "../../git/home/authorship.ts";
import { commitFiles, storedOutcomes } from "../../git/home/commit-files.ts";
import { branchRef, requireRepository } from "../../git/home/repository.ts";
import { noteBrought, witnessOf } from "../../trust/files/note-origins.ts";
import { examineHistory } from "../guard/check-history.ts";
import { GUARDED } from "../guard/guard-push.ts";
import { guardedTree } from "../guard/guarded-tree.ts";
import type { HistoryFault } from "../nouns/history-faults.ts";
import { type BlobId, withOutcomes } from "../nouns/merge.ts";
import { applyMerge } from "../sync/apply-merge.ts";
import type { PushedCommit } from "../sync/pushed-commit.ts";
import { recordIn, whileRecording } from "../sync/record-home.ts";

const NAMED = 5;

/** What `check` says that a commit deleted or changed; null where nothing of it stands. @throws Refusal `git_failed` */
export async function faultOf(world: World, commit: string): Promise<HistoryFault | null> {
  const repository = requireRepository(world);
  const head = await resolveCommit(repository, branchRef(repository));
  return head === null ? null : ((await examineHistory(repository, head)).faults.find((fault) => fault.commit === commit) ?? null);
}

/**
 * Brings back what a commit deleted, and the first bytes of what it changed, but for what was written here; takes off the branch what
 * it brought, as long as that is as the commit had it. The history has all of it. Doing it again changes nothing.
 * @returns what was done, in words; none where somebody moved the branch meanwhile
 * @throws Refusal `git_failed`, `busy`
 */
export async function undoFiles(world: World, { commit, changes }: Pick<PushedCommit, "commit" | "changes">): Promise<string[]> {
  const repository = requireRepository(world);
  const brought = changes.flatMap(broughtBy);
  if (brought.length === 0 && (await faultOf(world, commit)) === null) return [];
  return whileRecording(world, async () => {
    await recordIn(world, repository);
    const head = await resolveCommit(repository, branchRef(repository));
    if (head === null) return [];
    const { deleted, changed } = (await faultOf(world, commit)) ?? { deleted: [], changed: [] };
    const { wrote } = witnessOf(world);
    const lost = [...deleted, ...changed.filter(({ path }) => !wrote(path))];
    const now = new Map<string, BlobId>();
    for await (const { path, id } of listTree(repository, head)) now.set(path, id);
    const had = new Map(lost.map(({ path, before }) => [path, before]));
    const { outcomes, back, held } = await guardedTree(repository, had, now, (_path, was) => was);
    const healed = withOutcomes(now, outcomes, () => "");
    const before = new Map(changes.map((change) => [change.path, change.before]));
    // What lies beside a file is removed once the file is as it was: until then it may be the only copy.
    const isSpare = (path: string): boolean => !isKept(path) || healed.get(besideOf(path)) === before.get(besideOf(path));
    const off = brought.filter(({ path, id }) => healed.get(path) === id && isSpare(path)).map(({ path }) => path);
    for (const path of off) outcomes.set(path, { absent: true });
    if (outcomes.size === 0) return [];
    // It came with the branch, whoever brings it back.
    noteBrought(
      world,
      lost.map(({ path }) => ({ path, commit })),
    );
    const message = `relay: take back ${many(outcomes.size, "change")} of ${commit.slice(0, 12)}\n`;
    const files = await storedOutcomes(repository, outcomes);
    const made = await commitFiles(repository, { on: head, files, message, env: await sameAuthorship(repository, head) });
    if ((await applyMerge(world, repository, head, made, true)) === null) return [];
    await moveRef(repository, GUARDED, made, undefined, "relay: guard");
    const { acting, others } = actingFirst(off);
    const names = [...acting, ...others].map((path) => seen(path));
    const rest = names.length > NAMED ? `, and ${names.length - NAMED} more` : "";
    return [
      ...(back.length === 0 ? [] : [`brought back ${many(back.length, "file")}`]),
      ...(held.length === 0 ? [] : [`restored the first bytes of ${many(held.length, "file")}`]),
      ...(off.length === 0 ? [] : [`removed ${many(off.length, "file")} that nobody protects: ${names.slice(0, NAMED).join(", ")}${rest}`]),
    ];
  });
}

/** What of a change nobody protects, and the content by which it is known: the file, or what lies beside the one it tried to change. */
function broughtBy({ path, before, after }: Change): { path: string; id: string }[] {
  // What gave way of a claim proves to other clones that it did.
  const kind = placeOf(besideOf(path))?.kind;
  // A signature stays with its message; nobody takes it for one.
  const isSignature = path.endsWith(".md.sig") && placeOf(path) !== null;
  if (after === null || kind === "claim" || kind === "decision" || isSignature) return [];
  if (guardClass(path) === "stranger") return [{ path, id: after }];
  return before === null ? [] : [{ path: keptPath(path, after), id: after }];
}
