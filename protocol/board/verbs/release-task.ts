import * as z from "zod/mini";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { AgentId, SessionId } from "../../core/shapes.ts";
import { enter } from "../../mail/files/guests.ts";
import { nameNow, requirePartId } from "../../mail/files/members.ts";
import { endedWarning } from "../files/require-ongoing.ts";
import { currentSession } from "../files/sessions.ts";
import { updateTask } from "../files/update-task.ts";

/** Gives a claimed task back. */
export const release_task = defineOperation({
  name: "release_task",
  tool: "board",
  command: "task release",
  summary: "Release a claimed task, or hand it to another agent; main and people, with a reason, also what another has",
  when: "Release a task that you cannot finish; to: hand it over.",
  effect: "write",
  idempotent: true,
  identity: "writer",
  positionals: ["task_id"],
  input: () => ({
    task_id: z.string(),
    to: maybe(AgentId("the agent that may claim it")),
    reason: maybe(line(LIMITS.derivedReason, "why, of what another has; a holder is told")),
    fence: maybe(z.int().check(z.gte(1), z.describe("number of your claim; refused when it is over"))),
    session_id: SessionId,
  }),
  // The tool has the arguments of an earlier one, and takes this as well.
  unlisted: ["reason"],
  output: () => ({ task_id: z.string(), status: z.string(), assignee: z.nullable(z.string()), warning: z.optional(z.string()) }),
  example: { task_id: "task-k3f9x2ab7q" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    if (input.to !== undefined) requirePartId(input.to);
    const to = input.to === undefined ? undefined : nameNow(world, input.to);
    const update = { status: "todo", assignee: to, reason: input.reason, fence: input.fence, isRelease: true } as const;
    const task = await updateTask(world, session, input.task_id, update, caller.part);
    enter(world, session, caller.part);
    const assignee = task.assignee === undefined ? null : nameNow(world, task.assignee);
    return { task_id: task.id, status: task.status, assignee, ...endedWarning(world, session) };
  },
});
