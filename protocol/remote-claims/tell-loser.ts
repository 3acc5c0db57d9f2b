/** Telling whoever claimed a task that the claim does not stand. spec/git.md, "Claims across machines". */

import { readableClaimAt } from "../board/files/claims.ts";
import { readTask } from "../board/files/task-files.ts";
import { type ClaimRecord, parseClaim } from "../board/nouns/claim.ts";
import { orElse } from "../core/format/file-error.ts";
import { asLine } from "../core/format/hidden.ts";
import { LIMITS } from "../core/format/schema.ts";
import { besideOf, isKept } from "../core/noun/merge-tree.ts";
import { placeOf } from "../core/tree/layout.ts";
import type { World } from "../core/world.ts";
import { readAll } from "../git/git-blobs.ts";
import type { Change } from "../git/git-changes.ts";
import { hasPath } from "../git/git-list.ts";
import { gitText, type Repository } from "../git/git-run.ts";
import { currentName } from "../mail/files/members.ts";
import { newThread, post } from "../mail/files/post.ts";

/** Tells whoever made a claim that it was lost; once, however often this is done again. @param how why it was, as a sentence */
export function tellLoser(world: World, session: string, record: ClaimRecord, winner: ClaimRecord | null, how: string): void {
  const to = currentName(world, record.agent);
  if (to === null) return;
  const title = titleOf(world, session, record.task);
  const from = currentName(world, winner?.agent ?? "") ?? world.home().config().main;
  const holds = winner === null ? "The remote refused it" : `${winner.agent} has it (fence ${winner.fence}, ${winner.kind})`;
  post(
    world,
    newThread(world),
    {
      from,
      to: [to],
      subject: asLine(`Your claim of "${title}" was lost`, LIMITS.subject),
      session,
      metadata: { task_id: record.task, fence: String(record.fence) },
      body: `${how} ${holds}. Stop work on it, and hand over what you have.`,
    },
    { scope: { owner: record.agent, operation: "claim_lost" }, key: record.nonce },
  );
}

/** What people call a task; one whose file cannot be read has its id alone, and whoever reads it says why. */
function titleOf(world: World, session: string, task: string): string {
  try {
    return readTask(world, session, task)?.title ?? task;
  } catch {
    return task;
  }
}

/** The claim that a file is kept beside, by their paths; null of any other file. */
function claimBeside(path: string): { session: string; task: string; fence: number } | null {
  const place = isKept(path) ? placeOf(besideOf(path)) : null;
  return place?.kind === "claim" ? place : null;
}

/**
 * Tells those whose claims gave way in a merge that was made here; of one that another clone made, that clone has told them.
 * @param from what this home was recorded at
 * @param to the merge, as it is checked out
 */
export async function tellOverruled(
  world: World,
  repository: Repository,
  { from, to, changes }: { from: string; to: string; changes: readonly Change[] },
): Promise<void> {
  const kept = changes.filter(({ path, before, after }) => before === null && after !== null && claimBeside(path) !== null);
  if (kept.length === 0) return;
  const [, ours, theirs] = (await gitText(repository, ["rev-list", "--parents", "--max-count=1", to])).split(" ");
  if (ours !== from || theirs === undefined) return;
  for (const { path, after } of kept) {
    if (await hasPath(repository, theirs, path)) continue;
    const { session, task, fence } = claimBeside(path) as NonNullable<ReturnType<typeof claimBeside>>;
    const bytes = (await readAll(repository, [after as string])).get(after as string) as Buffer;
    const record = readable(bytes.toString("utf8"), task, fence);
    // A provisional claim is decided by the remote, and its own clone tells of that.
    if (record === null || record.kind !== "claim" || record.provisional === true) continue;
    const how = `You claimed ${task}, and a part in another clone claimed it too before the two clones synced, so one of you lost it.`;
    tellLoser(world, session, record, readableClaimAt(world, session, task, fence), how);
  }
}

const readable = (source: string, task: string, fence: number): ClaimRecord | null => orElse(null, () => parseClaim(source, task, fence));
