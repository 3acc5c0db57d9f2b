import * as z from "zod/mini";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { flag, maybe } from "../../core/format/schema.ts";

import { type Faults as FaultList, noting } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { AgentId, Faults, SessionId } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { members, namesOf, requirePartId } from "../../mail/files/members.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { recordOf } from "../files/artifacts.ts";
import { type CommitOfCode, commitStates } from "../files/commits.ts";
import { listReviews, type ReviewState } from "../files/read-review.ts";
import { sessionToRead } from "../files/sessions.ts";
import { resultPath } from "../nouns/review.ts";
import { ReviewAnswer, reviewAnswer } from "./board-answers.ts";

/** Lists the reviews of a session. */
export const list_reviews = defineOperation({
  name: "list_reviews",
  tool: "board",
  command: "review list",
  summary: "List reviews, open ones first",
  when: "See reviews, with comments.",
  effect: "read",
  identity: "optional",
  input: () => ({
    open: flag("only open ones"),
    pending: flag("only open ones"),
    reviewer: maybe(AgentId("only of this agent")),
    mine: flag("only yours to answer"),
    session_id: SessionId,
  }),
  // The tool has the arguments of an earlier one, and takes these as well.
  unlisted: ["pending", "mine"],
  output: () => ({ reviews: z.array(ReviewAnswer), warning: z.optional(z.string()), problems: Faults }),
  example: { open: true },
  async run(world, input, { part }) {
    const { session, ...ended } = sessionToRead(world, input.session_id);
    if (input.reviewer !== undefined) requirePartId(input.reviewer);
    const problems: FaultList = [];
    if (input.mine === true && part === "")
      throw refuse("who_are_you", { operation: "list_reviews", parts: members(world).map((member) => member.part) });
    const of = input.reviewer ?? (input.mine === true ? part : undefined);
    const names = of === undefined ? [] : namesOf(world, of);
    const isOpen = input.open === true || input.pending === true;
    const reviews = session === null ? [] : listReviews(world, session, problems);
    const wanted = reviews.filter(
      ({ status, reviewer }) => (!isOpen || status === "pending") && (of === undefined || names.includes(reviewer)),
    );
    const originOf = originsOf(world);
    const withOrigin = (review: ReviewState): z.infer<typeof ReviewAnswer> => ({
      ...reviewAnswer(world, review),
      ...(review.status === "pending" ? {} : broughtField(originOf(resultPath(session as string, review.id)))),
    });
    const codes = wanted.map(
      (review) => noting(problems, resultPath(session as string, review.id), () => recordOf(world, session as string, review)) ?? {},
    );
    const states = await commitStates(world, codes);
    const withCommit = (review: ReviewState, at: number): z.infer<typeof ReviewAnswer> => {
      const { commit, branch }: CommitOfCode = codes[at] ?? {};
      return withoutUndefined({ ...withOrigin(review), commit, branch, ahead: states[at]?.ahead });
    };
    return withFaults({ reviews: wanted.map(withCommit), ...ended }, problems);
  },
});
