import * as z from "zod/mini";
import { LIMITS, line, maybe, verbatim } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import { enter } from "../../mail/files/guests.ts";
import { postArtifact } from "../files/artifacts.ts";
import { commitOf } from "../files/commits.ts";
import { currentSession } from "../files/sessions.ts";
import { requireTaskId } from "../files/task-files.ts";
import { ARTIFACT_TYPES } from "../nouns/artifact.ts";

/** Posts what was made. */
export const post_artifact = defineOperation({
  name: "post_artifact",
  tool: "board",
  command: "artifact post",
  summary: "Post a result; the same name makes its next version",
  when: "Post a result. The same name makes its next version.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  keepsBytes: true,
  positionals: ["name", "content"],
  input: () => ({
    name: line(LIMITS.artifactName, "one line"),
    type: z.enum(ARTIFACT_TYPES),
    content: verbatim(LIMITS.artifactContent, "Markdown, JSON, a diff"),
    task_id: maybe(z.string()),
    commit: maybe(z.string().check(z.describe("HEAD, or a commit of the code"))),
    session_id: SessionId,
  }),
  // The tool has the arguments of an earlier one, and takes this as well.
  unlisted: ["commit"],
  output: () => ({ artifact_id: z.string(), version: z.number() }),
  example: { name: "login-design", type: "design", content: "# Login" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const task = input.task_id === undefined ? undefined : requireTaskId(world, session, input.task_id);
    enter(world, session, caller.part);
    const { name, type, content } = input;
    const code = input.commit !== undefined || type === "code" ? await commitOf(world, caller.part, input.commit) : {};
    const { id, version } = postArtifact(world, session, { name, type, content, by: caller.part, task, ...code });
    return { artifact_id: id, version };
  },
});
