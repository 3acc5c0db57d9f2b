/** Prints for people: a list of tasks. */
import type { Answer, Printer, Style } from "../style.ts";
import { boundedTable, table } from "../table.ts";
import { ago, many, plainLine, short } from "../words.ts";
import { type Paint, since, statusPaint } from "./board-words.ts";
import type { Task } from "./print-task.ts";

/** How a priority is painted. */
export function priorityPaint(priority: string, style: Style): Paint {
  return { critical: style.red, high: style.yellow }[priority] ?? style.dim;
}

/** Tasks that block another, as a row names them. */
const BLOCKERS = 5;

function blockers({ blocked_by = [], blocked_reason }: Task): string {
  const more = blocked_by.length > BLOCKERS ? ` and ${blocked_by.length - BLOCKERS} more` : "";
  const all = blocked_by.length === 0 ? "" : `blocked by ${blocked_by.slice(0, BLOCKERS).map(short).join(", ")}${more}`;
  return plainLine(blocked_reason ?? all);
}

/** The end of a lease, or the word that it is over. */
const leaseWords = ({ claim }: Row, now: number): string =>
  claim === undefined ? "" : claim.until === undefined ? ", lease over" : `, lease ends ${ago(claim.until, now)}`;
type Row = Answer<"get_all_tasks">["tasks"][number];

/** A line with the tasks that others could start. */
const byOthers = (others: NonNullable<Answer<"get_all_tasks">["others"]>, style: Style): string[] =>
  others.length === 0
    ? []
    : [
        style.dim(
          `others could start: ${others.map(({ id, title, assignee }) => `${short(id)} ${plainLine(title)} (${plainLine(assignee ?? "-")})`).join(", ")}`,
        ),
      ];

/** The tasks of a session, a line each, with the age of the last change. */
export const printTasks: Printer<"get_all_tasks"> = ({ tasks, total, session_id, others = [] }, style, input) => {
  const where = session_id === null ? "" : ` in session ${session_id}`;
  if (tasks.length === 0 && session_id === null) return style.dim("No session yet. To begin one: relay session start TITLE");
  if (tasks.length === 0)
    return [
      style.dim(
        input["ready"] !== true ? `No tasks${where}.` : `No task can be started ${others.length === 0 ? "now" : "by you now"}${where}.`,
      ),
      ...byOthers(others, style),
    ].join("\n");
  const rows = tasks.map((task) => [
    { text: short(task.id), paint: style.yellow },
    { text: plainLine(task.review ?? task.status), paint: statusPaint(task.status, style) },
    { text: task.priority, paint: priorityPaint(task.priority, style) },
    task.assignee === null
      ? { text: "-", paint: style.dim }
      : { text: `${plainLine(task.assignee)}${leaseWords(task, style.now)}`, paint: style.bold },
    since(task.updated_at, style),
    { text: blockers(task), paint: style.red },
    plainLine(task.title),
  ]);
  const first = tasks.find(
    (task) => task.status === "todo" && task.blocked_by === undefined && (input["ready"] === true || task.assignee === null),
  );
  const next = first === undefined ? "" : ` · take: relay task claim ${short(first.id)}`;
  const count = total > tasks.length ? `${tasks.length} of ${many(total, "task")}` : many(total, "task");
  return `${(input["limit"] === undefined ? boundedTable : table)(rows, style, "cut")}\n${[style.dim(`${count}${where}${next}`), ...byOthers(others, style)].join("\n")}`;
};
