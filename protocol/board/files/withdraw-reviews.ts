/** Withdrawing reviews, so that nobody is asked for what is not needed any more. spec/board.md, "Review". */

import { acted } from "../../core/act.ts";
import { commitThenFinish } from "../../core/home/commit-then-finish.ts";
import { HUMAN } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isSamePart } from "../../mail/files/members.ts";
import { lastClaim } from "./claims.ts";
import { ended, requireReview } from "./find-review.ts";
import { finishResult } from "./finish-review.ts";
import { listReviews, type ReviewState } from "./read-review.ts";
import { writeResult } from "./write-result.ts";

/**
 * Withdraws a review by its id or a piece of that; by the name or the id of an artifact every open one that a part asked for.
 * @param comments why, for the reviewers
 * @returns the ids of those that this call withdrew
 * @throws Refusal `unknown_review`, `ambiguous_id`, `not_the_requester`, `review_submitted`
 */
export async function withdrawReviews(world: World, session: string, given: string, by: string, comments: string): Promise<string[]> {
  const ofArtifact = listReviews(world, session, []).filter(
    ({ status, name, artifact, requester }) => status === "pending" && [name, artifact].includes(given) && isSamePart(world, requester, by),
  );
  const reviews = ofArtifact.length > 0 ? ofArtifact : [requireReview(world, session, given)];
  const mayDecide = by === HUMAN || by === world.home().config().main;
  const withdrawn: string[] = [];
  for (const review of reviews) {
    if (!mayDecide && !isSamePart(world, review.requester, by)) throw refuse("not_the_requester", { requester: review.requester });
    if (await withdraw(world, session, review, by, comments)) withdrawn.push(review.id);
    else if (ofArtifact.length === 0) throw refuse("review_submitted", ended(world, requireReview(world, session, review.id)));
  }
  return withdrawn;
}

/** Withdraws the open reviews of a task that is done. @returns the ids of those that this call withdrew */
export async function withdrawOfDone(world: World, session: string, task: string): Promise<string[]> {
  const end = lastClaim(world, session, task);
  if (end?.kind !== "done") return [];
  return withdrawAll(world, session, openOf(world, session, task), end.agent, `${task} is done`);
}

/** The open reviews of a task. */
export const openOf = (world: World, session: string, task: string): ReviewState[] =>
  listReviews(world, session, []).filter((review) => review.task === task && review.status === "pending");

/** Withdraws some reviews, whoever asked for them. @param comments why, for the reviewers @returns the ids of those that this call withdrew */
export async function withdrawAll(
  world: World,
  session: string,
  reviews: readonly ReviewState[],
  by: string,
  comments: string,
): Promise<string[]> {
  const withdrawn: string[] = [];
  for (const review of reviews) if (await withdraw(world, session, review, by, comments)) withdrawn.push(review.id);
  return withdrawn;
}

/** Ends an open review without an answer; its reviewer has mail of it. @returns whether this call did */
async function withdraw(world: World, session: string, review: ReviewState, by: string, comments: string): Promise<boolean> {
  if (review.status !== "pending") return false;
  const { id, reviewer, name, version } = review;
  const end = (): true | null => writeResult(world, session, review, { status: "withdrawn", by, comments });
  const isEnded = (await commitThenFinish(world, ["result", session, id], end, () => finishResult(world, session, id))) === true;
  if (isEnded)
    acted(world, {
      event: { type: "review:updated", part: by, sessionId: session, review: { id, status: "withdrawn", reviewer, name, version } },
    });
  return isEnded;
}
