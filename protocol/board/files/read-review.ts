/** Reading a review as it lies on the disk. spec/board.md, "Review". */

import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, mustRead, noting } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import {
  isReviewId,
  parseResult,
  parseReview,
  type Review,
  type ReviewStatus,
  resultPath,
  reviewFolder,
  reviewPath,
} from "../nouns/review.ts";

/** A review and what became of it. */
export interface ReviewState extends Review {
  status: ReviewStatus;
  comments: string | null;
  /** Who ended it. */
  by?: string;
  /** Whether the reviewer says that the task is done with it. */
  done?: boolean;
}

/**
 * A review with what became of it; null when there is none. A result that cannot be read says nothing.
 * @param faults gets a result that cannot be read
 * @throws Refusal `malformed_file`
 */
export function readReview(world: World, session: string, id: string, faults: Faults = []): ReviewState | null {
  const { store } = world.home();
  if (!isReviewId(id)) return null;
  const source = readText(store, reviewPath(session, id), REVIEW_BYTES);
  if (source === null) return null;
  const review = mustRead(reviewPath(session, id), () => parseReview(source));
  const result = noting(faults, resultPath(session, id), () => {
    const answer = readText(store, resultPath(session, id), REVIEW_BYTES);
    return answer === null ? null : parseResult(answer);
  });
  return {
    ...review,
    status: result?.status ?? "pending",
    comments: result === null ? null : result.comments,
    ...(result === null ? {} : { by: result.by }),
    ...(result?.done === true ? { done: true } : {}),
  };
}

/** Bytes that a review has at the most. */
export const REVIEW_BYTES = FILE_BYTES.review;

/** The ids of a session's reviews, in no order; from the names alone. */
export const reviewIds = (world: World, session: string): string[] =>
  names(world.home().store, reviewFolder(session))
    .map((name) => name.replace(/\.md$/, ""))
    .filter(isReviewId);

/** The commits of other work that were approved, or are under review: what a commit has of these is reviewed there. */
export const commitsBeside = (reviews: readonly ReviewState[], { name, task }: { name: string; task?: string | undefined }): string[] =>
  reviews.flatMap(({ status, commit, ...each }) => {
    const isSame = each.name === name || (task !== undefined && each.task === task);
    return isSame || commit === undefined || !["pending", "approved"].includes(status) ? [] : [commit];
  });

/** Every review of a session, open ones first, then by time. @param faults gets those that cannot be read */
export function listReviews(world: World, session: string, faults: Faults): ReviewState[] {
  return reviewIds(world, session)
    .flatMap((id) => noting(faults, reviewPath(session, id), () => readReview(world, session, id, faults)) ?? [])
    .sort((a, b) => Number(a.status !== "pending") - Number(b.status !== "pending") || (a.at < b.at ? -1 : 1));
}
