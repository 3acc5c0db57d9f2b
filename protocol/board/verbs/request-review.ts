import * as z from "zod/mini";
import { maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { AgentId, SessionId } from "../../core/shapes.ts";
import { currentSession } from "../files/sessions.ts";
import { askReviewers, severalOf } from "./ask-reviewers.ts";

/** Asks for a review. */
export const request_review = defineOperation({
  name: "request_review",
  tool: "board",
  command: "review request",
  summary: "Ask parts (api,docs) to review a version of an artifact",
  when: "Ask others to review what you posted.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["artifact_id", "reviewer"],
  input: () => ({
    artifact_id: z.string().check(z.describe("id or name")),
    reviewer: AgentId("one or several, with commas"),
    session_id: SessionId,
  }),
  output: () => ({
    review_id: z.string(),
    artifact_id: z.string(),
    version: z.number(),
    /** The reviews of the others, where several were asked. */
    more: maybe(z.array(z.string())),
    warning: maybe(z.string()),
  }),
  example: { artifact_id: "artifact-2c26b46b68ff-1", reviewer: "api" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const reviewers = severalOf(input.reviewer);
    const { review, warning } = await askReviewers(world, session, input.artifact_id, reviewers, caller.part);
    const [first, ...more] = review;
    const answer = { review_id: first.id, artifact_id: first.artifact, version: first.version };
    return { ...answer, ...(more.length === 0 ? {} : { more: more.map(({ id }) => id) }), ...(warning === "" ? {} : { warning }) };
  },
});
