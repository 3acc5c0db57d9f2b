/** Prints for people: reviews. */
import type { Printer } from "../style.ts";
import { boundedTable } from "../table.ts";
import { plain, plainLine, short } from "../words.ts";
import { since, statusPaint, when } from "./board-words.ts";
import { atCommit } from "./print-artifact.ts";

/** Who was asked to review what. */
export const printRequestReview: Printer<"request_review"> = ({ review_id, artifact_id, more }, style, { reviewer }) =>
  `${style.green("Asked")} ${plainLine(String(reviewer))} for review ${[review_id, ...(more ?? [])].map(short).join(", ")} of ${short(artifact_id)}`;

/** What a review came to. */
export const printSubmitReview: Printer<"submit_review"> = ({ review, done, unmerged = [] }, style) =>
  [
    `Submitted ${short(review.id)}: ${statusPaint(review.status, style)(review.status)}${done === undefined ? "" : `, and ${short(done)} is done`}`,
    ...unmerged.map((each) => `Approved, not merged: ${plainLine(each)}.`),
  ].join("\n");

/** The reviews that were withdrawn. */
export const printWithdrawReview: Printer<"withdraw_review"> = ({ withdrawn, done }, style) =>
  `${style.green("Withdrew")} ${withdrawn.map(short).join(", ")}${done === undefined ? "" : `; ${short(done)} is done, as approved before`}`;

/** One review, with its comments and how to read its code. */
export const printShowReview: Printer<"show_review"> = ({ review, read, said, path }, style) => {
  const { id, name, version, status, reviewer, requester, created_at, comments, commit, branch, ahead } = review;
  const asked = `${plainLine(requester)} asked ${plainLine(reviewer)} ${when(created_at, style)}`;
  return [
    `${style.bold(`${plainLine(name)} v${version}`)}${atCommit(commit, branch, ahead)}: ${statusPaint(status, style)(status)}  ${style.dim(`${short(id)}, ${asked}`)}`,
    ...[read, path].flatMap((each) => (each === undefined ? [] : [`Read it: ${plainLine(each)}`])),
    ...(said === undefined ? [] : [plain(said).replace(/^/gm, "  ")]),
    ...(comments === null || comments === "" ? [] : ["", plain(comments).trimEnd()]),
  ].join("\n");
};

/** Reviews, a line each, without comments: id, state, who asked whom, and the artifact. */
export const printListReviews: Printer<"list_reviews"> = ({ reviews }, style) =>
  reviews.length === 0
    ? style.dim("No reviews.")
    : boundedTable(
        reviews.map(({ id, name, version, status, reviewer, requester, created_at, origin, commit, branch, ahead }) => [
          { text: short(id), paint: style.yellow },
          { text: origin === undefined ? status : `${status} (${origin})`, paint: statusPaint(status, style) },
          { text: `${requester} → ${reviewer}`, paint: style.bold },
          since(created_at, style),
          `${plainLine(name)} v${version}${atCommit(commit, branch, ahead)}`,
        ]),
        style,
      );
