/** Prints for people: a task that was created, claimed or changed. */
import type { Printer } from "../style.ts";
import { inLocalTime, plain, plainLine, short } from "../words.ts";
import { when } from "./board-words.ts";

/** The state of a task after a change. */
export const printUpdateTask: Printer<"update_task"> = ({ task_id, status, assignee, fence }, style) =>
  `${style.green("Changed")} ${short(task_id)}: ${status}${assignee === null ? "" : `, ${plainLine(assignee)}`}${status !== "done" && fence > 0 ? style.dim(` (fence ${fence})`) : ""}`;

/** The id of a new task. */
export const printCreateTask: Printer<"create_task"> = ({ task_id }, style) => `${style.green("Created")} ${short(task_id)}`;

/** Whether a task is the caller's now and until when, or why not. */
export const printClaimTask: Printer<"claim_task"> = ({ claimed, task_id, fence, reason, until, provisional, description }, style) =>
  claimed
    ? `${style.green("Claimed")} ${short(task_id)}, fence ${fence}${until === undefined ? "" : `; the lease ends ${when(until, style)}`}${provisional === true ? `\n${style.yellow("provisionally")}: ${plainLine(reason ?? "")}` : ""}${description === undefined ? "" : `\n\n${plain(description)}`}`
    : `${style.yellow("Not claimed")} ${short(task_id)}: ${plainLine(inLocalTime(reason ?? ""))}.\n${style.dim("What can be started now: relay task list --ready")}`;

/** Which task is free again. */
export const printReleaseTask: Printer<"release_task"> = ({ task_id, assignee }, style) =>
  `${style.green("Released")} ${short(task_id)}${assignee === null ? "" : ` to ${plainLine(assignee)}`}.`;
