/** A task as answers show it. spec/commands.md, "What they answer with". */
import * as z from "zod/mini";
import type { Task, TaskRow } from "../../objects/task/task.ts";

/** A task as lists show it. Times are Unix seconds. */
export const TaskAnswer = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  assignee: z.nullable(z.string()),
  priority: z.string(),
  created_by: z.string(),
  depends_on: z.array(z.string()),
  blocked_by: z.optional(z.array(z.string())),
  parent_task_id: z.nullable(z.string()),
  depth: z.number(),
  derived_reason: z.nullable(z.string()),
  created_at: z.number(),
  updated_at: z.number(),
  description: z.optional(z.nullable(z.string())),
});

const seconds = (at: string): number => Math.floor(Date.parse(at) / 1_000);

/**
 * Shows a task. Whoever works on it, and who made it, are shown by their names of now.
 * @param renamed former name → name now
 * @param unmet the tasks that it waits for
 */
export function taskAnswer(
  task: TaskRow & Partial<Pick<Task, "description">>,
  renamed: ReadonlyMap<string, string>,
  unmet: readonly string[],
): z.infer<typeof TaskAnswer> {
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    assignee: task.assignee === undefined ? null : (renamed.get(task.assignee) ?? task.assignee),
    priority: task.priority,
    created_by: renamed.get(task.createdBy) ?? task.createdBy,
    depends_on: task.dependsOn,
    ...(unmet.length === 0 || task.status === "done" ? {} : { blocked_by: [...unmet] }),
    parent_task_id: task.parent ?? null,
    depth: task.parent === undefined ? 0 : 1,
    derived_reason: task.derivedReason ?? null,
    created_at: seconds(task.createdAt),
    updated_at: seconds(task.updatedAt),
    ...(task.description === undefined ? {} : { description: task.description === "" ? null : task.description }),
  };
}
