import * as z from "zod/mini";
import { LIMITS, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { doneOnApproval } from "../files/done-on-approval.ts";
import { listReviews } from "../files/read-review.ts";
import { currentSession } from "../files/sessions.ts";
import { readTask } from "../files/task-files.ts";
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
  output: () => ({ withdrawn: z.array(z.string()), done: z.optional(z.string()) }),
  example: { review_id: "review-k3f9x2ab7q" },
  async run(world, { review_id, comments = "", session_id }, caller) {
    const session = currentSession(world, session_id);
    const withdrawn = await withdrawReviews(world, session, review_id, caller.part, comments);
    const done = await doneAgain(world, session, withdrawn);
    return { withdrawn, ...(done === undefined ? {} : { done }) };
  },
});

/** Sets a task done again: its author withdrew the later version, and the reviewers approved the one before. @returns its id; undefined for any other task */
async function doneAgain(world: World, session: string, withdrawn: readonly string[]): Promise<string | undefined> {
  const reviews = listReviews(world, session, []);
  const task = reviews.find(({ id }) => withdrawn.includes(id))?.task;
  if (task === undefined || readTask(world, session, task)?.status !== "in_review") return undefined;
  // In the order of `listReviews`: an open one stands first, and the latest last.
  const left = reviews.filter((each) => each.task === task && each.status !== "withdrawn");
  const last = left.at(-1);
  return last === undefined || left[0]?.status === "pending" ? undefined : (await doneOnApproval(world, session, last.id)).done;
}
