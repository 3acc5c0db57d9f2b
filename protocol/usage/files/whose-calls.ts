/** Whose the calls of a record are: the part of its worktree, and the task that this part holds now. */
import path from "node:path";
import { heldBy } from "../../board/files/held-tasks.ts";
import { openSessionNames } from "../../board/files/sessions.ts";
import { sessionPath } from "../../board/nouns/session.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import type { Whose } from "./collect-usage.ts";

/**
 * Whose the calls of a worktree are that are collected now. A part that holds several tasks, or none, says no task; the session is then
 * the one that goes on here, where that is one.
 * @param top absolute path of the worktree; only the name of its folder is kept
 */
export function whoseCalls(world: World, part: string | null, top: string): Whose {
  const of = {
    worktree: path.basename(top),
    ...(world.home().config().usage.billing === "subscription" ? { subscription: true as const } : {}),
  };
  const [held, ...others] = part === null ? [] : heldBy(world, part);
  if (held !== undefined && others.length === 0) return { ...of, part: part as string, session: held.session, task: held.task };
  const session = onlySession(world);
  return { ...of, ...(part === null ? {} : { part }), ...(session === null ? {} : { session }) };
}

/**
 * The one session that has not ended: of those that were begun here, where one was; null where there is none, or several. So no session
 * that a push brings takes calls from the one that goes on here.
 */
function onlySession(world: World): string | null {
  const { store } = world.home();
  const open = openSessionNames(store);
  const originOf = originsOf(world);
  const isOurs = (session: string): boolean => exists(store, sessionPath(session)) && originOf(sessionPath(session)).from !== "sync";
  const ours = open.length > 1 ? open.filter(isOurs) : [];
  const [session, ...more] = ours.length > 0 ? ours : open;
  return session === undefined || more.length > 0 ? null : session;
}
