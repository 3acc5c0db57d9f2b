/** Which task a person or an agent means: by its id, or by a unique piece of it. SPEC.md, "Ids". */
import { isTaskId, taskFolder, taskPath } from "../../objects/task/task.ts";
import { ambiguousId, refuse } from "../../refusal.ts";
import { exists, names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { sessionNames } from "../session/sessions.ts";

/** Whether a session has a task, be it one that can be read or not. */
export const hasTask = (world: World, session: string, id: string): boolean =>
  isTaskId(id) && exists(world.home().store, taskPath(session, id));

/** The id of a task that must be there, be it one that can be read or not. @throws Refusal `unknown_task`, `ambiguous_id` */
export function requireTaskId(world: World, session: string, given: string): string {
  const id = resolveTask(world, session, given);
  if (id === null || !hasTask(world, session, id)) throw refuse("unknown_task", { given, ...elsewhere(world, session, given) });
  return id;
}

/** The id that a person means by a piece of it (3 characters or more); null when no task has it. @throws Refusal `ambiguous_id` */
export function resolveTask(world: World, session: string, given: string): string | null {
  if (isTaskId(given)) return given;
  const piece = given.toLowerCase().replace(/^task-/, "");
  if (piece.length < 3 || !/^[0-9a-z]+$/.test(piece)) return null;
  const found = taskNames(world, session).filter((id) => id.slice("task-".length).startsWith(piece));
  if (found.length > 1) throw ambiguousId(given, found);
  return found[0] ?? null;
}

/** Whether a session has the task that a person means. @throws Refusal `ambiguous_id` */
function holds(world: World, session: string, given: string): boolean {
  const id = resolveTask(world, session, given);
  return id !== null && hasTask(world, session, id);
}

/**
 * The session to read a task from where none was named: the one that is meant, or another that has the task, for ids are the
 * project's own; null where there is no session at all.
 * @param session the session that is meant
 * @throws Refusal `ambiguous_id`
 */
export function sessionOfTask(world: World, session: string | null, given: string): string | null {
  if (session !== null && holds(world, session, given)) return session;
  const others = sessionNames(world.home().store).filter((other) => other !== session);
  return others.find((other) => holds(world, other, given)) ?? session;
}

/** The session that a task is in, where it is not the one that was meant. */
function elsewhere(world: World, session: string, given: string): { session_id?: string } {
  const found = sessionOfTask(world, session, given) ?? session;
  return found === session ? {} : { session_id: found };
}

/** The one task of all sessions that a person means by its id or a piece of it. @throws Refusal `unknown_task`, `ambiguous_id` */
export function taskOfAny(world: World, given: string): string {
  const found = new Set(sessionNames(world.home().store).flatMap((session) => resolveTask(world, session, given) ?? []));
  if (found.size > 1) throw ambiguousId(given, [...found]);
  const [id] = isTaskId(given) ? [given] : [...found];
  if (id === undefined) throw refuse("unknown_task", { given });
  return id;
}

/** The ids of a session's tasks, in no order; from the names alone. */
export function taskNames(world: World, session: string): string[] {
  return names(world.home().store, taskFolder(session)).flatMap((name) => {
    const id = name.endsWith(".md") ? name.slice(0, -3) : "";
    return isTaskId(id) ? [id] : [];
  });
}
