/** Asking parts for reviews, as `request_review` and `submit_task` do. spec/board.md, "Review". */
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { enter, madeGuestWarning, makeGuest } from "../../mail/files/guests.ts";
import { isMember, isSamePart, nameNow, requireDistinct, requirePartId } from "../../mail/files/members.ts";
import type { ReviewState } from "../files/read-review.ts";
import { artifactToReview, requestReview } from "../files/reviews.ts";
import { openOf, withdrawAll } from "../files/withdraw-reviews.ts";
import type { Review } from "../nouns/review.ts";

/** The parts of a text that names one, or several with commas between. */
export const severalOf = (given: string): string[] => [...new Set(given.split(/, ?/))];

/**
 * The reviewers that a task keeps, by their names of now.
 * @param assignee may not be one of them
 * @throws Refusal `self_review`, `bad_part`
 */
export function reviewersOf(world: World, given: string, assignee: string | undefined): string[] {
  const named = severalOf(given);
  for (const each of named) requirePartId(each);
  const reviewers = named.map((each) => nameNow(world, each));
  if (assignee !== undefined && reviewers.includes(assignee)) throw refuse("self_review", { author: assignee });
  return reviewers;
}

/**
 * Asks each of some parts to review a version; nobody is asked where one of them cannot be.
 * @param given the name or the id of an artifact
 * @returns the reviews, in the order of the reviewers, and what to warn of: a new guest
 * @throws Refusal `unknown_artifact`, `self_review`, `bad_part`
 */
export async function askReviewers(
  world: World,
  session: string,
  given: string,
  reviewers: readonly string[],
  by: string,
): Promise<{ review: [Review, ...Review[]]; warning: string }> {
  // Reviewers are often started by the request: one that is not there yet is a guest from now on, and reads it then.
  const asked = reviewers.map((reviewer) => ({
    reviewer,
    artifact: artifactToReview(world, session, given, reviewer),
    joins: !isMember(world, reviewer) && reviewer !== by,
  }));
  const newcomers = asked.filter(({ joins }) => joins).map(({ reviewer }) => reviewer);
  for (const each of newcomers) requireDistinct(world, each);
  const warnings = newcomers.map((each) => madeGuestWarning(world, each, packageWith("teamIds").teamIds(world, session)));
  enter(world, session, by);
  for (const each of newcomers) makeGuest(world, each, session);
  const review: Review[] = [];
  for (const { reviewer, artifact } of asked) {
    const { review: each, isNew } = await requestReview(world, session, artifact, reviewer, by);
    review.push(each);
    if (!isNew) warnings.push(`${reviewer} was asked already, and has not answered`);
  }
  return { review: review as [Review, ...Review[]], warning: warnings.filter((each) => each !== undefined).join("; ") };
}

/**
 * The open reviews that stay with parts which are no reviewers of a task any more, and that the new ones can be asked for instead.
 * @throws Refusal `self_review`, where a new one made what is reviewed
 */
export function reviewsToMove(world: World, session: string, task: string, reviewers: readonly string[]): ReviewState[] {
  const left = openOf(world, session, task).filter(({ reviewer }) => !reviewers.some((each) => isSamePart(world, each, reviewer)));
  for (const { artifact } of left) for (const each of reviewers) artifactToReview(world, session, artifact, each);
  return left;
}

/** Asks the new reviewers of a task for what earlier ones have not answered, and tells those. @returns the new reviews, and the warnings */
export async function moveReviews(
  world: World,
  session: string,
  left: readonly ReviewState[],
  reviewers: readonly string[],
  by: string,
): Promise<{ asked: Review[]; withdrawn: string[]; warnings: string[] }> {
  const asked: Review[] = [];
  const warnings: string[] = [];
  for (const artifact of new Set(left.map((each) => each.artifact))) {
    const { review, warning } = await askReviewers(world, session, artifact, reviewers, by);
    asked.push(...review);
    if (warning !== "") warnings.push(warning);
  }
  return { asked, warnings, withdrawn: await withdrawAll(world, session, left, by, `now asked of ${reviewers.join(", ")}`) };
}
