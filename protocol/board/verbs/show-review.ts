import * as z from "zod/mini";
import { orElse } from "../../core/format/file-error.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { SessionId } from "../../core/shapes.ts";
import { readArtifact, recordOf } from "../files/artifacts.ts";
import { type CommitOfCode, commitStates, readingOf } from "../files/commits.ts";
import { requireReview } from "../files/find-review.ts";
import { commitsBeside, listReviews } from "../files/read-review.ts";
import { sessionToRead } from "../files/sessions.ts";
import { ReviewAnswer, reviewAnswer } from "./board-answers.ts";

/** Shows one review with its comments. */
export const show_review = defineOperation({
  name: "show_review",
  command: "review show",
  summary: "Show a review, by its id or its artifact's name: comments, commit, and how to read that",
  effect: "read",
  identity: "optional",
  positionals: ["review_id"],
  input: () => ({ review_id: z.string(), session_id: SessionId }),
  output: () => ({
    review: ReviewAnswer,
    read: maybe(z.string()),
    /** What the author says of the code. */
    said: maybe(z.string()),
    /** The file to be read, where the artifact is a text. */
    path: maybe(z.string()),
  }),
  example: { review_id: "review-k3f9x2ab7q" },
  async run(world, input) {
    const { session } = sessionToRead(world, input.session_id);
    if (session === null) throw refuse("unknown_review", { given: input.review_id });
    const review = requireReview(world, session, input.review_id);
    const artifact = recordOf(world, session, review);
    const { commit, branch }: CommitOfCode = artifact ?? {};
    const [{ ahead } = {}] = await commitStates(world, [{ commit, branch }]);
    const read = await readingOf(world, commit, commitsBeside(listReviews(world, session, []), review));
    const posted = orElse(null, () => readArtifact(world, session, review.artifact));
    const about = commit === undefined ? { path: posted?.path } : { said: posted?.content.trim() || undefined };
    return withoutUndefined({ review: withoutUndefined({ ...reviewAnswer(world, review), commit, branch, ahead }), read, ...about });
  },
});
