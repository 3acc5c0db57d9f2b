/** Checks the board: its files, its claims, and the size of the memories. spec/check.md, "doctor". */
import { append } from "../../objects/format/append.ts";
import type { Finding } from "../../objects/format/finding.ts";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../../objects/memory/memory.ts";
import { type Task, taskPath } from "../../objects/task/task.ts";
import { readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { noting } from "../file-faults.ts";
import { members } from "../part/members.ts";
import { readSession, sessionNames } from "../session/sessions.ts";
import { listTasks } from "../task/list-tasks.ts";

/** Examines the tasks of every open session, and the memories. */
export function examineBoard(world: World): Finding[] {
  const { store } = world.home();
  const open = sessionNames(store).filter((session) => readSession(store, session)?.endedAt === undefined);
  const memories = [MEMORY_PATH, ...members(world).map(({ part }) => agentMemoryPath(part))];
  return [
    ...open.sort().flatMap((session) => waitingForThemselves(session, listTasks(world, session, false, []))),
    ...memories.flatMap((path) => largeMemory(path, noting([], path, () => readText(store, path, MEMORY_BYTES))?.length ?? 0)),
  ];
}

/** Tasks of a ring: people can write one into their files. */
function waitingForThemselves(session: string, tasks: readonly Task[]): Finding[] {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const remedy = "Remove from its depends_on what it need not wait for";
  return tasks
    .filter((task) => task.status !== "done" && waitsForItself(task, known))
    .map(({ id }) => ({ severity: "warning", code: "never_ready", path: taskPath(session, id), problem: "waits for itself", remedy }));
}

function waitsForItself(task: Task, known: ReadonlyMap<string, Task>): boolean {
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
  const remedy = "Shorten it by hand: bring what still holds into sections, and remove what does not";
  return [{ severity: "warning", code: "memory_large", path, problem, remedy }];
}
