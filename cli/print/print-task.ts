/** What people see of tasks. */
import { ago, type Cell, localTime, many, type Printer, type Printers, plainLine, type Style, short, table } from "./style.ts";

/** Times of the board's answers are Unix seconds. */
export const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
/** How long ago; a task that a person wrote by hand may not say when. */
const when = (seconds: number, style: Style): string => (seconds === 0 ? "-" : ago(iso(seconds), style.now));
/** How long ago, as a cell. */
export const since = (seconds: number, style: Style): Cell => ({ text: when(seconds, style), paint: style.dim });
const indented = (text: string): string =>
  text
    .split("\n")
    .map((row) => `  ${row}`.trimEnd())
    .join("\n");

/** Paints a text. */
export type Paint = (text: string) => string;

/** How a status is painted. */
export function statusPaint(status: string, style: Style): Paint {
  const paints: Record<string, Paint> = {
    in_progress: style.cyan,
    in_review: style.yellow,
    pending: style.yellow,
    done: style.green,
    approved: style.green,
    changes_requested: style.red,
  };
  return paints[status] ?? style.dim;
}

interface Task {
  id: string;
  title: string;
  status: string;
  assignee: string | null;
  priority: string;
  created_by: string;
  depends_on: string[];
  blocked_by?: string[];
  parent_task_id: string | null;
  derived_reason: string | null;
  created_at: number;
  description?: string | null;
}

function priorityPaint(priority: string, style: Style): Paint {
  return { critical: style.red, high: style.yellow }[priority] ?? style.dim;
}

const blockers = (task: Task): string => (task.blocked_by === undefined ? "" : `blocked by ${task.blocked_by.map(short).join(", ")}`);

const taskList: Printer = ({ tasks, total, session_id }: { tasks: Task[]; total: number; session_id: string | null }, style, input) => {
  const where = session_id === null ? "" : ` in session ${session_id}`;
  if (tasks.length === 0 && session_id === null)
    return style.dim(
      "No session is open, so there are no tasks in it. Earlier sessions: relay session list; their tasks: relay task list --session ID",
    );
  if (tasks.length === 0) return style.dim(input["ready"] === true ? `Nothing can be started now${where}.` : `No tasks${where}.`);
  const rows = tasks.map((task) => [
    { text: short(task.id), paint: style.yellow },
    { text: task.status, paint: statusPaint(task.status, style) },
    { text: task.priority, paint: priorityPaint(task.priority, style) },
    task.assignee === null ? { text: "-", paint: style.dim } : { text: plainLine(task.assignee), paint: style.bold },
    since(task.created_at, style),
    { text: blockers(task), paint: style.red },
    plainLine(task.title),
  ]);
  const first = tasks.find(
    (task) => task.status === "todo" && task.blocked_by === undefined && (input["ready"] === true || task.assignee === null),
  );
  const next = first === undefined ? "" : ` · take: relay task claim ${short(first.id)}`;
  const count = total > tasks.length ? `${tasks.length} of ${many(total, "task")}` : many(total, "task");
  return `${table(rows, style, "cut")}\n${style.dim(`${count}${where}${next}`)}`;
};

interface Claim {
  agent: string;
  fence: number;
  state: string;
  until?: string;
  origin?: string;
}

function claimWords(claim: Claim | null): string {
  if (claim === null) return "nobody";
  const how = claim.until === undefined ? "whose claim is over: anybody may take it" : `until ${localTime(claim.until)}`;
  return `${claim.agent} (fence ${claim.fence}), ${how}${claim.origin === undefined ? "" : `, claimed ${claim.origin}`}`;
}

/** What a file of the board says is one line, so that no name in it looks like the line below. */
const onOneLine = (text: string): string => text.replace(/\s+/g, " ");

const taskShow: Printer = (
  { task, origin, history, claim }: { task: Task; origin?: string; history: string[]; claim: Claim | null },
  style,
) => {
  const facts = [
    ["status", statusPaint(task.status, style)(task.status)],
    ["priority", priorityPaint(task.priority, style)(task.priority)],
    ["assignee", task.assignee ?? "-"],
    ["held by", claimWords(claim)],
    ["created by", `${task.created_by}, ${when(task.created_at, style)}`],
    ...(origin === undefined ? [] : [["text", style.yellow(origin)]]),
    ...(task.depends_on.length === 0 ? [] : [["depends on", task.depends_on.join(", ")]]),
    ...(task.blocked_by === undefined ? [] : [["blocked by", style.red(task.blocked_by.join(", "))]]),
    ...(task.parent_task_id === null ? [] : [["derived from", task.parent_task_id]]),
    ...(task.derived_reason === null ? [] : [["because", plainLine(task.derived_reason)]]),
  ].map(([name, value]) => `${style.dim((name as string).padEnd(13))}${onOneLine(value as string)}`);
  const lines = history.map((line) => {
    const [at = "", ...rest] = line.split(" ");
    return `  ${style.dim(ago(at, style.now).padEnd(11))}${plainLine(rest.join(" "))}`;
  });
  return [
    `${style.bold(plainLine(task.title))}  ${style.dim(task.id)}\n${facts.join("\n")}`,
    ...((task.description ?? "") === "" ? [] : [indented(task.description as string)]),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ].join("\n\n");
};

const taskChanged: Printer = ({ task_id, status, assignee, fence }, style) =>
  `${style.green("Changed")} ${task_id}: ${status}${assignee === null ? "" : `, ${plainLine(assignee)}`}${fence > 0 ? style.dim(` (fence ${fence})`) : ""}`;

/** How the tasks of the current session stand, as a line of its own; empty without a session. */
export function sessionLine(session: Record<string, number | string> | null, style: Style): string {
  if (session === null) return "";
  const { id, todo, in_progress, in_review, done, ready } = session;
  const counts = Object.entries({ "to do": todo, "in progress": in_progress, "in review": in_review, done }).filter(
    ([, number]) => number !== 0,
  );
  const tasks = counts.length === 0 ? "no tasks" : counts.map(([name, number]) => `${number} ${name}`).join(", ");
  const next = ready === 0 ? "" : style.dim(` · ${ready} can be started: relay task list --ready`);
  return `\nSession ${style.bold(String(id))}: ${tasks}${next}`;
}

/** The printers of tasks, by operation. */
export const taskPrinters: Printers = {
  create_task: ({ task_id }, style) => `${style.green("Created")} ${task_id}`,
  claim_task: ({ claimed, task_id, fence, reason, until, provisional }, style) =>
    claimed
      ? `${style.green("Claimed")} ${task_id}, fence ${fence}${until === undefined ? "" : `, yours until ${localTime(iso(until))}`}${provisional === true ? `\n${style.yellow("provisionally")}: ${plainLine(reason ?? "")}` : ""}`
      : `${style.yellow("Not claimed")} ${task_id}: ${plainLine(reason ?? "")}`,
  update_task: taskChanged,
  release_task: ({ task_id, assignee }, style) =>
    `${style.green("Released")} ${task_id}${assignee === null ? "" : ` to ${plainLine(assignee)}`}.`,
  get_all_tasks: taskList,
  show_task: taskShow,
};
