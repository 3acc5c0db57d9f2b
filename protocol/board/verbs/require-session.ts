import { nearest } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { enter } from "../../mail/files/guests.ts";
import { readSession, sessionNames } from "../files/sessions.ts";
import { isSessionId, type Session } from "../nouns/session.ts";

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
