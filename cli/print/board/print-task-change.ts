/** Prints for people: a task that was created, claimed or changed. */
import { withShortIds } from "../../../protocol/core/format/id.ts";
import { MEMORY, memoryWords } from "../../../protocol/turn/nouns/turn-words.ts";
import type { Printer } from "../style.ts";
import { inLocalTime, plain, plainLine, short } from "../words.ts";
import { when } from "./board-words.ts";

/** The state of a task after a change, and the reviews that it ended. */
export const printUpdateTask: Printer<"update_task"> = (
  { task_id, status, assignee, fence, already, withdrawn = [], reviews = [] },
  style,
) => {
  if (already === true) return `${short(task_id)} was done already.`;
  const number = status !== "done" && fence > 0 ? style.dim(` (fence ${fence})`) : "";
  const asked = reviews.length === 0 ? "" : `; asked for review ${reviews.map(short).join(", ")}`;
  const ended = withdrawn.length === 0 ? asked : `${asked}; withdrew ${withdrawn.map(short).join(", ")}`;
  return `${style.green("Changed")} ${short(task_id)}: ${status}${assignee === null ? "" : `, ${plainLine(assignee)}`}${number}${ended}`;
};

/** The id of a new task. */
export const printCreateTask: Printer<"create_task"> = ({ task_id }, style) => `${style.green("Created")} ${short(task_id)}`;

/** The claim of a task with the end of its lease, or the reason why it failed; then what is new of the project's memory. */
export const printClaimTask: Printer<"claim_task"> = (answer, style) => {
  const { claimed, task_id, fence, reason = "", until, provisional, description, memory = [], reviewers = [], former } = answer;
  const isYours = reason.includes("held by you (");
  const help = isYours
    ? `Renew it: relay task update ${short(task_id)} in_progress --fence ${fence}`
    : "What can be started now: relay task list --ready";
  if (!claimed)
    return `${style.yellow("Not claimed")} ${short(task_id)}: ${withShortIds(plainLine(inLocalTime(reason)))}.\n${style.dim(help)}`;
  return [
    `${style.green("Claimed")} ${short(task_id)}, fence ${fence}${until === undefined ? "" : `; the lease ends ${when(until, style)}`}`,
    ...(description === undefined ? [] : [plain(description)]),
    ...(former === undefined ? [] : [`${plainLine(former)}.`]),
    ...(reviewers.length === 0
      ? []
      : [`Commit, then \`relay task submit ${short(task_id)} - <<'END'\` asks ${reviewers.map(plainLine).join(", ")} to review HEAD.`]),
    ...(provisional === true ? [`${style.yellow("provisionally")}: ${plainLine(reason)}`] : []),
    ...(memory.length === 0 ? [] : [memoryWords(memory, MEMORY), ...memory.map((each) => plain(each).trimEnd().replace(/^/gm, "  "))]),
  ].join("\n");
};

/** Which task is free again. */
export const printReleaseTask: Printer<"release_task"> = ({ task_id, assignee }, style) =>
  `${style.green("Released")} ${short(task_id)}${assignee === null ? "" : ` to ${plainLine(assignee)}`}.`;
