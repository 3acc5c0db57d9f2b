/** How many tasks may be derived from one: each takes a number under its parent, created exclusively. spec/commands.md, "Derived tasks". */
import { LIMITS } from "../../objects/format/schema.ts";
import { taskPath } from "../../objects/task/task.ts";
import { refuse } from "../../refusal.ts";
import { publish, removeFile } from "../../store/files.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { exists, names, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";

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
      .flatMap((number) => (number < mine ? (childAt(world, session, `${folder}/${number}`) ?? []) : []));
    // A task that was tried again has a place from each try.
    if (new Set(before.filter((child) => child !== task)).size < LIMITS.derivedSiblings) return;
    removeFile(store, `${folder}/${mine}`);
    throw refuse("too_many_derived", { most: LIMITS.derivedSiblings });
  }
  throw refuse("busy", { path: folder });
}

/** The task that a place was taken for; null when it never came to be. */
function childAt(world: World, session: string, path: string): string | null {
  const { store } = world.home();
  const [task = "", process = ""] = (readText(store, path, ENTRY_BYTES) ?? "").trim().split(" ");
  const counts = task !== "" && (exists(store, taskPath(session, task)) || lifeOf(process) === "alive");
  return counts ? task : null;
}
