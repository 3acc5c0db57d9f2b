import * as z from "zod/mini";
import { shortOf } from "../../core/format/id.ts";
import { LIMITS, line, maybe, verbatim } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { AgentId, SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { ackTold } from "../../mail/files/ack-mail.ts";
import { ofThread, unreadIds } from "../../mail/files/inbox-files.ts";
import { isSeen } from "../../mail/files/mail.ts";
import { isSamePart, nameNow } from "../../mail/files/members.ts";
import type { Message } from "../../mail/nouns/message.ts";
import { postArtifact } from "../files/artifacts.ts";
import { commitOf } from "../files/commits.ts";
import { doubtsOf, uncommitted } from "../files/doubts-of-commit.ts";
import { listReviews } from "../files/read-review.ts";
import { currentSession } from "../files/sessions.ts";
import { requireTask } from "../files/task-files.ts";
import { updateTask } from "../files/update-task.ts";
import { ARTIFACT_TYPES } from "../nouns/artifact.ts";
import { askReviewers, severalOf } from "./ask-reviewers.ts";

/** Hands in finished work: its artifact, the request for a review, and the task's status. */
export const submit_task = defineOperation({
  name: "submit_task",
  tool: "board",
  command: "task submit",
  summary: "Submit finished work: post its artifact, ask for a review, and set the task in_review",
  when: "Hand in finished work: HEAD, for review.",
  effect: "write",
  endsWithNews: true,
  idempotent: false,
  identity: "writer",
  keepsBytes: true,
  positionals: ["task_id", "content"],
  input: () => ({
    task_id: z.string(),
    reviewer: maybe(AgentId("one or several, with commas; default: the task's")),
    content: maybe(verbatim(LIMITS.artifactContent, "what was done")),
    name: maybe(line(LIMITS.artifactName, "default: the task's title")),
    type: z._default(z.enum(ARTIFACT_TYPES), "code"),
    commit: maybe(z.string().check(z.describe("default: HEAD"))),
    session_id: SessionId,
  }),
  unlisted: ["name", "type", "commit"],
  output: () => ({
    task_id: z.string(),
    artifact_id: z.string(),
    version: z.number(),
    status: z.string(),
    commit: maybe(z.string()),
    reviews: maybe(z.array(z.string())),
    reviewers: maybe(z.array(z.string())),
    warning: maybe(z.string()),
  }),
  example: { task_id: "task-k3f9x2ab7q", reviewer: "api", content: "Refunds go through the bank." },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const by = caller.part;
    const { id: task, title, status: before, reviewers: kept = [] } = await requireTask(world, session, input.task_id);
    const planned = kept.map((each) => nameNow(world, each));
    const reviewers = input.reviewer === undefined ? planned : severalOf(input.reviewer);
    if (reviewers.some((each) => isSamePart(world, by, each))) throw refuse("self_review", { author: by });
    const code = await commitOf(world, by, input.commit);
    const isHead = code.commit !== undefined && (input.commit ?? "HEAD") === "HEAD";
    const { conflicts, changed } = isHead ? await uncommitted(world, by) : { conflicts: [], changed: [] };
    if (conflicts.length > 0) throw refuse("unresolved_merge", { files: conflicts });
    // First what may be refused: who may not submit the task leaves no artifact.
    const { status } = await updateTask(world, session, task, { status: "in_review" }, by);
    ackResults(world, session, by, task);
    const { type, content = "", name = title } = input;
    const artifact = postArtifact(world, session, { name, type, content, by, task, ...code });
    const again = before === "done" ? [`${shortOf(task)} was done, and is open again; withdraw the review to have it done as before`] : [];
    const said = [...again, ...(await doubtsOf(world, session, { name, by, changed, ...code }))];
    const answer = {
      task_id: task,
      artifact_id: artifact.id,
      version: artifact.version,
      status,
      ...(code.commit === undefined ? {} : { commit: code.commit }),
    };
    if (reviewers.length === 0)
      return { ...answer, warning: ["no reviewer is named, and the task has none, so nobody is asked", ...said].join("; ") };
    const { review, warning } = await askReviewers(world, session, artifact.id, reviewers, by);
    const passed = planned.filter((each) => !reviewers.some((other) => isSamePart(world, each, other)));
    const warnings = [passed.length === 0 ? "" : `the task names ${passed.join(", ")}, not asked`, warning, ...said].filter(
      (each) => each !== "",
    );
    return {
      ...answer,
      reviews: review.map(({ id }) => id),
      reviewers,
      ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    };
  },
});

/** Acks the requests for changes that a part saw of the reviews of its task: the version that it hands in answers them. */
function ackResults(world: World, session: string, part: string, task: string): void {
  const threads = new Set(listReviews(world, session, []).flatMap((each) => (each.task === task ? (each.thread ?? []) : [])));
  const unread = unreadIds(world.home().store, part);
  const isAnswered = ({ id, metadata }: Message): boolean => metadata?.["status"] === "changes_requested" && isSeen(world, part, id);
  ackTold(
    world,
    part,
    [...threads].flatMap((thread) => ofThread(unread, thread)),
    isAnswered,
  );
}
