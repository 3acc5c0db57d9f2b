/** A task as it is now: its file, and what the chain of its claims says beyond it. SPEC.md, "Task" and "Claiming". */
import { FILE_BYTES } from "../../objects/format/size-limits.ts";
import { type ClaimRecord, claimPath, type Hold } from "../../objects/task/claim.ts";
import { claimed, isTaskId, parseTask, type Task, type TaskStatus, taskPath } from "../../objects/task/task.ts";
import { refuse } from "../../refusal.ts";
import { readText } from "../../store/read.ts";
import { finishReplacing } from "../../store/replace.ts";
import type { World } from "../../world.ts";
import { failsForNow } from "../commit-then-finish.ts";
import { type Faults, mustRead, noting } from "../file-faults.ts";
import { catchUpTask } from "./change-task.ts";
import { holdBy, lastClaim, lastFence } from "./claim-read.ts";
import { requireTaskId } from "./find-task.ts";

/** Reads a task; null when there is none. @throws Refusal `malformed_file` */
export function readTask(world: World, session: string, id: string): Task | null {
  const { store } = world.home();
  if (!isTaskId(id)) return null;
  const path = taskPath(session, id);
  finishReplacing(store, path);
  return mustRead(path, () => {
    const source = readText(store, path, FILE_BYTES.task);
    return source === null ? null : parseTask(source, id);
  });
}

/**
 * A task that must be there, by its id or a unique piece of it, as the chain of its claims says.
 * @param faults gets a last record that cannot be read, where the task is only to be shown: it is as its file says then
 * @throws Refusal `unknown_task`, `ambiguous_id`, `malformed_file`
 */
export async function requireTask(world: World, session: string, given: string, faults?: Faults): Promise<Task> {
  const task = readTask(world, session, requireTaskId(world, session, given));
  if (task === null) throw refuse("unknown_task", { given });
  if (task.fence >= lastFence(world, session, task.id)) return task;
  const path = claimPath(session, task.id, task.fence);
  if (faults !== undefined && noting(faults, path, () => lastClaim(world, session, task.id)) === null) return task;
  return asClaimedBy(world, session, task, lastClaim(world, session, task.id));
}

/** A task, and who holds it. */
export interface TaskAndHold {
  task: Task;
  hold: Hold;
}

/**
 * A task that must be there with who holds it, by one reading of its chain: a decision goes by what both say at one moment.
 * @returns null where a claim came while the task's file was made to say so: then it is to be looked at again
 * @throws Refusal `unknown_task`, `ambiguous_id`, `malformed_file`
 */
export async function taskAndHold(world: World, session: string, given: string): Promise<TaskAndHold | null> {
  const file = readTask(world, session, requireTaskId(world, session, given));
  if (file === null) throw refuse("unknown_task", { given });
  const last = lastClaim(world, session, file.id);
  const task = await asClaimedBy(world, session, file, last);
  if (task.fence > Math.max(file.fence, last?.fence ?? 0)) return null;
  return { task, hold: holdBy(world, session, last, task.fence) };
}

/** The status of other tasks of a session, for dependencies; a file that cannot be read is not done. */
export function statusReader(world: World, session: string): (id: string) => TaskStatus | null {
  return (id) => {
    try {
      return isTaskId(id) ? (readTask(world, session, id)?.status ?? null) : null;
    } catch {
      return null;
    }
  };
}

/** A record this young is put into the task's file by whoever made it. */
const YOUNG_MS = 10_000;

/**
 * A task as the last record of its claims has it; its file is made to say so where nobody else does, and the disk takes it.
 * @param record null where the task was never claimed
 */
async function asClaimedBy(world: World, session: string, task: Task, record: ClaimRecord | null): Promise<Task> {
  const settled = claimed(task, record);
  if (record === null || settled === null) return task;
  if (world.now() - Date.parse(record.at) < YOUNG_MS) return settled;
  try {
    return await catchUpTask(world, session, task.id);
  } catch (error) {
    if (!failsForNow(error)) throw error;
    return settled;
  }
}
