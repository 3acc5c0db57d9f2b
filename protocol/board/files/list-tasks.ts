/** The tasks of a session as a list: files that did not change since are not read again. SPEC.md, "Task". */
import { append } from "../../core/format/append.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, faultOf } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { type FileFacts, facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { compareTasks, parseTask, type Task, type TaskRow, taskFolder, taskPath } from "../nouns/task.ts";
import { taskNames } from "./task-files.ts";

/** A list that was read, and what the folder was then. */
interface Listed {
  tasks: readonly TaskRow[];
  faults: Faults;
  sign: string;
  settledMs: number;
  /** By a clock that only runs: the machine's own may be set back, and every edit would be missed until it is as late again. */
  lookedMs: number;
}

/** Files read in this process, by path. Descriptions are not kept: most lists leave them out. */
const cache = new Map<string, { sign: string; task: TaskRow }>();
const CACHE_ENTRIES = 50_000;
/** The lists of sessions, by home and session. */
const lists = new Map<string, Listed>();
const LISTS = 1_000;
/** A folder that changed within this time may change again without a new time of change. */
const SETTLED_MS = 2_000;
/** A file that was edited in place leaves its folder as it was, so each file is checked again after this long. */
const LOOK_MS = 1_000;

const signOf = (fact: FileFacts): string => `${fact.inode} ${fact.size} ${fact.modifiedMs}`;

/** Every task of a session, by priority and age, without what only `readTasks` reads. */
export function listTasks(world: World, session: string, faults: Faults): readonly TaskRow[] {
  const { store } = world.home();
  const folder = facts(store, taskFolder(session));
  if (folder === null) return [];
  const place = `${store.root} ${session}`;
  const known = lists.get(place);
  const [nowMs, lookedMs] = [Date.now(), performance.now()];
  const sign = `${folder.inode} ${folder.modifiedMs}`;
  if (known?.sign === sign && known.settledMs > folder.modifiedMs && lookedMs - known.lookedMs < LOOK_MS) {
    append(faults, known.faults);
    return known.tasks;
  }
  const found: Faults = [];
  const tasks = eachTask(world, session, found, rowOf);
  append(faults, found);
  if (lists.size >= LISTS) lists.clear();
  lists.set(place, { tasks, faults: found, sign, settledMs: nowMs - SETTLED_MS, lookedMs });
  return tasks;
}

/** Every task of a session, by priority and age, with all that its file says. */
export const readTasks = (world: World, session: string, faults: Faults): readonly Task[] => eachTask(world, session, faults, taskOf);

/** What is read of each task of a session; one that cannot be read is a fault. */
function eachTask<T extends TaskRow>(
  world: World,
  session: string,
  faults: Faults,
  read: (store: Store, path: string, id: string) => T | null,
): T[] {
  const { store } = world.home();
  return taskNames(world, session)
    .flatMap((id) => {
      const path = taskPath(session, id);
      try {
        return read(store, path, id) ?? [];
      } catch (error) {
        faults.push(faultOf(error, path));
        return [];
      }
    })
    .sort(compareTasks);
}

function taskOf(store: Store, path: string, id: string): Task | null {
  const source = readText(store, path, FILE_BYTES.task);
  return source === null ? null : parseTask(source, id);
}

function rowOf(store: Store, path: string, id: string): TaskRow | null {
  const fact = facts(store, path);
  if (fact === null) return null;
  const place = `${store.root} ${path}`;
  const known = cache.get(place);
  if (known?.sign === signOf(fact)) return known.task;
  const whole = taskOf(store, path, id);
  if (whole === null) return null;
  const { description: _description, history, ...rest } = whole;
  const task = { ...rest, changedBy: /^\S+ (\S+): /.exec(history.at(-1) ?? "")?.[1] };
  if (cache.size >= CACHE_ENTRIES) cache.clear();
  cache.set(place, { sign: signOf(fact), task });
  return task;
}
