import * as z from "zod/mini";
import { LIMITS, line, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import { AgentId, SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { enter, misspeltWarnings } from "../../mail/files/guests.ts";
import { reserveName } from "../../mail/files/idempotency.ts";
import { nameNow, requirePartId } from "../../mail/files/members.ts";
import { requireOngoing } from "../files/require-ongoing.ts";
import { currentSession, findSession } from "../files/sessions.ts";
import { takePlace } from "../files/subtask-limit.ts";
import { addTask, hasTask, newTaskId, readTask, resolveTask } from "../files/task-files.ts";
import { PRIORITIES, type Task } from "../nouns/task.ts";
import { reviewersOf } from "./ask-reviewers.ts";

/** Makes a task. */
export const create_task = defineOperation({
  name: "create_task",
  tool: "board",
  command: "task create",
  summary: "Create a task",
  when: "Put a piece of work on the board.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["title", "description"],
  input: () => ({
    title: line(LIMITS.taskTitle, "one line"),
    description: maybe(text(LIMITS.taskDescription, "Markdown")),
    assignee: maybe(AgentId("default: who claims it")),
    priority: z._default(z.enum(PRIORITIES), "medium"),
    reviewer: maybe(AgentId("asked when it is submitted: one part or several, with commas")),
    depends_on: maybe(z.array(z.string()).check(z.maxLength(LIMITS.dependsOn), z.describe("tasks to finish first"))),
    idempotency_key: maybe(line(LIMITS.idempotencyKey, "retry with the same key")),
    parent_task_id: maybe(z.string().check(z.describe("the task that it came from"))),
    derived_reason: maybe(text(LIMITS.derivedReason, "why")),
    session_id: SessionId,
  }),
  // The tool has the arguments of an earlier one, and takes this as well.
  unlisted: ["reviewer"],
  output: () => ({ task_id: z.string(), warning: z.optional(z.string()) }),
  example: { title: "Write the parser", priority: "high" },
  again: {
    by: ["idempotency_key", "session_id"],
    find(world, { idempotency_key: key, session_id: named }) {
      const session = findSession(world, named);
      const earlier = session === null ? null : madeBefore(world, session, key);
      return earlier === null ? null : { task_id: earlier };
    },
  },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const key = input.idempotency_key;
    const fresh = newTaskId(world);
    const earlier = madeBefore(world, session, key);
    if (earlier !== null) return { task_id: earlier };
    requireOngoing(world, session);
    if (input.assignee !== undefined) requirePartId(input.assignee);
    const assignee = input.assignee === undefined ? undefined : nameNow(world, input.assignee);
    const reviewers = input.reviewer === undefined ? undefined : reviewersOf(world, input.reviewer, assignee);
    const dependsOn = [...new Set((input.depends_on ?? []).map((given) => resolveTask(world, session, given) ?? given))];
    const missing = dependsOn.filter((id) => !hasTask(world, session, id));
    if (missing.length > 0) throw refuse("unknown_dependencies", { missing });
    const parent = input.parent_task_id === undefined ? undefined : requireParent(world, session, input.parent_task_id);
    const id = key === undefined ? fresh : (reserveName(world, scopeOf(session), key, fresh) ?? fresh);
    if (parent !== undefined) takePlace(world, session, parent, id);
    enter(world, session, caller.part);
    const at = new Date(world.now()).toISOString();
    const task: Task = {
      id,
      title: input.title,
      status: "todo",
      priority: input.priority,
      assignee,
      createdBy: caller.part,
      createdAt: at,
      updatedAt: at,
      dependsOn,
      parent,
      derivedReason: input.derived_reason,
      reviewers,
      fence: 0,
      other: {},
      description: input.description ?? "",
      history: [`${at} ${caller.part}: created`],
    };
    addTask(world, session, task);
    const warnings = misspeltWarnings(world, [assignee, ...(reviewers ?? [])], packageWith("teamIds").teamIds(world, session));
    return { task_id: id, ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }) };
  },
});

/** Where a session's keys are kept. */
const scopeOf = (session: string) => ({ owner: `sessions/${session}`, operation: "create_task" });

/** The task that was made with a key; null when none was. */
function madeBefore(world: World, session: string, key: string | undefined): string | null {
  const earlier = key === undefined ? null : reserveName(world, scopeOf(session), key, null);
  return earlier !== null && hasTask(world, session, earlier) ? earlier : null;
}

/** The id of the task that another is derived from. @throws Refusal `unknown_parent_task`, `derived_too_deep` */
function requireParent(world: World, session: string, given: string): string {
  const parent = resolveTask(world, session, given) ?? given;
  const above = readTask(world, session, parent);
  if (above === null) throw refuse("unknown_parent_task", { given });
  if (above.parent !== undefined) throw refuse("derived_too_deep", { most: LIMITS.derivedDepth });
  return parent;
}
