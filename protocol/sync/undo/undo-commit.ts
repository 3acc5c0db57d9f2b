/** Taking back what a commit did to sessions and claims, by new additions. spec/trust.md, "Undo". */

import { addClaim, lastClaim } from "../../board/files/claims.ts";
import { endSession, reopenSession } from "../../board/files/end-session.ts";
import { catchUpTask, changeTask, readTask } from "../../board/files/task-files.ts";
import { endedPath, reopenedPath, sessionTurn } from "../../board/nouns/session.ts";
import { changed, isFinished, isTakenBack } from "../../board/nouns/task.ts";
import type { World } from "../../core/world.ts";
import { currentName } from "../../mail/files/members.ts";
import { exists } from "../../store/read/facts.ts";
import type { Effect } from "../nouns/push-effect.ts";

/** A thing that cannot be taken back, and why. */
export class NotUndone extends Error {}

/** What was done to take something back, in words; null where it is as it was before already. */
export type Undone = string | null;

/** The opposite of an end, or of an opening, that still counts. */
export function undoTurn(world: World, effect: Effect & { kind: "ended" | "resumed" }, by: string): Undone {
  const { session, path } = effect;
  const { ended, turn } = sessionTurn(session, (each) => exists(world.home().store, each));
  if (effect.kind === "ended") {
    if (!ended || endedPath(session, turn) !== path) return null;
    return reopenSession(world, session, by) ? `reopened session ${session}` : null;
  }
  if (ended || turn === 1 || reopenedPath(session, turn - 1) !== path) return null;
  return endSession(world, session, by) ? `ended session ${session} again` : null;
}

/**
 * Frees a task of a claim that is still the last, for who held it before; one that was given back or finished is theirs again.
 * @param held who held the task before; null where nobody did
 */
export async function undoClaim(world: World, effect: Effect & { kind: "claim" }, held: string | null, by: string): Promise<Undone> {
  const { session, task, fence, did } = effect;
  const last = lastClaim(world, session, task);
  if (last === null || last.fence !== fence) return null;
  const to = held === null ? null : currentName(world, held);
  const again = to === null ? "" : `; ${to} may claim it again`;
  if (did === "claim") {
    const added = await addClaim(world, session, task, fence, { kind: "release", agent: by, ...(to === null ? {} : { to }) });
    if (added === null) throw new NotUndone("somebody else claimed it just now");
    if (readTask(world, session, task) !== null) await catchUpTask(world, session, task);
    return `took ${task} back from ${effect.agent}${again}`;
  }
  if (held === null || readTask(world, session, task) === null) return null;
  let isChanged = false;
  const at = new Date(world.now()).toISOString();
  await changeTask(world, session, task, by, (now) => {
    const isAsLeft =
      (did === "done" ? isFinished(now.status) : now.status === "todo") && (isFinished(now.status) || now.assignee === undefined);
    isChanged = isAsLeft && !isTakenBack(now);
    return isChanged ? changed(now, at, by, "reopened", { status: "todo", assignee: to ?? undefined }) : null;
  });
  return isChanged ? `reopened ${task}${again}` : null;
}
