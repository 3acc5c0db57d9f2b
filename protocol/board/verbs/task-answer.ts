/** A task as answers show it. spec/commands.md, "What they answer with". */
import * as z from "zod/mini";
import { type Faults, noting } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import type { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { holder } from "../files/claims.ts";
import { claimPath } from "../nouns/claim.ts";
import { isFinished, type Task, type TaskRow, taskPath } from "../nouns/task.ts";

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
  /** Why it is `blocked`. */
  blocked_reason: z.optional(z.string()),
  parent_task_id: z.nullable(z.string()),
  depth: z.number(),
  derived_reason: z.nullable(z.string()),
  created_at: z.number(),
  updated_at: z.number(),
  description: z.optional(z.nullable(z.string())),
  reviewers: z.optional(z.array(z.string())),
  /** What its reviews came to. */
  review: z.optional(z.string()),
});

/** The holder of a task, by which claim, until when, or since when the lease is over. `state` is `held`, or what became of the claim. */
export const ClaimAnswer = z.object({
  agent: z.string(),
  fence: z.number(),
  state: z.string(),
  until: z.optional(z.string()),
  ended: z.optional(z.string()),
  origin: z.optional(z.string()),
});

/** Says who holds a task; null where nobody does. @param faults gets a claim that cannot be read */
export function claimAnswer(
  world: World,
  session: string,
  task: Pick<Task, "id" | "fence">,
  originOf: ReturnType<typeof originsOf>,
  faults: Faults,
): z.infer<typeof ClaimAnswer> | null {
  const hold = noting(faults, taskPath(session, task.id), () => holder(world, session, task));
  if (hold === null || hold.state === "free") return null;
  return {
    agent: nameNow(world, hold.record.agent),
    fence: hold.fence,
    state: hold.state,
    ...("until" in hold ? { [hold.state === "held" ? "until" : "ended"]: new Date(hold.until).toISOString() } : {}),
    ...broughtField(originOf(claimPath(session, task.id, hold.fence))),
  };
}

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
    ...(unmet.length === 0 || isFinished(task.status) ? {} : { blocked_by: [...unmet] }),
    ...(task.blockedReason === undefined ? {} : { blocked_reason: task.blockedReason }),
    parent_task_id: task.parent ?? null,
    depth: task.parent === undefined ? 0 : 1,
    derived_reason: task.derivedReason ?? null,
    ...(task.reviewers === undefined ? {} : { reviewers: task.reviewers.map((each) => renamed.get(each) ?? each) }),
    created_at: seconds(task.createdAt),
    updated_at: seconds(task.updatedAt),
    ...(task.description === undefined ? {} : { description: task.description === "" ? null : task.description }),
  };
}
