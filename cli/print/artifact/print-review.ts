/** Prints for people: reviews. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { since, statusPaint } from "../task/board-words.ts";
import { plainLine } from "../words.ts";

interface Review {
  id: string;
  name: string;
  version: number;
  status: string;
  reviewer: string;
  requester: string;
  comments: string | null;
  created_at: number;
  origin?: string;
}

export const printRequestReview: Printer = ({ review_id, artifact_id }, style, { reviewer }) =>
  `${style.green("Asked")} ${plainLine(String(reviewer))} for ${review_id} of ${artifact_id}`;

export const printSubmitReview: Printer = ({ review }: { review: Review }, style) =>
  `Submitted ${review.id}: ${statusPaint(review.status, style)(review.status)}`;

export const printListReviews: Printer = ({ reviews }: { reviews: Review[] }, style) =>
  reviews.length === 0
    ? style.dim("No reviews.")
    : table(
        reviews.map(({ id, name, version, status, reviewer, requester, comments, created_at, origin }) => [
          { text: id, paint: style.yellow },
          { text: origin === undefined ? status : `${status} (${origin})`, paint: statusPaint(status, style) },
          { text: `${requester} → ${reviewer}`, paint: style.bold },
          since(created_at, style),
          `${plainLine(name)} v${version}${(comments ?? "") === "" ? "" : ` — ${plainLine(comments as string)}`}`,
        ]),
        style,
      );
