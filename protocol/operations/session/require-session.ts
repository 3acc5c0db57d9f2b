import { enter } from "../../home/part/guests.ts";
import { readSession, sessionNames } from "../../home/session/sessions.ts";
import { nearest } from "../../objects/part/part.ts";
import { isSessionId, type Session } from "../../objects/session/session.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";

/** Whoever says who it is joins by what it writes; a person at a terminal need not say so. */
export function joinSession(world: World, session: string, part: string): void {
  if (part !== "") enter(world, session, part);
}

/** The session with exactly this id. @throws Refusal `bad_session`, `unknown_session` */
export function requireSession(world: World, id: string): Session {
  if (!isSessionId(id)) throw refuse("bad_session", { given: id });
  const session = readSession(world.home().store, id);
  if (session === null) throw refuse("unknown_session", { given: id, nearest: nearest(id, sessionNames(world.home().store)).slice(0, 2) });
  return session;
}
