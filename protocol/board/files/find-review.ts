/** Finding a review by what a caller says of it. spec/board.md, "Review". */

import { nearestIds, nearestOf } from "../../core/names.ts";
import { ambiguousId, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isSamePart, nameNow } from "../../mail/files/members.ts";
import { isReviewId } from "../nouns/review.ts";
import { listReviews, type ReviewState, readReview, reviewIds } from "./read-review.ts";

/**
 * A review by its id, by a unique piece of that (its beginning, 3 characters or more), by the name or the id of an artifact, or by a task.
 * @param by of an artifact or a task the review of its latest version that this part was asked for, an open one first; undefined means the latest of all
 * @throws Refusal `unknown_review`, `ambiguous_id`, `malformed_file`
 */
export function requireReview(world: World, session: string, given: string, by?: string): ReviewState {
  const piece = given.toLowerCase().replace(/^review-/, "");
  const isPiece = /^[0-9a-z]{3,10}$/.test(piece);
  const ids = isPiece ? reviewIds(world, session).filter((id) => id.startsWith(piece, "review-".length)) : isReviewId(given) ? [given] : [];
  const found = ids.length > 0 ? ids : reviewOf(world, session, given, by);
  if (found.length > 1) throw ambiguousId(given, found);
  const review = readReview(world, session, found[0] ?? given);
  if (review !== null) return review;
  const all = listReviews(world, session, []);
  const close = new Set([
    ...nearestIds(piece, reviewIds(world, session), "review-".length),
    ...nearestOf(given, all, ({ name }) => name).map(({ id }) => id),
  ]);
  const near = [...close].map((id) => `${id} ${JSON.stringify(all.find((each) => each.id === id)?.name ?? "")}`).slice(0, 2);
  throw refuse("unknown_review", { given, nearest: near });
}

/** Characters of a task's id that name it. */
const TASK_PIECE = 4;

/** The review that an artifact or a task means, where there is one. */
function reviewOf(world: World, session: string, given: string, by: string | undefined): string[] {
  const piece = given.toLowerCase().replace(/^task-/, "");
  const isOf = (task = ""): boolean => piece.length >= TASK_PIECE && task.startsWith(piece, "task-".length);
  const all = listReviews(world, session, []).filter(({ name, artifact, task }) => [name, artifact].includes(given) || isOf(task));
  const own = by === undefined ? all : all.filter(({ reviewer }) => isSamePart(world, reviewer, by));
  const open = by === undefined ? all : own.filter(({ status }) => status === "pending");
  // Of what is over, or asked of others, the refusal says so.
  const meant = open.length > 0 ? open : own.length > 0 ? own : all;
  const isAnswered = ({ status }: ReviewState): number => (status === "withdrawn" ? 0 : 1);
  const last = meant.sort((a, b) => a.version - b.version || isAnswered(a) - isAnswered(b) || (a.at < b.at ? -1 : 1)).at(-1);
  return last === undefined ? [] : [last.id];
}

/** Data of a refusal about a review that ended: its result, and its artifact and reviewer; of a withdrawn one the reason. */
export const ended = (
  world: World,
  { status, comments, name, reviewer }: ReviewState,
): { status: string; why?: string; name?: string; reviewer?: string } =>
  status !== "withdrawn" ? { status, name, reviewer: nameNow(world, reviewer) } : { status, ...(comments ? { why: comments } : {}) };
