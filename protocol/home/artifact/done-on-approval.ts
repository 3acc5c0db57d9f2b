/** Setting a task done because its work was approved. spec/board.md, "Review". */
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { nameNow } from "../part/members.ts";
import { updateTask } from "../task/update-task.ts";
import { listReviews, readReview } from "./read-review.ts";
import { withdrawOfDone } from "./withdraw-reviews.ts";

/**
 * Sets the task of an approved review done, for its requester, where a reviewer of that version or relay.yml says so, once every review of
 * the version approved.
 * @returns why the task is not done, where it was to be; else null
 */
export async function doneOnApproval(world: World, session: string, id: string): Promise<string | null> {
  const review = readReview(world, session, id);
  if (review?.status !== "approved") return null;
  const { task, artifact, requester, done } = review;
  const all = listReviews(world, session, []).filter((each) => each.artifact === artifact && each.status !== "withdrawn");
  if (!world.home().config().task.doneOnApproval && !all.some((each) => each.done === true)) return null;
  if (task === undefined) return done === true ? "the artifact is of no task, so none was set done" : null;
  const open = all.filter(({ status }) => status !== "approved");
  if (open.length > 0)
    return `${task} is not done yet: ${open.map(({ reviewer, status }) => `${nameNow(world, reviewer)}: ${status}`).join(", ")}`;
  try {
    await updateTask(
      world,
      session,
      task,
      { status: "done", whenDone: (ended) => withdrawOfDone(world, session, ended) },
      nameNow(world, requester),
    );
    return null;
  } catch (error) {
    // The review stands, whatever keeps the task from being done.
    if (error instanceof Refusal) return `${task} is not done: ${error.message}`;
    throw error;
  }
}
