/** Setting a task done because its work was approved. spec/board.md, "Review". */
import { shortOf, withShortIds } from "../../core/format/id.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { listReviews, readReview } from "./read-review.ts";
import { updateTask } from "./update-task.ts";
import { withdrawOfDone } from "./withdraw-reviews.ts";

/** What an approval did to its task. */
export interface Outcome {
  /** The task that is done. */
  done?: string;
  /** Why the task that was to be done is not. */
  undone?: string;
}

/**
 * Sets the task of an approved review done, for its requester, where a reviewer of that version or relay.yml says so, once every review of
 * the version approved.
 * @returns the task that is done, or why one that was to be is not; neither where none was to be
 */
export async function doneOnApproval(world: World, session: string, id: string): Promise<Outcome> {
  const review = readReview(world, session, id);
  if (review?.status !== "approved") return {};
  const { task, artifact, requester, done } = review;
  const all = listReviews(world, session, []).filter((each) => each.artifact === artifact && each.status !== "withdrawn");
  if (!world.home().config().task.doneOnApproval && !all.some((each) => each.done === true)) return {};
  if (task === undefined) return done === true ? { undone: "the artifact is of no task, so none was set done" } : {};
  const open = all.filter(({ status }) => status !== "approved");
  if (open.length > 0)
    return {
      undone: `${shortOf(task)} is done once these approve, too: ${open.map(({ reviewer, status }) => `${nameNow(world, reviewer)} (${status})`).join(", ")}`,
    };
  try {
    await updateTask(
      world,
      session,
      task,
      { status: "done", whenDone: (ended) => withdrawOfDone(world, session, ended) },
      nameNow(world, requester),
    );
    return { done: task };
  } catch (error) {
    // The review stands, whatever keeps the task from being done.
    if (error instanceof Refusal) return { undone: withShortIds(`${task} is not done: ${error.message}`) };
    throw error;
  }
}
