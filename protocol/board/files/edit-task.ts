/** What a task says: its title, its description, its priority, its reviewers and what it waits for, which no claim decides. SPEC.md, "Task". */

import type { World } from "../../core/world.ts";
import { changed, type Priority, type Task } from "../nouns/task.ts";
import { changeTask } from "./task-files.ts";

/** The fields that an edit may change. */
export const EDITED = ["title", "description", "priority", "dependsOn", "reviewers"] as const;

/** Fields whose arguments have other names. */
export const EDIT_WORDS: Readonly<Record<string, string>> = { dependsOn: "depends_on", reviewers: "reviewer" };

/** The new values of a task's fields. A field without one stays as it is. */
export interface TaskEdit {
  title: string | undefined;
  /** Markdown; an empty one is removed. */
  description: string | undefined;
  priority: Priority | undefined;
  /** Ids of the tasks that are to be done first; they replace the earlier ones. */
  dependsOn: string[] | undefined;
  /** Parts; they replace the earlier ones. */
  reviewers: string[] | undefined;
}

/** What an update says of a task's text; null where it says nothing of it. */
export function editOf({ title, description, priority, dependsOn, reviewers }: Partial<TaskEdit>): Partial<TaskEdit> | null {
  const edit = { title, description, priority, dependsOn, reviewers };
  return EDITED.every((field) => edit[field] === undefined) ? null : edit;
}

/**
 * Changes what a task says, with a line of its history that names the fields.
 * @throws Refusal `unknown_task`, `malformed_file`
 */
export function editTask(world: World, session: string, id: string, edit: Partial<TaskEdit>, agent: string): Promise<Task> {
  const at = new Date(world.now()).toISOString();
  return changeTask(world, session, id, agent, (now) => {
    const fields = EDITED.filter((field) => edit[field] !== undefined && JSON.stringify(edit[field]) !== JSON.stringify(now[field]));
    if (fields.length === 0) return null;
    const what = fields
      .map((field) => (field === "priority" ? `priority ${now.priority} → ${edit.priority}` : `${EDIT_WORDS[field] ?? field} changed`))
      .join(", ");
    return changed(now, at, agent, what, Object.fromEntries(fields.map((field) => [field, edit[field]])));
  });
}
