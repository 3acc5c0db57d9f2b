import * as z from "zod/mini";
import { LIMITS, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import { currentSession } from "../files/sessions.ts";
import { withdrawReviews } from "../files/withdraw-reviews.ts";

/** Withdraws a review that was asked for. */
export const withdraw_review = defineOperation({
  name: "withdraw_review",
  tool: "board",
  command: "review withdraw",
  summary: "Withdraw a review that you asked for, by its id; by its artifact's name every open one",
  when: "Withdraw a review that you asked for.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["review_id", "comments"],
  input: () => ({
    review_id: z.string().check(z.describe("or the artifact's name")),
    comments: maybe(text(LIMITS.reviewComments, "why")),
    session_id: SessionId,
  }),
  output: () => ({ withdrawn: z.array(z.string()) }),
  example: { review_id: "review-k3f9x2ab7q" },
  async run(world, { review_id, comments = "", session_id }, caller) {
    const session = currentSession(world, session_id);
    return { withdrawn: await withdrawReviews(world, session, review_id, caller.part, comments) };
  },
});
