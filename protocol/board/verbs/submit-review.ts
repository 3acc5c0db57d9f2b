import * as z from "zod/mini";
import { flag, LIMITS, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { ackTold } from "../../mail/files/ack-mail.ts";
import { ofThread, unreadIds } from "../../mail/files/inbox-files.ts";
import { isSeen } from "../../mail/files/mail.ts";
import { approvalsOf } from "../files/approved-behind.ts";
import { requestWords } from "../files/finish-review.ts";
import { listReviews } from "../files/read-review.ts";
import { submitReview } from "../files/reviews.ts";
import { currentSession } from "../files/sessions.ts";
import { REVIEW_RESULTS } from "../nouns/review.ts";
import { ReviewAnswer, reviewAnswer } from "./board-answers.ts";

/** Gives the result of a review. */
export const submit_review = defineOperation({
  name: "submit_review",
  tool: "board",
  command: "review submit",
  summary: "Submit a review, by its id or its artifact's: approve, or ask for changes with comments",
  when: "Answer a review; done: true ends its task.",
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
  output: () => ({
    review: ReviewAnswer,
    done: maybe(z.string().check(z.describe("the task that is done"))),
    /** For the part that coordinates: what is approved by that, and how to merge it. */
    unmerged: z.optional(z.array(z.string())),
    warning: maybe(z.string()),
  }),
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
    const { review, done, undone } = await submitReview(
      world,
      session,
      input.review_id,
      { status: input.status, comments, ...(isDone ? { done: true } : {}) },
      caller.part,
    );
    if (review.thread !== undefined) ackRequest(world, session, caller.part, review.thread);
    const isMain = caller.part === world.home().config().main;
    const unmerged = isMain && review.task !== undefined ? await (await approvalsOf(world, session, review.task)).unmerged() : [];
    return {
      review: reviewAnswer(world, review),
      ...(done === undefined ? {} : { done }),
      ...(unmerged.length === 0 ? {} : { unmerged: unmerged.map(({ words }) => words) }),
      ...(undone === undefined ? {} : { warning: undone }),
    };
  },
});

/** Acks the requests of a thread that ask for nothing more, and what their reviewer saw of it. */
function ackRequest(world: World, session: string, part: string, thread: string): void {
  const ended = listReviews(world, session, []).filter((each) => each.thread === thread && each.status !== "pending");
  const words = ended.map(requestWords);
  const mail = ofThread(unreadIds(world.home().store, part), thread);
  ackTold(world, part, mail, ({ id, body }) => isSeen(world, part, id) || words.some((each) => body.startsWith(each)));
}
