import * as z from "zod/mini";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { type Faults as FaultList, noting } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { Faults, SessionId } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { formerHolders } from "../files/former-holders.ts";
import { findSession } from "../files/sessions.ts";
import { readTask, requireTask, sessionOfTask } from "../files/task-files.ts";
import { reviewsOfTasks } from "../files/task-reviews.ts";
import { isFinished, taskPath, unmetOf } from "../nouns/task.ts";
import { ClaimAnswer, claimAnswer, TaskAnswer, taskAnswer } from "./task-answer.ts";

/** Shows one task with all that is known of it. */
export const show_task = defineOperation({
  name: "show_task",
  tool: "board",
  command: "task show",
  summary: "Show a task: description, holder, history",
  when: "Read a task, with its history.",
  effect: "read",
  identity: "optional",
  positionals: ["task_id"],
  input: () => ({ task_id: z.string(), session_id: SessionId }),
  output: () => ({
    task: TaskAnswer,
    /** Set where a sync brought the text. */
    origin: z.optional(z.string()),
    history: z.array(z.string()),
    claim: z.nullable(ClaimAnswer),
    /** Former holders, and the work of theirs that this machine has. */
    former: z.optional(z.string()),
    problems: Faults,
  }),
  example: { task_id: "task-k3f9x2ab7q" },
  async run(world, input) {
    const meant = findSession(world, input.session_id);
    const session = input.session_id === undefined ? sessionOfTask(world, meant, input.task_id) : meant;
    if (session === null) throw refuse("unknown_task", { given: input.task_id });
    const problems: FaultList = [];
    const task = await requireTask(world, session, input.task_id, problems);
    const originOf = originsOf(world);
    const unmet = unmetOf(task, (id) => noting(problems, taskPath(session, id), () => readTask(world, session, id))?.status ?? null);
    const claim = claimAnswer(world, session, task, originOf, problems);
    const review = (await reviewsOfTasks(world, session, new Set([task.id]), problems)).get(task.id);
    const former = task.fence > 1 && !isFinished(task.status) ? await formerHolders(world, session, task.id, task.assignee) : null;
    return withFaults(
      {
        task: withoutUndefined({ ...taskAnswer(task, currentNames(world), unmet), review }),
        ...broughtField(originOf(taskPath(session, task.id))),
        history: task.history,
        claim,
        ...(former === null ? {} : { former }),
      },
      problems,
    );
  },
});
