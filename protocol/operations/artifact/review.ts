import * as z from "zod/mini";
import { teamIds } from "../../home/agent/agents.ts";
import { artifactToReview, listReviews, type ReviewState, requestReview, submitReview } from "../../home/artifact/reviews.ts";
import { originsOf } from "../../home/origin.ts";
import { enter, isMember, madeGuestWarning, makeGuest, requireDistinct, requirePartId } from "../../home/part/parts.ts";
import { nameNow, namesOf } from "../../home/part/same-part.ts";
import { currentSession, findSession } from "../../home/session/sessions.ts";
import type { Faults as FaultList } from "../../home/thread/threads.ts";
import { REVIEW_RESULTS, resultPath } from "../../objects/artifact/review.ts";
import { flag, LIMITS, maybe, text } from "../../objects/format/schema.ts";
import { broughtField } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { AgentId, Faults, SessionId, withFaults } from "../shapes.ts";

const shared = { home: true, effect: "write", idempotent: false } as const;

/** Asks for a review. */
export const requestReviewOperation = defineOperation({
  ...shared,
  name: "request_review",
  tool: { name: "request_review", group: "board" },
  command: "review request",
  summary: "Ask somebody to review a version of an artifact",
  when: "Ask another agent to review what you posted.",
  identity: "writer",
  positionals: ["artifact_id", "reviewer"],
  input: () => z.object({ artifact_id: z.string(), reviewer: AgentId("who shall review"), session_id: SessionId }),
  output: () => z.object({ review_id: z.string(), artifact_id: z.string(), version: z.number(), warning: maybe(z.string()) }),
  example: { artifact_id: "artifact-2c26b46b68ff-1", reviewer: "api" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const { reviewer } = input;
    const artifact = artifactToReview(world, session, input.artifact_id, reviewer);
    // Reviewers are often started by the request: one that is not there yet is a guest from now on, and reads it then.
    const joins = !isMember(world, reviewer) && reviewer !== caller.part;
    if (joins) requireDistinct(world, reviewer);
    const warning = joins ? madeGuestWarning(world, reviewer, teamIds(world, session)) : undefined;
    enter(world, session, caller.part);
    if (joins) makeGuest(world, reviewer, session);
    const review = await requestReview(world, session, artifact, reviewer, caller.part);
    const answer = { review_id: review.id, artifact_id: review.artifact, version: review.version };
    return warning === undefined ? answer : { ...answer, warning };
  },
});

const Shown = z.object({
  id: z.string(),
  artifact_id: z.string(),
  name: z.string(),
  version: z.number(),
  status: z.string(),
  reviewer: z.string(),
  requester: z.string(),
  comments: z.nullable(z.string()),
  /** Of the result, where a sync brought it. */
  origin: z.optional(z.string()),
  created_at: z.number(),
});

/** A review as answers show it: whom it concerns by their names of now. */
function shown(world: World, review: ReviewState): z.infer<typeof Shown> {
  const { id, artifact, name, version, status, reviewer, requester, comments, at } = review;
  return {
    id,
    artifact_id: artifact,
    name,
    version,
    status,
    reviewer: nameNow(world, reviewer),
    requester: nameNow(world, requester),
    comments,
    created_at: Math.floor(Date.parse(at) / 1_000),
  };
}

/** Gives the result of a review. */
export const submitReviewOperation = defineOperation({
  ...shared,
  name: "submit_review",
  tool: { name: "submit_review", group: "board" },
  command: "review submit",
  summary: "Approve, or ask for changes (with comments)",
  when: "Answer a review that you were asked for.",
  identity: "writer",
  positionals: ["review_id", "status", "comments"],
  input: () =>
    z.object({
      review_id: z.string(),
      status: z.enum(REVIEW_RESULTS),
      comments: maybe(text(LIMITS.reviewComments, "needed with changes_requested")),
      session_id: SessionId,
    }),
  output: () => z.object({ review: Shown }),
  example: { review_id: "review-k3f9x2ab7q", status: "approved" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const comments = input.comments ?? "";
    if (input.status === "changes_requested" && comments.trim() === "") {
      throw refuse("invalid_argument", {
        argument: "comments",
        expected: "what should change (it is required with changes_requested)",
        given: input.comments,
        example: "The empty password is accepted.",
      });
    }
    return { review: shown(world, await submitReview(world, session, input.review_id, { status: input.status, comments }, caller.part)) };
  },
});

/** Lists the reviews of a session. */
export const listReviewsOperation = defineOperation({
  ...shared,
  name: "list_reviews",
  tool: { name: "list_reviews", group: "board" },
  command: "review list",
  summary: "List reviews, open ones first",
  when: "See which reviews are open.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  positionals: [],
  input: () => z.object({ open: flag("only open ones"), reviewer: maybe(AgentId("only theirs")), session_id: SessionId }),
  output: () => z.object({ reviews: z.array(Shown), problems: Faults }),
  example: { open: true },
  async run(world, input) {
    const session = findSession(world, input.session_id);
    if (input.reviewer !== undefined) requirePartId(input.reviewer);
    const problems: FaultList = [];
    const names = input.reviewer === undefined ? [] : namesOf(world, input.reviewer);
    const reviews = session === null ? [] : listReviews(world, session, problems);
    const wanted = reviews.filter(
      ({ status, reviewer }) => (input.open !== true || status === "pending") && (input.reviewer === undefined || names.includes(reviewer)),
    );
    const originOf = originsOf(world);
    const withOrigin = (review: ReviewState): z.infer<typeof Shown> => ({
      ...shown(world, review),
      ...(review.status === "pending" ? {} : broughtField(originOf(resultPath(session as string, review.id)))),
    });
    return withFaults({ reviews: wanted.map(withOrigin) }, problems);
  },
});
