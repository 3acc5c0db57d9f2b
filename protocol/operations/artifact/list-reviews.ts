import * as z from "zod/mini";
import type { ReviewState } from "../../home/artifact/read-review.ts";
import { listReviews } from "../../home/artifact/reviews.ts";
import type { Faults as FaultList } from "../../home/broken-files.ts";
import { originsOf } from "../../home/note-origins.ts";
import { namesOf, requirePartId } from "../../home/part/members.ts";
import { findSession } from "../../home/session/sessions.ts";
import { resultPath } from "../../objects/artifact/review.ts";
import { flag, maybe } from "../../objects/format/schema.ts";
import { broughtField } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import { AgentId, Faults, SessionId } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";
import { ReviewAnswer, reviewAnswer } from "./board-answers.ts";

/** Lists the reviews of a session. */
export const list_reviews = defineOperation({
  name: "list_reviews",
  tool: "board",
  command: "review list",
  summary: "List reviews, open ones first",
  when: "See which reviews are open.",
  effect: "read",
  identity: "optional",
  input: () => ({ open: flag("only open ones"), reviewer: maybe(AgentId("only of this agent")), session_id: SessionId }),
  output: () => ({ reviews: z.array(ReviewAnswer), problems: Faults }),
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
    const withOrigin = (review: ReviewState): z.infer<typeof ReviewAnswer> => ({
      ...reviewAnswer(world, review),
      ...(review.status === "pending" ? {} : broughtField(originOf(resultPath(session as string, review.id)))),
    });
    return withFaults({ reviews: wanted.map(withOrigin) }, problems);
  },
});
