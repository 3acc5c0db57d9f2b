/** Tasks as the chains of their claims have them, where their files do not say so yet. SPEC.md, "Claiming". */

import type { Faults } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { names } from "../../store/read/list-folder.ts";
import { claimsFolder } from "../nouns/claim.ts";
import { claimed, isFinished, type TaskRow } from "../nouns/task.ts";
import { lastClaim } from "./claims.ts";

/**
 * A list of a session's tasks as their claims have them. Costs one listing of the session's claims, and a record for each task
 * that was claimed and is not done.
 * @param faults gets the last records that cannot be read
 */
export function asClaimed<T extends TaskRow>(world: World, session: string, tasks: readonly T[], faults: Faults): readonly T[] {
  const chains = new Set(names(world.home().store, claimsFolder(session)));
  if (chains.size === 0) return tasks;
  return tasks.map((task) => {
    if (isFinished(task.status) || !chains.has(task.id)) return task;
    return claimed(task, lastClaim(world, session, task.id, faults)) ?? task;
  });
}
