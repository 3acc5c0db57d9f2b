import * as z from "zod/mini";
import { submitReview } from "../../home/artifact/reviews.ts";
import { ofThread, unreadIds } from "../../home/part/inbox-files.ts";
import { currentSession } from "../../home/session/sessions.ts";
import { ackGiven } from "../../home/wake/ack-mail.ts";
import { REVIEW_RESULTS } from "../../objects/artifact/review.ts";
import { LIMITS, maybe, text } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
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
  idempotent: false,
  identity: "writer",
  positionals: ["review_id", "status", "comments"],
  input: () => ({
    review_id: z.string().check(z.describe("or the artifact's name")),
    status: z.enum(REVIEW_RESULTS),
    comments: maybe(text(LIMITS.reviewComments, "needed with changes_requested")),
    session_id: SessionId,
  }),
  output: () => ({ review: ReviewAnswer }),
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
    const review = await submitReview(world, session, input.review_id, { status: input.status, comments }, caller.part);
    if (review.thread !== undefined) ackGiven(world, caller.part, ofThread(unreadIds(world.home().store, caller.part), review.thread));
    return { review: reviewAnswer(world, review) };
  },
});
