/** Bringing back what a commit deleted or changed as no operation does, where it still stands. spec/trust.md, "Undo". */

import { many } from "../../objects/format/many.ts";
import type { HistoryFault } from "../../objects/guard/history-faults.ts";
import type { BlobId } from "../../objects/merge/merge.ts";
import { isCarried } from "../../objects/tree/layout.ts";
import { resolveCommit } from "../../store/git/git-commits.ts";
import { listTree } from "../../store/git/git-list.ts";
import { moveRef } from "../../store/git/git-move-ref.ts";
import type { World } from "../../world.ts";
import { branchRef, requireRepository } from "../git/repository.ts";
import { examineHistory } from "../guard/check-history.ts";
import { GUARDED, repair } from "../guard/guard-push.ts";
import { guardedTree } from "../guard/guarded-tree.ts";
import { noteBrought, witnessOf } from "../note-origins.ts";
import { applyMerge } from "../sync/apply-merge.ts";
import { recordIn, whileRecording } from "../sync/record-home.ts";

/** What `check` says that a commit deleted or changed; null where nothing of it stands. @throws Refusal `git_failed` */
export async function faultOf(world: World, commit: string): Promise<HistoryFault | null> {
  const repository = requireRepository(world);
  const head = await resolveCommit(repository, branchRef(repository));
  if (head === null) return null;
  return (await examineHistory(repository, head)).faults.find((fault) => fault.commit === commit) ?? null;
}

/** What a commit deleted and changed, in words that follow it; none where nothing of it stands. */
export const faultWords = (fault: HistoryFault | null): string[] => [
  ...(fault?.deleted.length ? [`deleted ${many(fault.deleted.length, "file")}`] : []),
  ...(fault?.changed.length ? [`changed ${many(fault.changed.length, "file")} of what is written once`] : []),
];

/**
 * Brings back what a commit deleted, and the first bytes of what it changed, but for what was written here; its own bytes lie beside.
 * Doing it again changes nothing.
 * @returns what was brought back, in words; none where somebody moved the branch meanwhile
 * @throws Refusal `git_failed`, `busy`
 */
export async function undoDeletions(world: World, commit: string): Promise<string[]> {
  if ((await faultOf(world, commit)) === null) return [];
  const repository = requireRepository(world);
  return whileRecording(world, async () => {
    await recordIn(world, repository);
    const fault = await faultOf(world, commit);
    const head = await resolveCommit(repository, branchRef(repository));
    if (fault === null || head === null) return [];
    const { wrote } = witnessOf(world);
    const lost = [...fault.deleted, ...fault.changed.filter(({ path }) => !wrote(path))];
    const had = new Map(lost.map(({ path, before }) => [path, before]));
    const now = new Map<string, BlobId>();
    for await (const { path, id } of listTree(repository, head)) now.set(path, id);
    const guarded = await guardedTree(repository, had, now, (_path, was) => was);
    if (guarded.outcomes.size === 0) return [];
    const told = { by: [commit], deleted: guarded.back.length, changed: guarded.held.length, paths: [] };
    // It came with the branch, whoever brings it back.
    noteBrought(
      world,
      lost.map(({ path }) => ({ path, commit })),
    );
    const made = await repair(repository, { theirs: head, isWelcome: isCarried, isAllWelcome: true }, guarded, told);
    if ((await applyMerge(world, repository, head, made, true)) === null) return [];
    await moveRef(repository, GUARDED, made, undefined, "relay: guard");
    return [
      ...(guarded.back.length === 0 ? [] : [`brought back ${many(guarded.back.length, "file")}`]),
      ...(guarded.held.length === 0 ? [] : [`restored the first bytes of ${many(guarded.held.length, "file")}`]),
    ];
  });
}
