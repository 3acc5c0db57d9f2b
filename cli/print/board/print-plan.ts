/** Prints for people: a plan that was put on the board. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { plainLine, short } from "../words.ts";

/** The session, and the tasks of the plan, a line each. */
export const printApplyPlan: Printer<"apply_plan"> = ({ session_id, tasks, message_id }, style) =>
  [
    `${style.green("Session")} ${session_id}${message_id === undefined ? "" : `, message ${short(message_id)}`}`,
    table(
      tasks.map(({ key, task_id, created, assignee, reviewers = [], depends_on = [] }) => [
        { text: short(task_id), paint: style.yellow },
        created ? "created" : "was there",
        plainLine(key),
        plainLine(assignee ?? ""),
        reviewers.length === 0 ? "" : `reviewed by ${reviewers.map(plainLine).join(", ")}`,
        depends_on.length === 0 ? "" : `after ${depends_on.map(short).join(", ")}`,
      ]),
      style,
    ),
  ].join("\n");
