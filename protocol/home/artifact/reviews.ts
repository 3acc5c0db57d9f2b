/** Reviews on disk, and the messages that go with them. spec/board.md, "Review". */
import type { Artifact } from "../../objects/artifact/artifact.ts";
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
} from "../../objects/artifact/review.ts";
import { withoutUndefined } from "../../objects/format/header.ts";
import { FILE_BYTES } from "../../objects/format/size-limits.ts";
import { ambiguousId, refuse } from "../../refusal.ts";
import { publish } from "../../store/files.ts";
import { names, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { commitThenFinish } from "../commit-then-finish.ts";
import { tell } from "../feed.ts";
import { postOnce } from "../message/session-messages.ts";
import { noteHere } from "../origin.ts";
import { currentName } from "../part/members.ts";
import { isSamePart, nameNow } from "../part/same-part.ts";
import { type Faults, mustRead, noting } from "../thread/threads.ts";
import { readArtifact } from "./artifacts.ts";

const REVIEW_BYTES = FILE_BYTES.review;

/** A review and what became of it. */
export interface ReviewState extends Review {
  status: ReviewStatus;
  comments: string | null;
}

/** The version that somebody is to review. @throws Refusal `unknown_artifact`, `self_review` */
export function artifactToReview(world: World, session: string, given: string, reviewer: string): Artifact {
  const { artifact } = readArtifact(world, session, given);
  if (isSamePart(world, artifact.createdBy, reviewer)) throw refuse("self_review", { author: reviewer });
  return artifact;
}

/** Asks for a review of a version; the reviewer gets a message. */
export async function requestReview(world: World, session: string, found: Artifact, reviewer: string, requester: string): Promise<Review> {
  const id = reviewId(world.random(REVIEW_RANDOM));
  const at = new Date(world.now()).toISOString();
  const { name, version } = found;
  const review: Review = { id, artifact: found.id, name, version, reviewer, requester, at };
  const add = (): true | null => (publish(world.home().store, reviewPath(session, id), formatReview(review)) === "created" ? true : null);
  await commitThenFinish(world, ["review", session, id], add, () => finishRequest(world, session, id));
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
 * @throws Refusal `unknown_review`, `ambiguous_id`, `not_the_reviewer`, `review_submitted`
 */
export async function submitReview(
  world: World,
  session: string,
  piece: string,
  given: Pick<ReviewResult, "status" | "comments">,
  by: string,
): Promise<ReviewState> {
  const review = requireReview(world, session, piece);
  const { id } = review;
  if (!isSamePart(world, review.reviewer, by)) throw refuse("not_the_reviewer", { reviewer: review.reviewer });
  const result: ReviewResult = { ...given, by, at: new Date(world.now()).toISOString() };
  const add = (): true | null => (publish(world.home().store, resultPath(session, id), formatResult(result)) === "created" ? true : null);
  const created =
    review.status === "pending" && (await commitThenFinish(world, ["result", session, id], add, () => finishResult(world, session, id)));
  if (created === true) noteHere(world, [resultPath(session, id)]);
  else throw refuse("review_submitted", { status: readReview(world, session, id)?.status ?? review.status });
  tell(world, {
    type: "review:updated",
    part: by,
    sessionId: session,
    review: withoutUndefined({ id, status: given.status, reviewer: by }),
  });
  return { ...review, reviewer: by, status: given.status, comments: given.comments };
}

/** Sends a reviewer the request, once. */
export function finishRequest(world: World, session: string, id: string): void {
  const review = readReview(world, session, id);
  if (review === null) return;
  const { requester, name, version, artifact } = review;
  // Who is no part any more gets no mail, and has no inbox.
  const reviewer = currentName(world, review.reviewer);
  if (reviewer === null) return;
  postOnce(
    world,
    session,
    { operation: "review", key: `request ${id}` },
    {
      from: nameNow(world, requester),
      to: [reviewer],
      broadcast: false,
      subject: `Please review ${name}, version ${version}`.slice(0, 256),
      content: `Please review version ${version} of ${name} (${artifact}). Answer with submit_review, review_id ${id} (on a command line: relay review submit ${id} approved, or changes_requested).`,
      metadata: { review_id: id, artifact_id: artifact },
    },
  );
}

/** Sends the requester of a review its result, once. */
export function finishResult(world: World, session: string, id: string): void {
  const review = readReview(world, session, id);
  if (review === null || review.status === "pending") return;
  const { name, version, artifact, status, comments } = review;
  const reviewer = nameNow(world, review.reviewer);
  const requester = currentName(world, review.requester);
  if (requester === null) return;
  postOnce(
    world,
    session,
    { operation: "review", key: `result ${id}` },
    {
      from: reviewer,
      to: [requester],
      broadcast: false,
      subject: `${reviewer} ${status === "approved" ? "approved" : "asks for changes to"} ${name}, version ${version}`.slice(0, 256),
      content: comments === null || comments === "" ? `${status} (${id})` : comments,
      metadata: { review_id: id, artifact_id: artifact, status },
    },
  );
}

/** A review by its id, or a unique beginning of it (3 characters or more). @throws Refusal `unknown_review`, `ambiguous_id`, `malformed_file` */
function requireReview(world: World, session: string, given: string): ReviewState {
  const piece = given.toLowerCase().replace(/^review-/, "");
  const found = /^[0-9a-z]{3,9}$/.test(piece) ? reviewIds(world, session).filter((id) => id.startsWith(piece, "review-".length)) : [given];
  if (found.length > 1) throw ambiguousId(given, found);
  const review = readReview(world, session, found[0] ?? given);
  if (review === null) throw refuse("unknown_review", { given });
  return review;
}

const reviewIds = (world: World, session: string): string[] =>
  names(world.home().store, reviewFolder(session))
    .map((name) => name.replace(/\.md$/, ""))
    .filter(isReviewId);

/** Every review of a session, open ones first, then by time. @param faults gets those that cannot be read */
export function listReviews(world: World, session: string, faults: Faults): ReviewState[] {
  return reviewIds(world, session)
    .flatMap((id) => noting(faults, reviewPath(session, id), () => readReview(world, session, id)) ?? [])
    .sort((a, b) => Number(a.status !== "pending") - Number(b.status !== "pending") || (a.at < b.at ? -1 : 1));
}
