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
  reviewId,
  reviewPath,
} from "../../objects/artifact/review.ts";
import { orElse, succeeds } from "../../objects/format/file-error.ts";
import { withoutUndefined } from "../../objects/format/frontmatter.ts";
import { parseThreadId, threadId } from "../../objects/format/id.ts";
import { preview } from "../../objects/message/message.ts";
import { ambiguousId, refuse } from "../../refusal.ts";
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
import { messageKeys } from "../thread/threads.ts";
import { readArtifact, recordOf } from "./artifacts.ts";
import { commitState } from "./commits.ts";
import { finishRequest, finishResult } from "./finish-review.ts";
import { REVIEW_BYTES, type ReviewState, readReview, reviewIds } from "./read-review.ts";

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
  const { name, version, task, commit } = found;
  // One thread for all that a part says of an artifact.
  const earlier = listReviews(world, session, []).filter((each) => each.name === name && isSamePart(world, each.reviewer, reviewer));
  const thread = earlier.map((each) => each.thread).findLast((each) => isThere(world, each)) ?? threadId(newThread(world));
  const review = withoutUndefined<Review>({ id, artifact: found.id, name, version, reviewer, requester, at, task, thread, commit });
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

/** Whether a thread goes on: one that was archived does not. */
const isThere = (world: World, thread: string | undefined): boolean => {
  const location = parseThreadId(thread ?? "");
  return location !== null && messageKeys(world.home().store, location).length > 0;
};

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
    review: withoutUndefined({
      ...{ id, status: given.status, reviewer: by, name: review.name, version: review.version, commit: review.commit },
      comment: firstLine(given.comments),
    }),
  });
  return { ...review, reviewer: by, status: given.status, comments: given.comments };
}

/** The first line of a text, cut to what one line of a list holds; undefined where it says nothing. */
export const firstLine = (text: string | null): string | undefined => preview((text ?? "").trim().split("\n")[0] ?? "", LINE) || undefined;
const LINE = 120;

/**
 * A review by its id, by a unique piece of that (its beginning, 3 characters or more), or by the name or the id of an artifact.
 * @param by of an artifact the one open review that this part was asked for; undefined means the latest one of all
 * @throws Refusal `unknown_review`, `ambiguous_id`, `malformed_file`
 */
export function requireReview(world: World, session: string, given: string, by?: string): ReviewState {
  const piece = given.toLowerCase().replace(/^review-/, "");
  const isPiece = /^[0-9a-z]{3,10}$/.test(piece);
  const ids = isPiece ? reviewIds(world, session).filter((id) => id.startsWith(piece, "review-".length)) : isReviewId(given) ? [given] : [];
  const found = ids.length > 0 ? ids : reviewsOf(world, session, given, by);
  if (found.length > 1) throw ambiguousId(given, found);
  const review = readReview(world, session, found[0] ?? given);
  if (review === null) throw refuse("unknown_review", { given });
  return review;
}

/** The reviews that an artifact means: the open ones that a part was asked for, or the latest one. */
function reviewsOf(world: World, session: string, given: string, by: string | undefined): string[] {
  const all = listReviews(world, session, []).filter(({ name, artifact }) => [name, artifact].includes(given));
  if (by === undefined) return all.sort((a, b) => (a.at < b.at ? -1 : 1)).flatMap(({ id }, at) => (at === all.length - 1 ? [id] : []));
  return all.flatMap(({ id, status, reviewer }) => (status === "pending" && isSamePart(world, reviewer, by) ? [id] : []));
}

/** Every review of a session, open ones first, then by time. @param faults gets those that cannot be read */
export function listReviews(world: World, session: string, faults: Faults): ReviewState[] {
  return reviewIds(world, session)
    .flatMap((id) => noting(faults, reviewPath(session, id), () => readReview(world, session, id, faults)) ?? [])
    .sort((a, b) => Number(a.status !== "pending") - Number(b.status !== "pending") || (a.at < b.at ? -1 : 1));
}

/**
 * Says of each artifact whose last approved version is about a commit that its branch has left what to do.
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
    const { ahead } = artifact === null ? {} : await commitState(world, artifact);
    const commit = artifact?.commit?.slice(0, 7);
    if (ahead !== undefined)
      said.push(`${name}: approved ${commit}, ${artifact?.branch} is ${ahead} ahead; submit it again, or merge ${commit} alone`);
  }
  return said;
}
