/** Checks the board, the size of the memories, and `RELAY.md`, which agents obey. spec/check.md, "doctor". */
import { append } from "../../objects/format/append.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../../objects/memory/memory.ts";
import { type TaskRow, taskPath } from "../../objects/task/task.ts";
import { readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { noting } from "../broken-files.ts";
import { members } from "../part/members.ts";
import { readSession, sessionNames } from "../session/sessions.ts";
import { listTasks } from "../task/list-tasks.ts";

/** Examines the tasks of every open session, and the memories. */
export function examineBoard(world: World): Finding[] {
  const { store } = world.home();
  const open = sessionNames(store).filter((session) => readSession(store, session)?.endedAt === undefined);
  const memories = [MEMORY_PATH, ...members(world).map(({ part }) => agentMemoryPath(part))];
  return [
    ...open.sort().flatMap((session) => waitingForThemselves(session, listTasks(world, session, []))),
    ...memories.flatMap((path) => largeMemory(path, noting([], path, () => readText(store, path, MEMORY_BYTES))?.length ?? 0)),
  ];
}

/** Tasks of a ring: people can write one into their files. */
function waitingForThemselves(session: string, tasks: readonly TaskRow[]): Finding[] {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const remedy = "Remove a task from its depends_on that it need not wait for";
  return tasks
    .filter((task) => task.status !== "done" && waitsForItself(task, known))
    .map(({ id }) => found("never_ready", "waits for itself", { path: taskPath(session, id), remedy }));
}

function waitsForItself(task: TaskRow, known: ReadonlyMap<string, TaskRow>): boolean {
  const seen = new Set<string>();
  const ahead = [...task.dependsOn];
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    const next = known.get(id);
    if (id === task.id) return true;
    if (seen.has(id) || next === undefined || next.status === "done") continue;
    seen.add(id);
    append(ahead, next.dependsOn);
  }
  return false;
}

function largeMemory(path: string, length: number): Finding[] {
  if (length <= MEMORY_LARGE) return [];
  const problem = `${length} characters, more than a prompt should hold (${MEMORY_LARGE})`;
  const remedy = "Shorten it by hand: keep in sections what is still true, and remove the rest";
  return [found("memory_large", problem, { path, remedy })];
}

export const GUIDE_BYTES = 1_048_576;
