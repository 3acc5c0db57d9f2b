/** Ends a session, and opens one again that has ended. SPEC.md, "Session". */

import { act } from "../../core/act.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { publish } from "../../store/write/publish.ts";
import { endedPath, formatReopened, formatSession, reopenedPath, type Session, TURNS_MOST } from "../nouns/session.ts";
import { readSession, turnOf } from "./sessions.ts";

/** Records a session's end, once. @returns false when it had ended already */
export function endSession(world: World, id: string, by: string): boolean {
  const { store } = world.home();
  const endedAt = new Date(world.now()).toISOString();
  const session = readSession(store, id) as Session;
  const { ended, turn: now } = turnOf(store, id);
  const path = endedPath(id, now);
  const deed = { paths: [path], event: { type: "session:ended", part: by, sessionId: id } };
  const decide = (): true | null => (publish(store, path, formatSession({ ...session, endedBy: by, endedAt })) === "created" ? true : null);
  return !ended && act(world, deed, decide) !== null;
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
  const text = formatReopened(id, by, new Date(world.now()).toISOString());
  const deed = { paths: [path], event: { type: "session:reopened", part: by, sessionId: id } };
  return act(world, deed, () => (publish(store, path, text) === "created" ? true : null)) !== null;
}
