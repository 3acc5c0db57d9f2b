/** Ends a session, and opens one again that has ended. SPEC.md, "Session". */

import { tell } from "../../core/home/feed.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { publish } from "../../store/write/publish.ts";
import { noteHere } from "../../trust/files/note-origins.ts";
import { endedPath, formatReopened, formatSession, reopenedPath, type Session, TURNS_MOST } from "../nouns/session.ts";
import { readSession, turnOf } from "./sessions.ts";

/** Records a session's end, once. @returns false when it had ended already */
export function endSession(world: World, id: string, by: string): boolean {
  const { store } = world.home();
  const endedAt = new Date(world.now()).toISOString();
  const session = readSession(store, id) as Session;
  const { ended, turn: now } = turnOf(store, id);
  if (ended || publish(store, endedPath(id, now), formatSession({ ...session, endedBy: by, endedAt })) === "exists") return false;
  noteHere(world, [endedPath(id, now)]);
  tell(world, { type: "session:ended", part: by, sessionId: id });
  return true;
}

/**
 * Opens a session again that has ended.
 * @returns false when it was open
 * @throws Refusal `bad_session` for one that ended too often
 */
export function reopenSession(world: World, id: string, by: string): boolean {
  const { store } = world.home();
  const { ended, turn: now } = turnOf(store, id);
  if (!ended) return false;
  if (now >= TURNS_MOST) throw refuse("bad_session", { given: id, ends: TURNS_MOST });
  const path = reopenedPath(id, now);
  if (publish(store, path, formatReopened(id, by, new Date(world.now()).toISOString())) === "exists") return false;
  noteHere(world, [path]);
  tell(world, { type: "session:reopened", part: by, sessionId: id });
  return true;
}
