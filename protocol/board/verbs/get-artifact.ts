import * as z from "zod/mini";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { textPage } from "../../core/paginate.ts";
import { refuse } from "../../core/refusal.ts";
import { SessionId } from "../../core/shapes.ts";
import { readArtifact } from "../files/artifacts.ts";
import { readingOf } from "../files/commits.ts";
import { commitsBeside, listReviews } from "../files/read-review.ts";
import { sessionToRead } from "../files/sessions.ts";
import { ArtifactAnswer, withAhead } from "./board-answers.ts";

/** Gives an artifact with its content. */
export const get_artifact = defineOperation({
  name: "get_artifact",
  tool: "board",
  command: "artifact show",
  summary: "Print an artifact: the latest version, or an earlier one",
  when: "Read an artifact, by its name or id.",
  effect: "read",
  identity: "optional",
  positionals: ["name"],
  input: () => ({
    name: line(LIMITS.artifactName, "its name or id"),
    version: maybe(z.int().check(z.gte(1))),
    cursor: maybe(z.string()),
    session_id: SessionId,
  }),
  unlisted: ["cursor"],
  output: () => ({
    artifact: z.extend(ArtifactAnswer, {
      content: z.string(),
      read: z.optional(z.string().check(z.describe("the command that shows its code"))),
    }),
    cursor: z.optional(z.string()),
  }),
  example: { name: "login-design" },
  async run(world, input) {
    const { session } = sessionToRead(world, input.session_id);
    if (session === null) throw refuse("unknown_artifact", { given: input.name, artifact: null, known: [] });
    const { artifact, content } = readArtifact(world, session, input.name, input.version);
    const read = await readingOf(world, artifact.commit, commitsBeside(listReviews(world, session, []), artifact));
    const { cursor, ...page } = textPage(world, content, input.cursor);
    const rest = cursor === undefined ? {} : { cursor };
    return {
      artifact: withoutUndefined({
        ...((await withAhead(world, session, [artifact]))[0] as z.infer<typeof ArtifactAnswer>),
        ...page,
        read,
      }),
      ...rest,
    };
  },
});
