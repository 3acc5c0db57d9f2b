/** Tasks: one Markdown file each, which a person may read and edit by hand. SPEC.md, "Task". */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import {
  formatFrontmatter,
  type Header,
  headerError,
  lineOfKey,
  parseFrontmatter,
  withoutUndefined,
} from "../../core/format/frontmatter.ts";
import { lineProblem } from "../../core/format/hidden.ts";
import { LIMITS, timeOfFile } from "../../core/format/schema.ts";
import { type ClaimRecord, FENCE_MOST } from "./claim.ts";
import { sessionFolder } from "./session.ts";

/** Every status of a task. */
export const TASK_STATUSES = ["todo", "in_progress", "in_review", "done", "canceled", "blocked"] as const;
/** A status of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number];
/** Whether nothing is left to do of a task: what depends on it may begin. */
export const isFinished = (status: TaskStatus | null | undefined): status is "done" | "canceled" =>
  status === "done" || status === "canceled";

/** Every priority, the most pressing first. */
export const PRIORITIES = ["critical", "high", "medium", "low"] as const;
/** A priority of a task. */
export type Priority = (typeof PRIORITIES)[number];

/** A task as its file says. Times are ISO 8601. */
export interface Task {
  id: string;
  title: string;
  status: TaskStatus;
  priority: Priority;
  assignee?: string | undefined;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  dependsOn: string[];
  /** The task it was derived from. */
  parent?: string | undefined;
  derivedReason?: string | undefined;
  /** Why it is `blocked`; no other status has one. */
  blockedReason?: string | undefined;
  /** The parts that are asked to review it when it is handed in, where that names none. */
  reviewers?: string[] | undefined;
  /** The number of the claim record that this file knows of; 0 while it was never claimed. */
  fence: number;
  /** Keys this version does not know, kept as they are. */
  other: Header;
  description: string;
  /** What happened to it, a line each, oldest first. */
  history: string[];
}

/** A task as lists have it: nobody can write its file from that. */
export type TaskRow = Omit<Task, "description" | "history"> & { changedBy?: string | undefined };

const TASK_ID = /^task-[0-9a-hjkmnp-tv-z]{10}$/;
/** Random characters of a task's id. */
export const TASK_RANDOM = 10;

/** `task-<random>`. */
export const taskId = (random: string): string => `task-${random}`;
/** Whether a text is the id of a task. */
export const isTaskId = (text: string): boolean => TASK_ID.test(text);

/** Where the tasks of a session lie. */
export const taskFolder = (session: string): string => `${sessionFolder(session)}/tasks`;
/** Where a task lies. */
export const taskPath = (session: string, task: string): string => `${taskFolder(session)}/${task}.md`;

