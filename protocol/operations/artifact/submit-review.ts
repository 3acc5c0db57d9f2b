import * as z from "zod/mini";
import { requestWords } from "../../home/artifact/finish-review.ts";
import type { ReviewState } from "../../home/artifact/read-review.ts";
import { listReviews, submitReview } from "../../home/artifact/reviews.ts";
import { isSeen } from "../../home/message/mail.ts";
import { ofThread, unreadIds } from "../../home/part/inbox-files.ts";
import { currentSession } from "../../home/session/sessions.ts";
import { updateTask } from "../../home/task/update-task.ts";
import { ackTold } from "../../home/wake/ack-mail.ts";
import { REVIEW_RESULTS } from "../../objects/artifact/review.ts";
import { flag, LIMITS, maybe, text } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { Refusal, refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { SessionId } from "../shapes.ts";
import { ReviewAnswer, reviewAnswer } from "./board-answers.ts";

/** Gives the result of a review. */
export const submit_review = defineOperation({
  name: "submit_review",
  tool: "board",
  command: "review submit",
  summary: "Submit a review, by its id or its artifact's: approve, or ask for changes with comments",
  when: "Answer a review that you were asked for.",
  effect: "write",
  endsWithNews: true,
  idempotent: false,
  identity: "writer",
  positionals: ["review_id", "status", "comments"],
  input: () => ({
    review_id: z.string().check(z.describe("or the artifact's name")),
    status: z.enum(REVIEW_RESULTS),
    comments: maybe(text(LIMITS.reviewComments, "needed with changes_requested")),
    done: flag("approved, and the task is done with it"),
    session_id: SessionId,
  }),
  // The tool has the arguments of an earlier one, and takes this as well.
  unlisted: ["done"],
  output: () => ({ review: ReviewAnswer, warning: maybe(z.string()) }),
  example: { review_id: "review-k3f9x2ab7q", status: "approved" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const comments = input.comments ?? "";
    if (input.status === "changes_requested" && comments.trim() === "") {
      throw refuse("invalid_argument", {
        argument: "comments",
        expected: "what should change, because the status is changes_requested",
        given: input.comments,
        example: "The empty password is accepted.",
      });
    }
    const isDone = input.done === true && input.status === "approved";
    const review = await submitReview(
      world,
      session,
      input.review_id,
      { status: input.status, comments, ...(isDone ? { done: true } : {}) },
      caller.part,
    );
    if (review.thread !== undefined) ackRequest(world, caller.part, review, review.thread);
    const warning = isDone ? await setDone(world, session, review) : null;
    return { review: reviewAnswer(world, review), ...(warning === null ? {} : { warning }) };
  },
});

/** Acks the request for a review, and what its reviewer saw of that thread. */
function ackRequest(world: World, part: string, review: ReviewState, thread: string): void {
  const words = requestWords(review);
  const mail = ofThread(unreadIds(world.home().store, part), thread);
  ackTold(world, part, mail, ({ id, body }) => isSeen(world, part, id) || body.startsWith(words));
}

/** Sets the task of an approved review done, for its requester, once no other review of that version is open. @returns why not; null where it is done */
async function setDone(world: World, session: string, { task, artifact, requester }: ReviewState): Promise<string | null> {
  if (task === undefined) return "the artifact is of no task, so none was set done";
  const open = listReviews(world, session, []).filter((each) => each.artifact === artifact && each.status !== "approved");
  if (open.length > 0) return `${task} is not done yet: ${open.map(({ reviewer, status }) => `${reviewer}: ${status}`).join(", ")}`;
  try {
    await updateTask(world, session, task, { status: "done" }, requester);
    return null;
  } catch (error) {
    // The review stands, whatever keeps the task from being done.
    if (error instanceof Refusal) return `${task} is not done: ${error.message}`;
    throw error;
  }
}
