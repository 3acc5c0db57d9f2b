/** Tasks with their descriptions, to be searched: kept in this process while their files are as they were. */
import { FILE_BYTES } from "../../objects/format/schema.ts";
import { parseTask, type Task, taskPath } from "../../objects/task/task.ts";
import { facts, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { type Faults, faultOf } from "../broken-files.ts";
import { keep, kept } from "./search-board.ts";

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