const TaskHeader = z.looseObject({
  id: z.string(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  priority: z._default(z.enum(PRIORITIES), "medium"),
  assignee: z.optional(z.nullable(z.string())),
  created_by: z._default(z.string(), "human"),
  created_at: z.optional(timeOfFile()),
  updated_at: z.optional(timeOfFile()),
  depends_on: z.optional(z.nullable(z.array(z.string()))),
  parent_task_id: z.optional(z.nullable(z.string())),
  derived_reason: z.optional(z.nullable(z.string())),
  blocked_reason: z.optional(z.nullable(z.string())),
  reviewers: z.optional(z.nullable(z.array(z.string()))),
  fence: z._default(z.int().check(z.gte(0), z.lte(FENCE_MOST)), 0),
});
const KNOWN = new Set(Object.keys(TaskHeader.shape));
const HISTORY = "## History";
/** The last history lines that a task keeps. */
export const HISTORY_LINES = 500;
const EPOCH = new Date(0).toISOString();

/** Writes a task's file. The law `parseTask(formatTask(t)) = t` holds for every task. */
export function formatTask(task: Task): string {
  return formatFrontmatter(
    {
      id: task.id,
      title: task.title,
      status: task.status,
      priority: task.priority,
      assignee: task.assignee,
      created_by: task.createdBy,
      created_at: task.createdAt,
      updated_at: task.updatedAt,
      depends_on: task.dependsOn.length === 0 ? undefined : task.dependsOn,
      parent_task_id: task.parent,
      derived_reason: task.derivedReason,
      blocked_reason: task.blockedReason,
      reviewers: task.reviewers,
      fence: task.fence === 0 ? undefined : task.fence,
      ...task.other,
    },
    `${task.description}\n\n${HISTORY}\n${task.history.map((line) => `\n- ${line}`).join("")}`,
  );
}

/**
 * Reads a task's file, as Relay or a person wrote it: only a title and a status must be there.
 * @param expected the id that its path says
 * @throws FileError, with the line
 */
export function parseTask(source: string, expected: string): Task {
  const { header, body } = parseFrontmatter(source);
  const parsed = TaskHeader.safeParse({ id: expected, ...header });
  if (!parsed.success) {
    throw headerError(source, header, parsed.error.issues);
  }
  const fields = parsed.data;
  if (fields.id !== expected) {
    throw new FileError(`id and path disagree: expected "${expected}", it says ${JSON.stringify(fields.id)}`, lineOfKey(source, "id"));
  }
  // A folded text of YAML ends in a line break.
  const title = fields.title.replace(/\n$/, "");
  const problem = lineProblem(title, LIMITS.taskTitle);
  if (problem !== null) throw new FileError(`title: ${problem}`, lineOfKey(source, "title"));
  const createdAt = fields.created_at ?? EPOCH;
  return withoutUndefined({
    id: expected,
    title,
    status: fields.status,
    priority: fields.priority,
    assignee: fields.assignee?.trim() || undefined,
    createdBy: fields.created_by,
    createdAt,
    updatedAt: fields.updated_at ?? createdAt,
    dependsOn: fields.depends_on ?? [],
    parent: fields.parent_task_id ?? undefined,
    derivedReason: fields.derived_reason ?? undefined,
    blockedReason: fields.status === "blocked" ? (fields.blocked_reason ?? undefined) : undefined,
    reviewers: fields.reviewers?.length === 0 ? undefined : (fields.reviewers ?? undefined),
    fence: fields.fence,
    other: Object.fromEntries(Object.entries(header).filter(([key]) => !KNOWN.has(key))),
    ...bodyOf(body),
  });
}

/** The description and the history: what follows the last heading of that name, where it is a list and nothing else. */
function bodyOf(body: string): { description: string; history: string[] } {
  // What Relay wrote is taken as it is. An editor that changed the line breaks changed all of them, that of the heading too.
  const asWritten = `\n${body}`.includes(`\n${HISTORY}\n`);
  const text = asWritten ? body : body.replaceAll("\r\n", "\n").replace(/\r$/, "");
  const at = `${text}\n`.lastIndexOf(`\n${HISTORY}\n`) + 1;
  const isThere = `${text}\n`.startsWith(`${HISTORY}\n`, at);
  const lines = isThere
    ? text
        .slice(at + HISTORY.length + 1)
        .split("\n")
        .filter((line) => line !== "")
    : [];
  if (!isThere || !lines.every((line) => line.startsWith("- "))) return { description: text, history: [] };
  return { description: text.slice(0, at).replace(/\n{1,2}$/, ""), history: lines.map((line) => line.slice(2)) };
}

/** Order of a list: by priority, then by age, then by id. */
export function compareTasks(a: TaskRow, b: TaskRow): number {
  const rank = PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority);
  if (rank !== 0) return rank;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** The dependencies of a task that are not done; one that is not there is not done. */
export const unmetOf = (task: Pick<Task, "dependsOn">, statusOf: (id: string) => TaskStatus | null): string[] =>
  task.dependsOn.filter((id) => !isFinished(statusOf(id)));

/** The task as it is after a change made now, with a line of history where it has one. The reason of a block ends with it. */
export function changed<T extends WithOrWithoutHistory>(task: T, at: string, by: string, what: string, change: Partial<Task>): T {
  const { history } = task;
  const after = { ...task, ...change, updatedAt: at, ...(history === undefined ? {} : { history: [...history, `${at} ${by}: ${what}`] }) };
  return after.status === "blocked" || after.blockedReason === undefined ? after : { ...after, blockedReason: undefined };
}
type WithOrWithoutHistory = TaskRow & Partial<Pick<Task, "history">>;

/** The line of a history that says that a task was taken back with the commit that began it. */
export const TAKEN_BACK = "taken back";
/** Whether the last that happened to a task is that it was taken back: then nobody did it. */
export const isTakenBack = ({ status, history }: Pick<Task, "status" | "history">): boolean =>
  status === "done" && history.at(-1)?.endsWith(`: ${TAKEN_BACK}`) === true;

/** Whom the lines of a time in a task's history assign it to, and who did. @param at ISO 8601, as the line has it */
export function assignedAt({ history }: Pick<Task, "history">, at: string): { by: string; to: string }[] {
  return history.flatMap((line) => {
    const [, by, to] = line.startsWith(`${at} `) ? (/^\S+ (\S+): (?:.*, )?assigned to (\S+)$/.exec(line) ?? []) : [];
    return by === undefined || to === undefined ? [] : [{ by, to }];
  });
}

/** The line of a history that says that a task is blocked. @param before the status that it had */
export const blockedLine = (before: TaskStatus, reason = ""): string =>
  `${before === "blocked" ? "" : `${before} → `}blocked ${JSON.stringify(reason)}`;

/** Parts that block a task, by the lines of a time in its history. @param at ISO 8601, as the line has it */
export function blockedAt({ history }: Pick<Task, "history">, at: string): string[] {
  return history.flatMap((line) => (line.startsWith(`${at} `) ? (/^\S+ (\S+): (?:\S+ → )?blocked "/.exec(line)?.[1] ?? []) : []));
}

/** The task as the last record of its claims has it; null where the task knows of that record. */
export function claimed<T extends WithOrWithoutHistory>(task: T, record: ClaimRecord | null): T | null {
  if (record === null || record.fence <= task.fence) return null;
  // A review was the earlier holder's, unless the record hands it over.
  const isOver = task.status === "in_review" && record.status === undefined;
  return afterClaim(isOver ? { ...task, status: "in_progress" } : task, record);
}

const withReason = (what: string, { reason }: ClaimRecord): string => (reason === undefined ? what : `${what} ${JSON.stringify(reason)}`);

/** A task as a record of its claims says that it is. */
export function afterClaim<T extends WithOrWithoutHistory>(task: T, record: ClaimRecord): T {
  const { kind, agent, fence, at, to } = record;
  if (kind === "done") {
    const status = record.status === "canceled" ? "canceled" : "done";
    return changed(task, at, agent, withReason(status, record), { status, fence });
  }
  if (kind === "release") return changed(task, at, agent, withReason("released", record), { status: "todo", assignee: to, fence });
  const status = record.status === "in_review" || task.status === "in_review" ? "in_review" : "in_progress";
  const from = task.status === "in_progress" && task.assignee !== agent ? `, taken over from ${task.assignee ?? "nobody"}` : "";
  return changed(task, at, agent, `claimed (fence ${fence}${from})`, { status, assignee: agent, fence });
}
