/** Reviews on disk, and the messages that go with them. spec/board.md, "Review". */

import { acted } from "../../core/act.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { parseThreadId, shortOf, threadId } from "../../core/format/id.ts";
import { commitThenFinish } from "../../core/home/commit-then-finish.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isSamePart, nameNow } from "../../mail/files/members.ts";
import { newThread } from "../../mail/files/post.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { preview } from "../../mail/nouns/message.ts";
import { publish } from "../../store/write/publish.ts";
import type { Artifact } from "../nouns/artifact.ts";
import { formatReview, REVIEW_RANDOM, type Review, type ReviewResult, reviewId, reviewPath } from "../nouns/review.ts";
import { readArtifact } from "./artifacts.ts";
import { doneOnApproval, type Outcome } from "./done-on-approval.ts";
import { ended, requireReview } from "./find-review.ts";
import { finishRequest, finishResult } from "./finish-review.ts";
import { listReviews, type ReviewState, readReview } from "./read-review.ts";
import { openOf } from "./withdraw-reviews.ts";
import { writeResult } from "./write-result.ts";

/** The version that somebody is to review. @throws Refusal `unknown_artifact`, `self_review` */
export function artifactToReview(world: World, session: string, given: string, reviewer: string): Artifact {
  const { artifact } = readArtifact(world, session, given);
  if (isSamePart(world, artifact.createdBy, reviewer)) throw refuse("self_review", { author: reviewer });
  return artifact;
}

/**
 * Asks for a review of a version; the reviewer gets a message, in a thread that ends with the answer.
 * @returns the review; one that the same part asked for already, and that is open, stays the one
 */
export async function requestReview(
  world: World,
  session: string,
  found: Artifact,
  reviewer: string,
  requester: string,
): Promise<{ review: Review; isNew: boolean }> {
  const id = reviewId(world.random(REVIEW_RANDOM));
  const at = new Date(world.now()).toISOString();
  const { name, version, task, commit } = found;
  // One thread for all that a part says of an artifact.
  const earlier = listReviews(world, session, []).filter((each) => each.name === name && isSamePart(world, each.reviewer, reviewer));
  const asked = earlier.find(
    (each) => each.status === "pending" && each.artifact === found.id && isSamePart(world, each.requester, requester),
  );
  if (asked !== undefined) return { review: asked, isNew: false };
  const thread = earlier.map((each) => each.thread).findLast((each) => isThere(world, each)) ?? threadId(newThread(world));
  const review = withoutUndefined<Review>({ id, artifact: found.id, name, version, reviewer, requester, at, task, thread, commit });
  const add = (): true | null => (publish(world.home().store, reviewPath(session, id), formatReview(review)) === "created" ? true : null);
  await commitThenFinish(world, ["review", session, id], add, () => finishRequest(world, session, id));
  acted(world, {
    event: {
      type: "review:requested",
      part: requester,
      sessionId: session,
      review: { id, artifact_id: found.id, reviewer, requester },
    },
  });
  return { review, isNew: true };
}

/** Whether a thread goes on: one that was archived does not. */
const isThere = (world: World, thread: string | undefined): boolean => {
  const location = parseThreadId(thread ?? "");
  return location !== null && messageKeys(world.home().store, location).length > 0;
};

/**
 * Gives a review's result, once; the requester gets a message. It answers as well what others asked the same reviewer of the same version or
 * commit.
 * @param piece as `requireReview` takes it
 * @returns the review, and what its approval did to the task
 * @throws Refusal `unknown_review`, `ambiguous_id`, `not_the_reviewer`, `review_submitted`
 */
export async function submitReview(
  world: World,
  session: string,
  piece: string,
  given: Pick<ReviewResult, "status" | "comments" | "done">,
  by: string,
): Promise<{ review: ReviewState } & Outcome> {
  const review = requireReview(world, session, piece, by);
  const { id, name, artifact, commit, task } = review;
  if (!isSamePart(world, review.reviewer, by)) {
    const reviewer = nameNow(world, review.reviewer);
    if (task === undefined || review.status !== "pending") throw refuse("not_the_reviewer", { reviewer });
    const others = openOf(world, session, task).flatMap((each) =>
      isSamePart(world, each.reviewer, reviewer) ? [] : nameNow(world, each.reviewer),
    );
    throw refuse("not_the_reviewer", { reviewer, task: shortOf(task), others: [...new Set(others)] });
  }
  if (review.status !== "pending") throw refuse("review_submitted", ended(world, review));
  const isTwin = (each: ReviewState): boolean => each.artifact === artifact || (commit !== undefined && each.commit === commit);
  for (const each of listReviews(world, session, []))
    if (each.id !== id && each.status === "pending" && each.name === name && isSamePart(world, each.reviewer, by) && isTwin(each))
      await giveResult(world, session, each, given, by);
  const outcome = await giveResult(world, session, review, given, by);
  if (outcome === null) throw refuse("review_submitted", ended(world, readReview(world, session, id) ?? review));
  return { review: { ...review, reviewer: by, status: given.status, comments: given.comments }, ...outcome };
}

/** Ends one review with its result. @returns null where it has one already; else as `doneOnApproval` */
async function giveResult(
  world: World,
  session: string,
  review: ReviewState,
  given: Pick<ReviewResult, "status" | "comments" | "done">,
  by: string,
): Promise<Outcome | null> {
  const { id, name, version, commit } = review;
  let outcome: Outcome = {};
  const add = (): true | null => writeResult(world, session, review, { ...given, by });
  const created = await commitThenFinish(world, ["result", session, id], add, async () => {
    outcome = await doneOnApproval(world, session, id);
    await finishResult(world, session, id, outcome.undone);
  });
  if (created === null) return null;
  const { status } = given;
  const comment = firstLine(given.comments);
  const told = withoutUndefined({ id, status, reviewer: by, name, version, commit, comment });
  acted(world, { event: { type: "review:updated", part: by, sessionId: session, review: told } });
  return outcome;
}

/** The first line of a text, cut to what one line of a list holds; undefined where it says nothing. */
export const firstLine = (text: string | null): string | undefined => preview((text ?? "").trim().split("\n")[0] ?? "", LINE) || undefined;
const LINE = 120;
