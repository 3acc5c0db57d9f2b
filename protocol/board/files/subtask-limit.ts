/** How many tasks may be derived from one: each takes a number under its parent, created exclusively. spec/board.md, "Derived tasks". */
import { LIMITS } from "../../core/format/schema.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { extendChain, numbersIn, plainChain } from "../../store/write/chain.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { taskPath } from "../nouns/task.ts";

const ENTRY_BYTES = 512;

/**
 * Takes a place for a task under its parent. A place counts while its task is there, or its maker may still make it.
 * @throws Refusal `too_many_derived`
 */
export function takePlace(world: World, session: string, parent: string, task: string): void {
  const { store } = world.home();
  const chain = plainChain(`local/derived/${session}/${parent}`);
  const mine = extendChain(store, chain, (last) => ({ text: `${task} ${thisProcess()}\n`, answer: last + 1 }));
  const before = numbersIn(store, chain).flatMap((n) => (n < mine ? (childAt(world, session, chain.pathOf(n)) ?? []) : []));
  // A task that was tried again has a place from each try.
  if (new Set(before.filter((child) => child !== task)).size < LIMITS.derivedSiblings) return;
  removeFile(store, chain.pathOf(mine));
  throw refuse("too_many_derived", { most: LIMITS.derivedSiblings });
}

/** The task that a place was taken for; null when it never came to be. */
function childAt(world: World, session: string, path: string): string | null {
  const { store } = world.home();
  const [task = "", process = ""] = (readText(store, path, ENTRY_BYTES) ?? "").trim().split(" ");
  const counts = task !== "" && (exists(store, taskPath(session, task)) || lifeOf(process) === "alive");
  return counts ? task : null;
}
