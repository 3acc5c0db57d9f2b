/** Reviews: a request, and one result that is created exclusively. spec/board.md, "Review". */
import * as z from "zod/mini";
import { formatFrontmatter, headerError, parseFrontmatter } from "../format/frontmatter.ts";
import { sessionFolder } from "../session/session.ts";

/** What a review can come to. */
export const REVIEW_RESULTS = ["approved", "changes_requested"] as const;
/** What a review came to; `pending` while it is open. */
export type ReviewStatus = "pending" | (typeof REVIEW_RESULTS)[number];

/** A request for a review of one version of an artifact. `at` is ISO 8601. */
export interface Review {
  id: string;
  artifact: string;
  name: string;
  version: number;
  reviewer: string;
  requester: string;
  at: string;
}

/** What a review came to. */
export interface ReviewResult {
  status: (typeof REVIEW_RESULTS)[number];
  by: string;
  at: string;
  comments: string;
}

const ID = /^review-[0-9a-hjkmnp-tv-z]{10}$/;
/** Random characters of a review's id. */
export const REVIEW_RANDOM = 10;

/** `review-<random>`. */
export const reviewId = (random: string): string => `review-${random}`;
/** Whether a text is the id of a review. */
export const isReviewId = (text: string): boolean => ID.test(text);
/** Where the reviews of a session lie. */
export const reviewFolder = (session: string): string => `${sessionFolder(session)}/reviews`;
/** Where a request lies. */
export const reviewPath = (session: string, id: string): string => `${reviewFolder(session)}/${id}.md`;
/** Where its result lies. */
export const resultPath = (session: string, id: string): string => `${reviewFolder(session)}/${id}.result.md`;

const ReviewHeader = z.looseObject({
  id: z.string(),
  artifact_id: z.string(),
  name: z.string(),
  version: z.int(),
  reviewer: z.string(),
  requester: z.string(),
  at: z.string(),
});
const ResultHeader = z.looseObject({ status: z.enum(REVIEW_RESULTS), by: z.string(), at: z.string() });

/** Writes a request. */
export const formatReview = ({ id, artifact, name, version, reviewer, requester, at }: Review): string =>
  formatFrontmatter({ id, artifact_id: artifact, name, version, reviewer, requester, at }, "");

/** Writes a result. */
export const formatResult = ({ status, by, at, comments }: ReviewResult): string => formatFrontmatter({ status, by, at }, comments);

/** Reads a request. @throws FileError, with the line */
export function parseReview(source: string): Review {
  const { artifact_id: artifact, id, name, version, reviewer, requester, at } = parsed(source, ReviewHeader).fields;
  return { id, artifact, name, version, reviewer, requester, at };
}

/** Reads a result. @throws FileError, with the line */
export function parseResult(source: string): ReviewResult {
  const { fields, body } = parsed(source, ResultHeader);
  return { status: fields.status, by: fields.by, at: fields.at, comments: body };
}

function parsed<T extends z.ZodMiniType>(source: string, schema: T): { fields: z.infer<T>; body: string } {
  const { header, body } = parseFrontmatter(source);
  const result = schema.safeParse(header);
  if (result.success) return { fields: result.data, body };
  throw headerError(source, header, result.error.issues);
}
