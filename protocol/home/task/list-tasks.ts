/** The tasks of a session as a list: files that did not change since are not read again. SPEC.md, "Task". */
import { append } from "../../objects/format/append.ts";
import { FILE_BYTES } from "../../objects/format/size-limits.ts";
import { compareTasks, parseTask, type Task, taskFolder, taskPath } from "../../objects/task/task.ts";
import { type FileFacts, facts, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { type Faults, faultOf } from "../broken-files.ts";
import { taskNames } from "./read-task.ts";

/** A list that was read, and what the folder was then. */
interface Listed {
  tasks: Task[];
  faults: Faults;
  sign: string;
  settledMs: number;
  lookedMs: number;
}

/** Files read in this process, by path. Descriptions are not kept: most lists leave them out. */
const cache = new Map<string, { sign: string; task: Task }>();
const CACHE_ENTRIES = 50_000;
const lists = new Map<string, Listed>();
/** A folder that changed within this time may change again without a new time of change. */
const SETTLED_MS = 2_000;
/** A file that was edited in place leaves its folder as it was, so each file is looked at again after this long. */
const LOOK_MS = 1_000;

const signOf = (fact: FileFacts): string => `${fact.inode} ${fact.size} ${fact.modifiedMs}`;

/** Every task of a session, by priority and age. @param descriptions whether they are wanted; without, they are empty */
export function listTasks(world: World, session: string, descriptions: boolean, faults: Faults): Task[] {
  const { store } = world.home();
  const folder = facts(store, taskFolder(session));
  if (folder === null) return [];
  const place = `${store.root} ${session}`;
  const known = lists.get(place);
  const now = Date.now();
  const sign = `${folder.inode} ${folder.modifiedMs}`;
  const fresh = known !== undefined && known.sign === sign && known.settledMs > folder.modifiedMs && now - known.lookedMs < LOOK_MS;
  if (fresh && !descriptions) {
    append(faults, known.faults);
    return known.tasks;
  }
  const found: Faults = [];
  const tasks = taskNames(world, session)
    .flatMap((id) => listed(world, session, id, descriptions, found) ?? [])
    .sort(compareTasks);
  append(faults, found);
  if (!descriptions) lists.set(place, { tasks, faults: found, sign, settledMs: now - SETTLED_MS, lookedMs: now });
  return tasks;
}

function listed(world: World, session: string, id: string, description: boolean, faults: Faults): Task | null {
  const { store } = world.home();
  const path = taskPath(session, id);
  try {
    const fact = facts(store, path);
    if (fact === null) return null;
    const place = `${store.root} ${path}`;
    const known = description ? undefined : cache.get(place);
    if (known?.sign === signOf(fact)) return known.task;
    const source = readText(store, path, FILE_BYTES.task);
    if (source === null) return null;
    const task = parseTask(source, id);
    if (description) return task;
    if (cache.size >= CACHE_ENTRIES) cache.clear();
    const short = { ...task, description: "", history: [] };
    cache.set(place, { sign: signOf(fact), task: short });
    return short;
  } catch (error) {
    faults.push(faultOf(error, path));
    return null;
  }
}
