/** Tasks with their descriptions, to be searched: kept in this process while their files are as they were. */
import { FILE_BYTES } from "../../objects/format/size-limits.ts";
import { parseTask, type Task, taskPath } from "../../objects/task/task.ts";
import { facts, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { type Faults, faultOf } from "../file-faults.ts";
import { sessionNames } from "../session/sessions.ts";
import { taskNames } from "../task/find-task.ts";

/** Tasks read in this process, by path; without their history. */
const kept = new Map<string, { sign: string; task: Task }>();
/** So many characters of titles and descriptions are kept. */
const KEPT_CHARACTERS = 8_000_000;
let characters = 0;

/** Every task of every session; null in its place where it cannot be read, for which `faults` says why. */
export function* eachTask(world: World, faults: Faults): Generator<{ session: string; id: string; task: Task | null }> {
  for (const session of sessionNames(world.home().store)) {
    for (const id of taskNames(world, session)) yield { session, id, task: readWhole(world, session, id, faults) };
  }
}

/** A task as its file says, with its description and without its history; null when it is not there, or cannot be read. */
export function readWhole(world: World, session: string, id: string, faults: Faults): Task | null {
  const { store } = world.home();
  const path = taskPath(session, id);
  try {
    const fact = facts(store, path);
    if (fact === null) return null;
    const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
    const place = `${store.root} ${path}`;
    const known = kept.get(place);
    if (known?.sign === sign) return known.task;
    const source = readText(store, path, FILE_BYTES.task);
    if (source === null) return null;
    const task = { ...parseTask(source, id), history: [] };
    keep(place, sign, task);
    return task;
  } catch (error) {
    faults.push(faultOf(error, path));
    return null;
  }
}

function keep(place: string, sign: string, task: Task): void {
  const length = lengthOf(task) - lengthOf(kept.get(place)?.task);
  if (characters + length > KEPT_CHARACTERS) return;
  characters += length;
  kept.set(place, { sign, task });
}

const lengthOf = (task: Task | undefined): number => (task === undefined ? 0 : task.title.length + task.description.length);
