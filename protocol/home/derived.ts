/** How many tasks may be derived from one: each takes a number under its parent, created exclusively. SPEC.md, "Derived tasks". */
import { LIMITS } from "../objects/schema.ts";
import { taskPath } from "../objects/task.ts";
import { refuse } from "../refusal.ts";
import { publish, removeFile } from "../store/files.ts";
import { lifeOf, thisProcess } from "../store/process.ts";
import { exists, names, readText } from "../store/read.ts";
import type { World } from "../world.ts";

const ROUNDS = 64;
const ENTRY_BYTES = 512;

/**
 * Takes a place for a task under its parent. A place counts while its task is there, or its maker may still make it.
 * @throws Refusal `too_many_derived`
 */
export function takePlace(world: World, session: string, parent: string, task: string): void {
  const { store } = world.home();
  const folder = `local/derived/${session}/${parent}`;
  for (let round = 0; round < ROUNDS; round += 1) {
    const numbers = names(store, folder)
      .map(Number)
      .filter((number) => Number.isSafeInteger(number) && number > 0);
    const mine = Math.max(0, ...numbers) + 1;
    if (publish(store, `${folder}/${mine}`, `${task} ${thisProcess()}\n`) === "exists") continue;
    const before = names(store, folder)
      .map(Number)
      .filter((number) => number < mine && counts(world, session, `${folder}/${number}`, task));
    if (before.length < LIMITS.derivedSiblings) return;
    removeFile(store, `${folder}/${mine}`);
    throw refuse("too_many_derived", { most: LIMITS.derivedSiblings });
  }
  throw refuse("busy", { path: folder });
}

function counts(world: World, session: string, path: string, own: string): boolean {
  const { store } = world.home();
  const [task = "", process = ""] = (readText(store, path, ENTRY_BYTES) ?? "").trim().split(" ");
  if (task === "" || task === own) return false;
  return exists(store, taskPath(session, task)) || lifeOf(process) === "alive";
}
