/** What the board and a task alone share. */
import type { AnswerOf } from "../state/server.ts";

/** A task in a list. */
export type TaskRow = AnswerOf<"get_all_tasks">["tasks"][number];

/** What people type of an id, as the command prints it: what stands after the last `-`. */
export const shortId = (id: string): string => id.split("-").at(-1) ?? id;

/** The columns, and what people call them. */
export const COLUMNS = [
  ["todo", "To do"],
  ["in_progress", "In progress"],
  ["in_review", "In review"],
  ["done", "Done"],
] as const;

const PRIORITIES = ["low", "medium", "high", "critical"];

/** Three bars, and the word for who does not see them. */
export function Priority({ priority }: { priority: string }) {
  const level = Math.max(0, PRIORITIES.indexOf(priority)) + 1;
  return (
    <span class={`pri p${level}`} title={`priority ${priority}`}>
      <i />
      <i />
      <i />
      <span class="vh">priority {priority}</span>
    </span>
  );
}
