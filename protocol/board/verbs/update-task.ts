import * as z from "zod/mini";
import { LIMITS, line, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import { AgentId, SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { enter, misspeltWarnings } from "../../mail/files/guests.ts";
import { isSamePart, nameNow, requirePartId } from "../../mail/files/members.ts";
import { approvalsOf } from "../files/approved-behind.ts";
import { closeReady } from "../files/hand-over.ts";
import { listTasks } from "../files/list-tasks.ts";
import { listReviews } from "../files/read-review.ts";
import { endedWarning, requireOngoing } from "../files/require-ongoing.ts";
import { currentSession } from "../files/sessions.ts";
import { hasTask, readTask, requireTaskId, resolveTask } from "../files/task-files.ts";
import { updateTask } from "../files/update-task.ts";
import { withdrawOfDone } from "../files/withdraw-reviews.ts";
import { tasksInRings } from "../nouns/rings.ts";
import { isFinished, PRIORITIES, TASK_STATUSES, type Task } from "../nouns/task.ts";
import { moveReviews, reviewersOf, reviewsToMove } from "./ask-reviewers.ts";

/** Changes a task's status, assignee or text. */
export const update_task = defineOperation({
  name: "update_task",
  tool: "board",
  command: "task update",
  summary: "Change a task's status (blocked: with a reason), assignee, title, description, priority, reviewer or dependencies",
  when: "Set a task's status (blocked: with reason), or hand it over.",
  effect: "write",
  endsWithNews: true,
  idempotent: true,
  identity: "writer",
  positionals: ["task_id", "status"],
  input: () => ({
    task_id: z.string(),
    status: maybe(z.enum(TASK_STATUSES)),
    reason: maybe(line(LIMITS.derivedReason, "why blocked or canceled")),
    assignee: maybe(AgentId("hand it to")),
    title: maybe(line(LIMITS.taskTitle, "one line")),
    description: maybe(text(LIMITS.taskDescription, "Markdown")),
    priority: maybe(z.enum(PRIORITIES)),
    depends_on: maybe(
      z.array(z.string()).check(z.maxLength(LIMITS.dependsOn), z.describe("tasks to finish first, instead of the earlier ones")),
    ),
    reviewer: maybe(AgentId("asked when it is submitted: one part or several, with commas")),
    fence: maybe(z.int().check(z.gte(1), z.describe("number of your claim; refused when it is over"))),
    session_id: SessionId,
  }),
  // The tool has the arguments of an earlier one, and takes these as well.
  unlisted: ["title", "description", "priority", "depends_on", "reviewer"],
  output: () => ({
    task_id: z.string(),
    status: z.string(),
    assignee: z.nullable(z.string()),
    fence: z.number(),
    /** Whether it was done before. */
    already: z.optional(z.boolean()),
    /** Open reviews of it, which nobody needs now. */
    withdrawn: z.optional(z.array(z.string())),
    /** The reviews in their place, of its new reviewers. */
    reviews: z.optional(z.array(z.string())),
    warning: z.optional(z.string()),
  }),
  example: { task_id: "task-k3f9x2ab7q", status: "in_review" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const { status, title, description, priority, fence } = input;
    if (status === "blocked" ? input.reason === undefined : status !== "canceled" && input.reason !== undefined)
      throw refuse("invalid_argument", {
        ...(status === "blocked"
          ? { argument: "status", expected: `${TASK_STATUSES.join(", ")} with \`reason\``, given: status }
          : { argument: "reason", expected: "one only with the status blocked or canceled", given: input.reason }),
        example: null,
      });
    if (status === "in_progress") requireOngoing(world, session);
    if (input.assignee !== undefined) requirePartId(input.assignee);
    const assignee = input.assignee === undefined ? undefined : nameNow(world, input.assignee);
    const dependsOn = input.depends_on === undefined ? undefined : dependenciesOf(world, session, input.task_id, input.depends_on);
    const reviewers = input.reviewer === undefined ? undefined : reviewersOf(world, input.reviewer, assignee);
    const withdrawn: string[] = [];
    const whenDone = async (id: string): Promise<unknown> => withdrawn.push(...(await withdrawOfDone(world, session, id)));
    const update = { status, assignee, reason: input.reason, title, description, priority, dependsOn, reviewers, fence, whenDone };
    const left = reviewers === undefined ? [] : reviewsToMove(world, session, requireTaskId(world, session, input.task_id), reviewers);
    const wasDone = status === "done" && isDone(world, session, input.task_id);
    const task = await updateTask(world, session, input.task_id, update, caller.part);
    enter(world, session, caller.part);
    if (isFinished(task.status)) await closeReady(world, session, task);
    const moved =
      left.length === 0 || isFinished(task.status) ? null : await moveReviews(world, session, left, reviewers ?? [], caller.part);
    withdrawn.push(...(moved?.withdrawn ?? []));
    const behind = status === "done" ? (await approvalsOf(world, session, task.id)).behind : [];
    const warnings = [
      endedWarning(world, session).warning,
      ...(moved?.warnings ?? misspeltWarnings(world, [assignee, ...(reviewers ?? [])], packageWith("teamIds").teamIds(world, session))),
      ...behind.map(({ words }) => words),
      ...freedBy(world, session, task),
      ...(status === "done" && !wasDone ? unaskedOf(world, session, task) : []),
    ].filter((each) => each !== undefined);
    return {
      task_id: task.id,
      status: task.status,
      assignee: task.assignee === undefined ? null : nameNow(world, task.assignee),
      fence: task.fence,
      ...(wasDone ? { already: true } : {}),
      ...(withdrawn.length === 0 ? {} : { withdrawn }),
      ...(moved === null ? {} : { reviews: moved.asked.map(({ id }) => id) }),
      ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    };
  },
});

const isDone = (world: World, session: string, given: string): boolean =>
  readTask(world, session, resolveTask(world, session, given) ?? given)?.status === "done";

/** Says that a task is done without the review that it names. */
function unaskedOf(world: World, session: string, { id, reviewers = [] }: Task): string[] {
  const asked =
    reviewers.length === 0 ? [] : listReviews(world, session, []).filter(({ task, status }) => task === id && status !== "withdrawn");
  const unasked = reviewers.filter((part) => !asked.some(({ reviewer }) => isSamePart(world, reviewer, part)));
  return unasked.length === 0 ? [] : [`not reviewed by ${unasked.map((each) => nameNow(world, each)).join(", ")}, whom the task names`];
}

/** What depends on a task that was given up, in words: it may begin now, and perhaps should not. */
function freedBy(world: World, session: string, { id, status }: Pick<Task, "id" | "status">): string[] {
  if (status !== "canceled") return [];
  const freed = listTasks(world, session, []).filter((other) => other.dependsOn.includes(id) && !isFinished(other.status));
  return freed.length === 0 ? [] : [`${freed.map((other) => other.id).join(", ")} waited for it, and no longer does`];
}

/** The ids of the tasks that one is to wait for. @throws Refusal `unknown_dependencies`; `invalid_argument` where it would wait for itself */
function dependenciesOf(world: World, session: string, task: string, given: readonly string[]): string[] {
  const id = requireTaskId(world, session, task);
  const dependsOn = [...new Set(given.map((each) => resolveTask(world, session, each) ?? each))];
  const missing = dependsOn.filter((each) => !hasTask(world, session, each));
  if (missing.length > 0) throw refuse("unknown_dependencies", { missing });
  const after = listTasks(world, session, []).map((row) => (row.id === id ? { ...row, dependsOn } : row));
  if (dependsOn.includes(id) || (tasksInRings(after).has(id) && dependsOn.length > 0)) {
    throw refuse("invalid_argument", {
      argument: "depends_on",
      expected: `tasks that do not wait for ${id} themselves`,
      given,
      example: [],
    });
  }
  return dependsOn;
}
