/** Reviews on disk, and the messages that go with them. SPEC.md, "Review". */
import { FILE_BYTES } from "../objects/file-bytes.ts";
import { withoutUndefined } from "../objects/message.ts";
import {
  formatResult,
  formatReview,
  isReviewId,
  parseResult,
  parseReview,
  REVIEW_RANDOM,
  type Review,
  type ReviewResult,
  type ReviewStatus,
  resultPath,
  reviewFolder,
  reviewId,
  reviewPath,
} from "../objects/review.ts";
import { refuse } from "../refusal.ts";
import { names, publish, readText } from "../store/files.ts";
import type { World } from "../world.ts";
import { readArtifact } from "./artifacts.ts";
import { tell } from "./feed.ts";
import { postToSession } from "./session-messages.ts";
import { mustRead } from "./threads.ts";

const REVIEW_BYTES = FILE_BYTES.review;

/** A review and what became of it. */
export interface ReviewState extends Review {
  status: ReviewStatus;
  comments: string | null;
}

/**
 * Asks for a review of a version; the reviewer gets a message.
 * @throws Refusal `unknown_artifact`, `self_review`
 */
export function requestReview(world: World, session: string, artifact: string, reviewer: string, requester: string): Review {
  const { artifact: found } = readArtifact(world, session, artifact);
  if (found.createdBy === reviewer) throw refuse("self_review", { author: reviewer });
  const id = reviewId(world.random(REVIEW_RANDOM));
  const at = new Date(world.now()).toISOString();
  const { name, version } = found;
  const review: Review = { id, artifact: found.id, name, version, reviewer, requester, at };
  publish(world.home().store, reviewPath(session, id), formatReview(review));
  postToSession(world, session, {
    from: requester,
    to: [reviewer],
    broadcast: false,
    subject: `Please review ${name}, version ${version}`.slice(0, 256),
    content: `Please review version ${version} of ${name} (${found.id}). Answer with submit_review, review_id ${id}.`,
    metadata: { review_id: id, artifact_id: found.id },
  });
  tell(world, {
    type: "review:requested",
    part: requester,
    sessionId: session,
    review: { id, artifact_id: found.id, reviewer, requester },
  });
  return review;
}

/** A review with what became of it; null when there is none. @throws Refusal `malformed_file` */
export function readReview(world: World, session: string, id: string): ReviewState | null {
  const { store } = world.home();
  if (!isReviewId(id)) return null;
  const source = readText(store, reviewPath(session, id), REVIEW_BYTES);
  if (source === null) return null;
  const review = mustRead(reviewPath(session, id), () => parseReview(source));
  const answer = readText(store, resultPath(session, id), REVIEW_BYTES);
  const result = answer === null ? null : mustRead(resultPath(session, id), () => parseResult(answer));
  return { ...review, status: result?.status ?? "pending", comments: result === null ? null : result.comments };
}

/**
 * Gives a review's result, once; the requester gets a message.
 * @throws Refusal `unknown_review`, `not_the_reviewer`, `review_submitted`
 */
export function submitReview(
  world: World,
  session: string,
  id: string,
  given: Pick<ReviewResult, "status" | "comments">,
  by: string,
): ReviewState {
  const review = readReview(world, session, id);
  if (review === null) throw refuse("unknown_review", { given: id });
  if (review.reviewer !== by) throw refuse("not_the_reviewer", { reviewer: review.reviewer });
  const result: ReviewResult = { ...given, by, at: new Date(world.now()).toISOString() };
  const created = review.status === "pending" && publish(world.home().store, resultPath(session, id), formatResult(result)) === "created";
  if (!created) throw refuse("review_submitted", { status: readReview(world, session, id)?.status ?? review.status });
  const words = given.status === "approved" ? "approved" : "asks for changes to";
  postToSession(world, session, {
    from: by,
    to: [review.requester],
    broadcast: false,
    subject: `${by} ${words} ${review.name}, version ${review.version}`.slice(0, 256),
    content: given.comments === "" ? `${given.status} (${id})` : given.comments,
    metadata: { review_id: id, artifact_id: review.artifact, status: given.status },
  });
  tell(world, {
    type: "review:updated",
    part: by,
    sessionId: session,
    review: withoutUndefined({ id, status: given.status, reviewer: by }),
  });
  return { ...review, status: given.status, comments: given.comments };
}

/** Every review of a session, open ones first, then by time. */
export function listReviews(world: World, session: string): ReviewState[] {
  return names(world.home().store, reviewFolder(session))
    .flatMap((name) => readReview(world, session, name.replace(/\.md$/, "")) ?? [])
    .sort((a, b) => Number(a.status !== "pending") - Number(b.status !== "pending") || (a.at < b.at ? -1 : 1));
}
