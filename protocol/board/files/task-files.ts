/**
 * The files of tasks: which one a person or an agent means, by its id or by a unique piece of it; the task as it is now, by its file
 * and by what the chain of its claims says beyond it; and how it is made and changed. SPEC.md, "Ids", "Task" and "Claiming".
 */
import { act, acted } from "../../core/act.ts";
import { orElse } from "../../core/format/file-error.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, mustRead } from "../../core/home/broken-files.ts";
import { failsForNow } from "../../core/home/commit-then-finish.ts";
import { nearestIds, nearestOf } from "../../core/names.ts";
import { ambiguousId, type Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { endExchange } from "../../mail/files/loop-breaker.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { storeOfCall } from "../../store/root.ts";
import { makeFolder } from "../../store/write/make-folder.ts";
import { publish } from "../../store/write/publish.ts";
import { clearRevisions, finishReplacing, replaceFile } from "../../store/write/replace.ts";
import { type ClaimRecord, claimFolder, type Hold } from "../nouns/claim.ts";
import {
  claimed,
  formatTask,
  HISTORY_LINES,
  isFinished,
  isTaskId,
  parseTask,
  TASK_RANDOM,
  type Task,
  type TaskStatus,
  taskFolder,
  taskId,
  taskPath,
} from "../nouns/task.ts";
import { holdBy, lastClaim } from "./claims.ts";
import { sessionNames } from "./sessions.ts";

/** Reads a task; null when there is none. @throws Refusal `malformed_file` */
export function readTask(world: World, session: string, id: string): Task | null {
  const { store } = world.home();
  if (!isTaskId(id)) return null;
  const path = taskPath(session, id);
  finishReplacing(store, path);
  return mustRead(path, () => {
    const source = readText(store, path, FILE_BYTES.task);
    return source === null ? null : parsed(source, id);
  });
}

/** The task that was parsed last: who changes one has read the same text a moment ago. */
let parsedLast: { source: string; id: string; task: Task } | null = null;

function parsed(source: string, id: string): Task {
  if (parsedLast?.source !== source || parsedLast.id !== id) {
    const task = parseTask(source, id);
    // It is handed out again.
    for (const part of [task, task.dependsOn, task.history, task.other]) Object.freeze(part);
    parsedLast = { source, id, task };
  }
  return parsedLast.task;
}

/**
 * A task that must be there, by its id or a unique piece of it, as the chain of its claims says.
 * @param faults gets last records that cannot be read
 * @throws Refusal `unknown_task`, `ambiguous_id`, `malformed_file`
 */
export async function requireTask(world: World, session: string, given: string, faults?: Faults): Promise<Task> {
  const task = readTask(world, session, requireTaskId(world, session, given));
  if (task === null) throw refuse("unknown_task", { given });
  return asClaimedBy(world, session, task, lastClaim(world, session, task.id, faults));
}

/** A task, and who holds it. */
export interface TaskAndHold {
  task: Task;
  hold: Hold;
}

/**
 * A task that must be there with who holds it, by one reading of its chain: a decision goes by what both say at one moment.
 * @returns null where a claim came while the task's file was made to say so: then it is to be read again
 * @throws Refusal `unknown_task`, `ambiguous_id`, `malformed_file`
 */
export async function taskAndHold(world: World, session: string, given: string): Promise<TaskAndHold | null> {
  const id = resolveTask(world, session, given);
  // Which other session has it is asked where it is not there.
  const file = (id === null ? null : readTask(world, session, id)) ?? readTask(world, session, requireTaskId(world, session, given));
  if (file === null) throw refuse("unknown_task", { given });
  const last = lastClaim(world, session, file.id);
  const task = await asClaimedBy(world, session, file, last);
  if (task.fence > Math.max(file.fence, last?.fence ?? 0)) return null;
  return { task, hold: holdBy(world, session, last, task.fence) };
}

/**
 * The status of other tasks of a session, for dependencies, as the last records of their claims have it; a file that cannot be read is
 * not done.
 */
export const statusReader =
  (world: World, session: string): ((id: string) => TaskStatus | null) =>
  (id) =>
    orElse(null, () => {
      const task = isTaskId(id) ? readTask(world, session, id) : null;
      return task === null ? null : (claimed(task, lastClaim(world, session, id)) ?? task).status;
    });

/** A record this young is put into the task's file by whoever made it. */
const YOUNG_MS = 10_000;

/**
 * A task as the last record of its claims has it; its file is made to say so where nobody else does, and the disk takes it.
 * @param record null where the task was never claimed
 */
async function asClaimedBy(world: World, session: string, task: Task, record: ClaimRecord | null): Promise<Task> {
  const caughtUp = claimed(task, record);
  if (record === null || caughtUp === null) return task;
  if (world.now() - Date.parse(record.at) < YOUNG_MS) return caughtUp;
  try {
    return await catchUpTask(world, session, task.id);
  } catch (error) {
    if (!failsForNow(error)) throw error;
    return caughtUp;
  }
}

/** Whether a session has a task, be it one that can be read or not. */
export const hasTask = (world: World, session: string, id: string): boolean =>
  isTaskId(id) && exists(world.home().store, taskPath(session, id));

/** The id of a task that must be there, be it one that can be read or not. @throws Refusal `unknown_task`, `ambiguous_id` */
export function requireTaskId(world: World, session: string, given: string): string {
  const id = resolveTask(world, session, given);
  if (id === null || !hasTask(world, session, id)) throw unknownTask(world, session, given);
  return id;
}

/** So many tasks are read to find one that is called nearly so. */
const TITLES_READ = 500;

/** The refusal of a task that is not there: it names the session that has it, else the nearest by id or title. */
function unknownTask(world: World, session: string, given: string): Refusal {
  const found = sessionOfTask(world, session, given) ?? session;
  if (found !== session) return refuse("unknown_task", { given, session_id: found });
  const ids = taskNames(world, session);
  const titled = ids.slice(0, TITLES_READ).flatMap((id) => orElse([], () => [readTask(world, session, id) ?? []].flat()));
  const near = nearestIds(given.toLowerCase().replace(/^task-/, ""), ids, "task-".length);
  const all = new Set([...near, ...nearestOf(given, titled, ({ title }) => title).map(({ id }) => id)]);
  const title = (id: string): string => titled.find((task) => task.id === id)?.title ?? "";
  return refuse("unknown_task", { given, nearest: [...all].slice(0, 2).map((id) => `${id} ${JSON.stringify(title(id))}`) });
}

/** The id that a person means by a piece of it (3 characters or more); null when no task has it. @throws Refusal `ambiguous_id` */
export function resolveTask(world: World, session: string, given: string): string | null {
  if (isTaskId(given)) return given;
  const piece = given.toLowerCase().replace(/^task-/, "");
  if (piece.length < 3 || !/^[0-9a-z]+$/.test(piece)) return null;
  const found = taskNames(world, session).filter((id) => id.slice("task-".length).startsWith(piece));
  if (found.length > 1) throw ambiguousId(given, found);
  return found[0] ?? null;
}

/** Whether a session has the task that a person means. @throws Refusal `ambiguous_id` */
function holds(world: World, session: string, given: string): boolean {
  const id = resolveTask(world, session, given);
  return id !== null && hasTask(world, session, id);
}

/**
 * The session to read a task from where none was named: the one that is meant, or another that has the task, for ids are the
 * project's own; null where there is no session at all.
 * @param session the session that is meant
 * @throws Refusal `ambiguous_id`
 */
export function sessionOfTask(world: World, session: string | null, given: string): string | null {
  if (session !== null && holds(world, session, given)) return session;
  const others = sessionNames(world.home().store).filter((other) => other !== session);
  return others.find((other) => holds(world, other, given)) ?? session;
}

/** The one task of all sessions that a person means by its id or a piece of it. @throws Refusal `unknown_task`, `ambiguous_id` */
export function taskOfAny(world: World, given: string): string {
  const found = new Set(sessionNames(world.home().store).flatMap((session) => resolveTask(world, session, given) ?? []));
  if (found.size > 1) throw ambiguousId(given, [...found]);
  const [id] = isTaskId(given) ? [given] : [...found];
  if (id === undefined) throw refuse("unknown_task", { given });
  return id;
}

/** The ids of a session's tasks, in no order; from the names alone. */
export function taskNames(world: World, session: string): string[] {
  return names(world.home().store, taskFolder(session)).flatMap((name) => {
    const id = name.endsWith(".md") ? name.slice(0, -3) : "";
    return isTaskId(id) ? [id] : [];
  });
}

/** A new task's id. */
export const newTaskId = (world: World): string => taskId(world.random(TASK_RANDOM));

/** Writes a new task; one that is there already, by the same id, is left as it is. */
export function addTask(world: World, session: string, task: Task): void {
  const { store } = world.home();
  // The folder of its claims is on the disk before the task is: whoever claims it has no folder to make, and one less to flush.
  makeFolder(store, claimFolder(session, task.id));
  const path = taskPath(session, task.id);
  const deed = { paths: [path], event: { ...eventOf(session, task, task.createdBy), created: true } };
  act(
    world,
    deed,
    () => (publish(store, path, formatTask(task)) === "created" ? true : null),
    () => endExchanges(world, task, task.createdBy),
  );
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
  const make = (source: string | null): string | null => {
    if (source === null) throw refuse("unknown_task", { given: id });
    before = mustRead(path, () => parsed(source, id));
    result = change(before);
    return result === null ? null : formatTask({ ...result, history: result.history.slice(-HISTORY_LINES) });
  };
  const { store } = world.home();
  const after = await replaceFile(store, path, FILE_BYTES.task, make);
  if (after !== null && isFinished((result as Task | null)?.status)) {
    // No answer promises it, so a server answers first.
    if (world.connection.lasting) setImmediate(() => clearRevisions(storeOfCall(store), path, after));
    else clearRevisions(store, path, after);
  }
  if (result !== null) {
    endExchanges(world, result, by);
    acted(world, { event: eventOf(session, result, by) });
  }
  return result ?? (before as unknown as Task);
}

/** A change of a task is new to whoever made it, and whoever has it. */
function endExchanges(world: World, { assignee = "" }: Task, by: string): void {
  for (const part of [by, assignee]) if (part !== "") endExchange(world, part);
}

/** The event that tells viewers of a task. */
const eventOf = (session: string, { id, title, status, assignee, priority }: Task, by: string) => ({
  type: "task:updated",
  part: by,
  sessionId: session,
  task: { id, title, status, assignee: assignee ?? null, priority },
});

/**
 * Puts into a task's file what the last record of its claims says, where the file does not know of it yet.
 * @param record the one that was added just now, where it is known; who adds a later one puts that in
 */
export const catchUpTask = (world: World, session: string, id: string, record?: ClaimRecord): Promise<Task> =>
  changeTask(world, session, id, "relay", (task) => claimed(task, record ?? lastClaim(world, session, id)));
