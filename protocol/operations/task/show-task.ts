import * as z from "zod/mini";
import { reviewsOfTasks } from "../../home/artifact/task-reviews.ts";
import { type Faults as FaultList, noting } from "../../home/broken-files.ts";
import { currentNames } from "../../home/message/delivery-state.ts";
import { originsOf } from "../../home/note-origins.ts";
import { findSession } from "../../home/session/sessions.ts";
import { readTask, requireTask, sessionOfTask } from "../../home/task/task-files.ts";
import { withoutUndefined } from "../../objects/format/frontmatter.ts";
import { taskPath, unmetOf } from "../../objects/task/task.ts";
import { broughtField } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { Faults, SessionId } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";
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
    return withFaults(
      {
        task: withoutUndefined({ ...taskAnswer(task, currentNames(world), unmet), review }),
        ...broughtField(originOf(taskPath(session, task.id))),
        history: task.history,
        claim,
      },
      problems,
    );
  },
});
