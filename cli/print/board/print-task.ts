/** Prints for people: one task. */
import type { Answer, Printer } from "../style.ts";
import { ago, plainLine, short } from "../words.ts";
import { statusPaint, when } from "./board-words.ts";
import { priorityPaint } from "./print-tasks.ts";

const indented = (text: string): string =>
  text
    .split("\n")
    .map((row) => `  ${row}`.trimEnd())
    .join("\n");

/** A task of an answer. */
export type Task = Answer<"show_task">["task"];

function claimWords(claim: Answer<"show_task">["claim"], now: number): string {
  if (claim === null) return "nobody";
  const how = claim.until === undefined ? "whose claim is over, so any part may take it" : `its lease ends ${ago(claim.until, now)}`;
  return `${claim.agent} (fence ${claim.fence}), ${how}${claim.origin === undefined ? "" : `, claimed ${claim.origin}`}`;
}

/** What a file of the board says is one line, so that no name in it looks like the line below. */
const onOneLine = (text: string): string => text.replace(/\s+/g, " ");

/** A task with its text, who holds it, and its history. */
export const printTask: Printer<"show_task"> = ({ task, origin, history, claim, former }, style) => {
  const facts = [
    ["status", statusPaint(task.status, style)(task.status)],
    ["priority", priorityPaint(task.priority, style)(task.priority)],
    ["assignee", task.assignee ?? "-"],
    ["held by", claimWords(claim, style.now)],
    ...(former === undefined ? [] : [["before", former]]),
    ["created by", `${task.created_by}, ${when(task.created_at, style)}`],
    ...(origin === undefined ? [] : [["text", style.yellow(origin)]]),
    ...(task.depends_on.length === 0 ? [] : [["depends on", task.depends_on.map(short).join(", ")]]),
    ...(task.blocked_reason === undefined ? [] : [["blocked", style.red(plainLine(task.blocked_reason))]]),
    ...(task.blocked_by === undefined ? [] : [["blocked by", style.red(task.blocked_by.map(short).join(", "))]]),
    ...(task.reviewers === undefined ? [] : [["reviewer", task.reviewers.join(", ")]]),
    ...(task.review === undefined ? [] : [["review", plainLine(task.review)]]),
    ...(task.parent_task_id === null ? [] : [["derived from", short(task.parent_task_id)]]),
    ...(task.derived_reason === null ? [] : [["because", plainLine(task.derived_reason)]]),
  ].map(([name, value]) => `${style.dim((name as string).padEnd(13))}${onOneLine(value as string)}`);
  const lines = history.map((line) => {
    const [at = "", ...rest] = line.split(" ");
    return `  ${style.dim(ago(at, style.now).padEnd(11))}${plainLine(rest.join(" "))}`;
  });
  return [
    `${style.bold(plainLine(task.title))}  ${style.dim(short(task.id))}\n${facts.join("\n")}`,
    ...((task.description ?? "") === "" ? [] : [indented(task.description as string)]),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ].join("\n\n");
};
