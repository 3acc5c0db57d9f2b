/** Whose the calls of a record are: the part of its worktree, and the task that this part holds now. */
import path from "node:path";
import type { World } from "../../world.ts";
import { openSessionNames } from "../session/sessions.ts";
import { heldBy } from "../task/held-tasks.ts";
import type { Whose } from "./collect-usage.ts";

/**
 * Whose the calls of a worktree are that are collected now. A part that holds several tasks, or none, says no task; the session is then
 * the one that has not ended, where that is one.
 * @param top absolute path of the worktree; only the name of its folder is kept
 */
export function whoseCalls(world: World, part: string | null, top: string): Whose {
  const of = {
    worktree: path.basename(top),
    ...(world.home().config().usage.billing === "subscription" ? { subscription: true as const } : {}),
  };
  const [held, ...others] = part === null ? [] : heldBy(world, part);
  if (held !== undefined && others.length === 0) return { ...of, part: part as string, session: held.session, task: held.task };
  const [session, ...more] = openSessionNames(world.home().store);
  return { ...of, ...(part === null ? {} : { part }), ...(session === undefined || more.length > 0 ? {} : { session }) };
}
