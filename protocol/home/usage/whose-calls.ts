/** Whose the calls of a record are: the part of its worktree, and the task that this part holds now. */
import path from "node:path";
import type { World } from "../../world.ts";
import { heldBy } from "../task/held-tasks.ts";
import type { Whose } from "./collect-usage.ts";

/**
 * Whose the calls of a worktree are that are collected now. A part that holds several tasks, or none, says no task.
 * @param top absolute path of the worktree; only the name of its folder is kept
 */
export function whoseCalls(world: World, part: string | null, top: string): Whose {
  const worktree = path.basename(top);
  if (part === null) return { worktree };
  const [held, ...others] = heldBy(world, part);
  const task = held === undefined || others.length > 0 ? {} : { session: held.session, task: held.task };
  return { part, worktree, ...task };
}
