/** Reviews on disk, and the messages that go with them. spec/board.md, "Review". */
import type { Artifact } from "../../objects/artifact/artifact.ts";
import {
  formatResult,
  formatReview,
  isReviewId,
  parseResult,
  REVIEW_RANDOM,
  type Review,
  type ReviewResult,
  resultPath,
  reviewFolder,
  reviewId,
  reviewPath,
} from "../../objects/artifact/review.ts";
import { orElse, succeeds } from "../../objects/format/file-error.ts";
import { withoutUndefined } from "../../objects/format/frontmatter.ts";
import { threadId } from "../../objects/format/id.ts";
import { ambiguousId, refuse } from "../../refusal.ts";
import { names } from "../../store/read/list-folder.ts";
import { publish } from "../../store/write/publish.ts";
import { removeIf } from "../../store/write/remove-if.ts";
import { isReserved } from "../../store/write/reserve.ts";
import type { World } from "../../world.ts";
import { type Faults, noting } from "../broken-files.ts";
import { commitThenFinish } from "../commit-then-finish.ts";
import { tell } from "../feed.ts";
import { newThread } from "../message/post.ts";
import { noteHere } from "../note-origins.ts";
import { isSamePart } from "../part/members.ts";
import { readArtifact, recordOf } from "./artifacts.ts";
import { aheadOf } from "./commits.ts";
import { finishRequest, finishResult } from "./finish-review.ts";
import { REVIEW_BYTES, type ReviewState, readReview } from "./read-review.ts";

/** The version that somebody is to review. @throws Refusal `unknown_artifact`, `self_review` */
export function artifactToReview(world: World, session: string, given: string, reviewer: string): Artifact {
  const { artifact } = readArtifact(world, session, given);
  if (isSamePart(world, artifact.createdBy, reviewer)) throw refuse("self_review", { author: reviewer });
  return artifact;
}

/** Asks for a review of a version; the reviewer gets a message, in a thread that ends with the answer. */
export async function requestReview(world: World, session: string, found: Artifact, reviewer: string, requester: string): Promise<Review> {
  const id = reviewId(world.random(REVIEW_RANDOM));
  const at = new Date(world.now()).toISOString();
  const { name, version, task } = found;
  const thread = threadId(newThread(world));
  const review = withoutUndefined<Review>({ id, artifact: found.id, name, version, reviewer, requester, at, task, thread });
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

/**
 * Gives a review's result, once; the requester gets a message.
 * @param piece as `requireReview` takes it
 * @throws Refusal `unknown_review`, `ambiguous_id`, `not_the_reviewer`, `review_submitted`
 */
export async function submitReview(
  world: World,
  session: string,
  piece: string,
  given: Pick<ReviewResult, "status" | "comments" | "done">,
  by: string,
): Promise<ReviewState> {
  const review = requireReview(world, session, piece, by);
  const { id } = review;
  if (!isSamePart(world, review.reviewer, by)) throw refuse("not_the_reviewer", { reviewer: review.reviewer });
  const { status: _pending, comments: _none, ...request } = review;
  const result: ReviewResult = { ...given, by, at: new Date(world.now()).toISOString(), request };
  const { store } = world.home();
  const path = resultPath(session, id);
  const add = (): true | null => {
    // A result that cannot be read says nothing, so the first that can be read takes its place.
    if (!isReserved(store, path)) removeIf(store, path, REVIEW_BYTES, (bytes) => !succeeds(() => parseResult(String(bytes))));
    return publish(store, path, formatResult(result)) === "created" ? true : null;
  };
  const created =
    review.status === "pending" && (await commitThenFinish(world, ["result", session, id], add, () => finishResult(world, session, id)));
  if (created === true) noteHere(world, [path]);
  else throw refuse("review_submitted", { status: readReview(world, session, id)?.status ?? review.status });
  tell(world, {
    type: "review:updated",
    part: by,
    sessionId: session,
    review: withoutUndefined({ id, status: given.status, reviewer: by }),
  });
  return { ...review, reviewer: by, status: given.status, comments: given.comments };
}

/**
 * A review by its id, by a unique piece of that (its beginning, 3 characters or more), or by the name or the id of an artifact, of which a part was
 * asked for one review that is open.
 * @throws Refusal `unknown_review`, `ambiguous_id`, `malformed_file`
 */
function requireReview(world: World, session: string, given: string, by: string): ReviewState {
  const piece = given.toLowerCase().replace(/^review-/, "");
  const isPiece = /^[0-9a-z]{3,10}$/.test(piece);
  const ids = isPiece ? reviewIds(world, session).filter((id) => id.startsWith(piece, "review-".length)) : isReviewId(given) ? [given] : [];
  const found = ids.length > 0 ? ids : askedOf(world, session, given, by);
  if (found.length > 1) throw ambiguousId(given, found);
  const review = readReview(world, session, found[0] ?? given);
  if (review === null) throw refuse("unknown_review", { given });
  return review;
}

/** The open reviews of an artifact that a part was asked for. */
const askedOf = (world: World, session: string, given: string, by: string): string[] =>
  listReviews(world, session, [])
    .filter(
      ({ status, name, artifact, reviewer }) => status === "pending" && [name, artifact].includes(given) && isSamePart(world, reviewer, by),
    )
    .map(({ id }) => id);

const reviewIds = (world: World, session: string): string[] =>
  names(world.home().store, reviewFolder(session))
    .map((name) => name.replace(/\.md$/, ""))
    .filter(isReviewId);

/** Every review of a session, open ones first, then by time. @param faults gets those that cannot be read */
export function listReviews(world: World, session: string, faults: Faults): ReviewState[] {
  return reviewIds(world, session)
    .flatMap((id) => noting(faults, reviewPath(session, id), () => readReview(world, session, id, faults)) ?? [])
    .sort((a, b) => Number(a.status !== "pending") - Number(b.status !== "pending") || (a.at < b.at ? -1 : 1));
}

/**
 * Says of each artifact whose last approved version is about a commit that its branch has left: `Refund: approved 5e817e8, web is 2 ahead`.
 * @param task only artifacts of this task; undefined of all
 */
export async function approvedBehind(world: World, session: string, task?: string): Promise<string[]> {
  const latest = new Map<string, { id: string; version: number }>();
  for (const { status, name, artifact: id, version, task: of } of listReviews(world, session, [])) {
    if (status !== "approved" || (task !== undefined && of !== task) || (latest.get(name)?.version ?? 0) >= version) continue;
    latest.set(name, { id, version });
  }
  const said: string[] = [];
  for (const [name, { id }] of latest) {
    const artifact = orElse(null, () => recordOf(world, session, id));
    const ahead = artifact === null ? null : await aheadOf(world, artifact);
    if (artifact !== null && ahead !== null && ahead > 0)
      said.push(`${name}: approved ${artifact.commit?.slice(0, 7)}, ${artifact.branch} is ${ahead} ahead`);
  }
  return said;
}
