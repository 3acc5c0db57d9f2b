import * as z from "zod/mini";
import { teamIds } from "../../home/agent/agents.ts";
import { artifactToReview, requestReview } from "../../home/artifact/reviews.ts";
import { enter, madeGuestWarning, makeGuest } from "../../home/part/guests.ts";
import { isMember, requireDistinct } from "../../home/part/members.ts";
import { currentSession } from "../../home/session/sessions.ts";
import { maybe } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { AgentId, SessionId } from "../shapes.ts";

/** Asks for a review. */
export const request_review = defineOperation({
  name: "request_review",
  tool: "board",
  command: "review request",
  summary: "Ask a part to review a version of an artifact",
  when: "Ask another agent to review what you posted.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["artifact_id", "reviewer"],
  input: () => ({ artifact_id: z.string(), reviewer: AgentId("the reviewer"), session_id: SessionId }),
  output: () => ({ review_id: z.string(), artifact_id: z.string(), version: z.number(), warning: maybe(z.string()) }),
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
