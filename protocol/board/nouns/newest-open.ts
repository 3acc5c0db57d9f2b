/** Which of many sessions is the newest that goes on, without a look at those of earlier days. */
import { addTo } from "../../core/format/append.ts";
import { parseSessionId, type Session } from "./session.ts";

/**
 * The sessions of which the newest one that goes on is one. Days are gone through from the newest on, by the ids that Relay makes: what
 * began on its day is newer than all of earlier days. An id of another form says no day, and is always asked.
 * @param ids of all sessions, in no order
 * @param openOf gives those of some ids that have not ended
 * @param isRead whether a session's file could be read: one that could not says of no other that it is older
 */
export function newestOpen(
  ids: readonly string[],
  openOf: (ids: readonly string[]) => readonly Session[],
  isRead: (session: Session) => boolean,
): Session[] {
  const days = new Map<string, string[]>();
  for (const id of ids) addTo(days, parseSessionId(id)?.day ?? "", id);
  const open = [...openOf(days.get("") ?? [])];
  days.delete("");
  let isFound = false;
  for (const [day, made] of [...days].sort(([a], [b]) => (a < b ? 1 : -1))) {
    const own = openOf(made);
    open.push(...own);
    // One more day: an id may have been made before midnight, and its session begun after it.
    if (isFound) break;
    isFound = own.some((session) => isRead(session) && session.startedAt.slice(0, day.length) >= day);
  }
  return open;
}
