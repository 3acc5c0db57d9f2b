/** Reviews: a request, and one result that is created exclusively. spec/board.md, "Review". */
import * as z from "zod/mini";
import { formatFrontmatter, headerError, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { timeOfFile } from "../../core/format/schema.ts";
import { COMMIT } from "./artifact.ts";
import { sessionFolder } from "./session.ts";

/** What a reviewer can say. */
export const REVIEW_RESULTS = ["approved", "changes_requested"] as const;
/** How a review can end. */
const REVIEW_ENDS = [...REVIEW_RESULTS, "withdrawn"] as const;
/** What a review came to; `pending` while it is open. */
export type ReviewStatus = "pending" | (typeof REVIEW_ENDS)[number];

/** A request for a review of one version of an artifact. `at` is ISO 8601. */
export interface Review {
  id: string;
  artifact: string;
  name: string;
  version: number;
  reviewer: string;
  requester: string;
  at: string;
  /** The thread of the request and of its answer. */
  thread?: string | undefined;
  /** The task that the artifact was made for. */
  task?: string | undefined;
  /** The commit of the code that the version is about. */
  commit?: string | undefined;
}

/** What a review came to. */
export interface ReviewResult {
  status: (typeof REVIEW_ENDS)[number];
  by: string;
  at: string;
  comments: string;
  /** Whether the reviewer says that the task is done with it. */
  done?: boolean | undefined;
  /** What was asked, so that the file of the result tells all. */
  request?: Review | undefined;
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

const ASKED = {
  id: z.string(),
  artifact_id: z.string(),
  name: z.string(),
  version: z.int(),
  reviewer: z.string(),
  requester: z.string(),
  task_id: z.optional(z.string()),
  thread_id: z.optional(z.string()),
  commit: z.optional(z.string().check(z.regex(COMMIT))),
};
const ReviewHeader = z.looseObject({ ...ASKED, at: timeOfFile() });
const ResultHeader = z.looseObject({ status: z.enum(REVIEW_ENDS), by: z.string(), at: timeOfFile(), done: z.optional(z.boolean()) });
/** The header of a result that repeats its request. */
const RepeatedHeader = z.looseObject({ ...ASKED, requested_at: timeOfFile() });

const asked = ({ id, artifact, name, version, reviewer, requester, task, thread, commit }: Omit<Review, "at">) => ({
  id,
  artifact_id: artifact,
  name,
  version,
  reviewer,
  requester,
  task_id: task,
  thread_id: thread,
  commit,
});

/** Writes a request. */
export const formatReview = (review: Review): string => formatFrontmatter({ ...asked(review), at: review.at }, "");

/** Writes a result, and what was asked. */
export function formatResult({ status, by, at, comments, done, request }: ReviewResult): string {
  const repeated = request === undefined ? {} : { ...asked(request), requested_at: request.at };
  return formatFrontmatter({ ...repeated, status, by, at, done }, comments);
}

const reviewOf = (fields: z.infer<z.ZodMiniObject<typeof ASKED>>, at: string): Review => {
  const { artifact_id: artifact, id, name, version, reviewer, requester, task_id: task, thread_id: thread, commit } = fields;
  return withoutUndefined({ id, artifact, name, version, reviewer, requester, at, task, thread, commit });
};

/** Reads a request. @throws FileError, with the line */
export function parseReview(source: string): Review {
  const { fields } = parsed(source, ReviewHeader);
  return reviewOf(fields, fields.at);
}

/** Reads a result. @throws FileError, with the line */
export function parseResult(source: string): ReviewResult {
  const { fields, body } = parsed(source, ResultHeader);
  // Of an earlier version, or of a person, that says only what came of it.
  const repeated = RepeatedHeader.safeParse(fields);
  const request = repeated.success ? reviewOf(repeated.data, repeated.data.requested_at) : undefined;
  return withoutUndefined({ status: fields.status, by: fields.by, at: fields.at, comments: body, done: fields.done, request });
}

function parsed<T extends z.ZodMiniType>(source: string, schema: T): { fields: z.infer<T>; body: string } {
  const { header, body } = parseFrontmatter(source);
  const result = schema.safeParse(header);
  if (result.success) return { fields: result.data, body };
  throw headerError(source, header, result.error.issues);
}
