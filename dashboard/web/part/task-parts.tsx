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

/** The column of a task: one that was given up stands with those that are done. */
export const columnOf = ({ status }: TaskRow): string => (status === "canceled" ? "done" : status);

/** What people call a status, within a sentence. */
export const statusWords = (status: string): string => (COLUMNS.find(([each]) => each === status)?.[1] ?? status).toLowerCase();

/** The priorities of tasks, the least pressing first. */
export const PRIORITIES = ["low", "medium", "high", "critical"] as const;
/** How pressing a task is. */
export type Priority = (typeof PRIORITIES)[number];

/** Three bars, and the word for who does not see them. */
export function PriorityBars({ priority }: { priority: string }) {
  const level = Math.max(0, PRIORITIES.indexOf(priority as Priority)) + 1;
  return (
    <span class={`pri p${level}`} title={`priority ${priority}`}>
      <i />
      <i />
      <i />
      <span class="vh">priority {priority}</span>
    </span>
  );
}

/** A field in which a priority is chosen, with its label. */
export const PriorityPick = ({ id, value, pick }: { id: string; value: Priority; pick: (priority: Priority) => void }) => (
  <>
    <label for={id}>Priority</label>
    <select id={id} class="pick" value={value} onChange={(event) => pick(event.currentTarget.value as Priority)}>
      {PRIORITIES.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  </>
);
