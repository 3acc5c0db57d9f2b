/** What the board and a task alone share. */
import type { AnswerOf } from "../state/server.ts";

/** A task in a list. */
export type TaskRow = AnswerOf<"get_all_tasks">["tasks"][number];

/** The argument that names a session. @param session empty for the current one, null where there is none */
export const ofSession = (session: string | null): { session_id?: string } =>
  session === null || session === "" ? {} : { session_id: session };

/** What people type of an id, as the command prints it: what stands after the last `-`. */
export const shortId = (id: string): string => id.split("-").at(-1) ?? id;

/** The columns, and what people call them. */
export const COLUMNS = { todo: "To do", in_progress: "In progress", in_review: "In review", done: "Done" };

/** A column's status. */
export type Column = keyof typeof COLUMNS;

/** The column of a task: one that was given up stands with those that are done, one that is blocked with those that are begun. */
export const columnOf = ({ status }: TaskRow): string => ({ canceled: "done", blocked: "in_progress" })[status] ?? status;

/** What people call a status, within a sentence. */
export const statusWords = (status: string): string => (COLUMNS[status as Column] ?? status).toLowerCase();

/** The priorities of tasks, the least pressing first. */
export const PRIORITIES = ["low", "medium", "high", "critical"] as const;
/** How pressing a task is. */
export type Priority = (typeof PRIORITIES)[number];

/** Three bars, and the word for who does not see them. */
export function PriorityBars({ priority }: { priority: string }) {
  const level = Math.max(0, PRIORITIES.indexOf(priority as Priority)) + 1;
  return (
    <span class={level === 4 ? "pri bad" : "pri"} title={`priority ${priority}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {[1, 2, 3].map((bar) => (
          <rect key={bar} class={bar <= level ? "on" : ""} x={4.5 * (bar - 1)} y={8 - 4 * (bar - 1)} width="3" height={4 * bar} rx="1" />
        ))}
      </svg>
      <span class="vh">priority {priority}</span>
    </span>
  );
}
