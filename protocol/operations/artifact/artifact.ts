import * as z from "zod/mini";
import { listArtifacts, postArtifact, readArtifact } from "../../home/artifact/artifacts.ts";
import { enter } from "../../home/part/parts.ts";
import { currentSession, findSession } from "../../home/session/sessions.ts";
import { requireTaskId } from "../../home/task/tasks.ts";
import type { Faults as FaultList } from "../../home/thread/threads.ts";
import { ARTIFACT_TYPES, type Artifact } from "../../objects/artifact/artifact.ts";
import { LIMITS, line, maybe, verbatim } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { Faults, SessionId, withFaults } from "../shapes.ts";

const shared = { home: true, idempotent: false } as const;

const Listed = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  type: z.string(),
  created_by: z.string(),
  task_id: z.nullable(z.string()),
  created_at: z.number(),
});

function shown({ id, name, version, type, createdBy, task, createdAt }: Artifact): z.infer<typeof Listed> {
  return {
    id,
    name,
    version,
    type,
    created_by: createdBy,
    task_id: task ?? null,
    created_at: Math.floor(Date.parse(createdAt) / 1_000),
  };
}

/** Posts what was made. */
export const postArtifactOperation = defineOperation({
  ...shared,
  name: "post_artifact",
  tool: { name: "post_artifact", group: "board" },
  command: "artifact post",
  summary: "Post what was made; the same name makes the next version",
  when: "Put what you made where others find it. The same name is its next version.",
  effect: "write",
  identity: "writer",
  positionals: ["name", "content"],
  input: () =>
    z.object({
      name: line(LIMITS.artifactName, "one line"),
      type: z.enum(ARTIFACT_TYPES),
      content: verbatim(LIMITS.artifactContent, "Markdown, JSON, a diff"),
      task_id: maybe(z.string().check(z.describe("the task it belongs to"))),
      session_id: SessionId,
    }),
  output: () => z.object({ artifact_id: z.string(), version: z.number() }),
  example: { name: "login-design", type: "design", content: "# Login" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const task = input.task_id === undefined ? undefined : requireTaskId(world, session, input.task_id);
    enter(world, session, caller.part);
    const { name, type, content } = input;
    const { id, version } = postArtifact(world, session, { name, type, content, by: caller.part, task });
    return { artifact_id: id, version };
  },
});

/** Gives an artifact with its content. */
export const getArtifact = defineOperation({
  ...shared,
  name: "get_artifact",
  tool: { name: "get_artifact", group: "board" },
  command: "artifact show",
  summary: "Print an artifact: the latest version, or an earlier one",
  when: "Fetch what somebody posted, by its name.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  positionals: ["name"],
  input: () =>
    z.object({ name: line(LIMITS.artifactName, "its name or id"), version: maybe(z.int().check(z.gte(1))), session_id: SessionId }),
  output: () => z.object({ artifact: z.extend(Listed, { content: z.string() }) }),
  example: { name: "login-design" },
  async run(world, input) {
    const session = findSession(world, input.session_id);
    if (session === null) throw refuse("unknown_artifact", { given: input.name, artifact: null, known: [] });
    const { artifact, content } = readArtifact(world, session, input.name, input.version);
    return { artifact: { ...shown(artifact), content } };
  },
});

/** Lists the artifacts of a session. */
export const listArtifactsOperation = defineOperation({
  ...shared,
  name: "list_artifacts",
  tool: null,
  command: "artifact list",
  summary: "List artifacts, each by its latest version",
  when: "List artifacts.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  positionals: [],
  input: () => z.object({ session_id: SessionId }),
  output: () => z.object({ artifacts: z.array(Listed), problems: Faults }),
  example: {},
  async run(world, input) {
    const session = findSession(world, input.session_id);
    const problems: FaultList = [];
    const artifacts = session === null ? [] : listArtifacts(world, session, problems);
    return withFaults({ artifacts: artifacts.map(shown) }, problems);
  },
});
