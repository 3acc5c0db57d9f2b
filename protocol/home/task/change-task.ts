/** A task's file, made and changed. SPEC.md, "Task". */
import { FILE_BYTES } from "../../objects/format/size-limits.ts";
import { claimed, formatTask, parseTask, TASK_RANDOM, type Task, taskId, taskPath } from "../../objects/task/task.ts";
import { refuse } from "../../refusal.ts";
import { publish } from "../../store/files.ts";
import { replaceFile } from "../../store/replace.ts";
import type { World } from "../../world.ts";
import { mustRead } from "../broken-files.ts";
import { tell } from "../feed.ts";
import { noteHere } from "../note-origins.ts";
import { lastClaim } from "./claim-read.ts";

/** The last history lines that a task keeps. */
const HISTORY_LINES = 500;

/** A new task's id. */
export const newTaskId = (world: World): string => taskId(world.random(TASK_RANDOM));

/** Writes a new task; one that is there already, by the same id, is left as it is. */
export function addTask(world: World, session: string, task: Task): void {
  if (publish(world.home().store, taskPath(session, task.id), formatTask(task)) === "created") {
    noteHere(world, [taskPath(session, task.id)]);
    tellTask(world, session, task, task.createdBy, { created: true });
  }
}

/**
 * Changes a task by a pure function of what it is. Parallel changes all happen, one after the other.
 * @param change gives the changed task, or null to leave it; may throw to refuse
 * @throws Refusal `unknown_task`, `malformed_file`, what `change` throws
 */
export async function changeTask(
  world: World,
  session: string,
  id: string,
  by: string,
  change: (task: Task) => Task | null,
): Promise<Task> {
  const path = taskPath(session, id);
  let result: Task | null = null;
  let before: Task | null = null;
  await replaceFile(world.home().store, path, FILE_BYTES.task, (source) => {
    if (source === null) throw refuse("unknown_task", { given: id });
    before = mustRead(path, () => parseTask(source, id));
    result = change(before);
    return result === null ? null : formatTask({ ...result, history: result.history.slice(-HISTORY_LINES) });
  });
  if (result !== null) tellTask(world, session, result, by);
  return result ?? (before as unknown as Task);
}

function tellTask(world: World, session: string, task: Task, by: string, more: { created?: true } = {}): void {
  const { id, title, status, assignee = null, priority } = task;
  tell(world, { type: "task:updated", part: by, sessionId: session, task: { id, title, status, assignee, priority }, ...more });
}

/** Puts into a task's file what the last record of its claims says, where the file does not know of it yet. */
export function catchUpTask(world: World, session: string, id: string): Promise<Task> {
  return changeTask(world, session, id, "relay", (task) => claimed(task, lastClaim(world, session, id)));
}
