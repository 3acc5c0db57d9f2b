/** Prints for people: reviews. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { since, statusPaint } from "../task/board-words.ts";
import { plainLine } from "../words.ts";
import { atCommit } from "./print-artifact.ts";

/** Who was asked to review what. */
export const printRequestReview: Printer<"request_review"> = ({ review_id, artifact_id, more }, style, { reviewer }) =>
  `${style.green("Asked")} ${plainLine(String(reviewer))} for ${[review_id, ...(more ?? [])].join(", ")} of ${artifact_id}`;

/** What a review came to. */
export const printSubmitReview: Printer<"submit_review"> = ({ review }, style) =>
  `Submitted ${review.id}: ${statusPaint(review.status, style)(review.status)}`;

/** Reviews, a line each, without comments: id, state, who asked whom, and the artifact. */
export const printListReviews: Printer<"list_reviews"> = ({ reviews }, style) =>
  reviews.length === 0
    ? style.dim("No reviews.")
    : table(
        reviews.map(({ id, name, version, status, reviewer, requester, created_at, origin, commit, branch, ahead }) => [
          { text: id, paint: style.yellow },
          { text: origin === undefined ? status : `${status} (${origin})`, paint: statusPaint(status, style) },
          { text: `${requester} → ${reviewer}`, paint: style.bold },
          since(created_at, style),
          `${plainLine(name)} v${version}${atCommit(commit, branch, ahead)}`,
        ]),
        style,
      );
