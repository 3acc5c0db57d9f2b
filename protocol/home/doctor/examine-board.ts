/** Checks the board, and the size of the memories. spec/check.md, "doctor". */
import { type Finding, found } from "../../objects/format/finding.ts";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../../objects/memory/memory.ts";
import { tasksInRings } from "../../objects/task/rings.ts";
import { type TaskRow, taskPath } from "../../objects/task/task.ts";
import { readText } from "../../store/read/read-file.ts";
import type { World } from "../../world.ts";
import { noting } from "../broken-files.ts";
import { members } from "../part/members.ts";
import { readSession, sessionNames } from "../session/sessions.ts";
import { listTasks } from "../task/list-tasks.ts";

/** Checks the tasks of every open session, and the memories. Writes nothing; a file that cannot be read is found with the files. */
export function* examineBoard(world: World): Generator<Finding> {
  const { store } = world.home();
  const open = sessionNames(store).filter((session) => readSession(store, session)?.endedAt === undefined);
  for (const session of open.sort()) yield* waitingForThemselves(session, listTasks(world, session, []));
  const remedy = "Shorten it by hand: keep in sections what is still true, and remove the rest";
  for (const path of [MEMORY_PATH, ...members(world).map(({ part }) => agentMemoryPath(part))]) {
    const length = noting([], path, () => readText(store, path, MEMORY_BYTES))?.length ?? 0;
    const problem = `${length} characters, more than a prompt should hold (${MEMORY_LARGE})`;
    if (length > MEMORY_LARGE) yield found("memory_large", problem, { path, remedy });
  }
}

/** Tasks of a ring: people can write one into their files. */
function* waitingForThemselves(session: string, tasks: readonly TaskRow[]): Generator<Finding> {
  const remedy = "Remove a task from its depends_on that it need not wait for";
  for (const id of tasksInRings(tasks)) yield found("never_ready", "waits for itself", { path: taskPath(session, id), remedy });
}
