/** Whether a session goes on: in one that has ended nothing new can begin. SPEC.md, "Session". */
import { asLine, NAME_CHARACTERS } from "../../core/format/hidden.ts";
import { HUMAN } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { readSession, turnOf } from "./sessions.ts";

/** Whether a session has ended for who calls: a connection that started it again after its end goes on with it. */
function endOf(world: World, session: string): { endedAt: string; endedBy: string } | null {
  const { store } = world.home();
  // Most go on, and the names say so.
  const found = world.connection.resumed !== session && turnOf(store, session).ended ? readSession(store, session) : null;
  if (found?.endedAt === undefined) return null;
  return { endedAt: found.endedAt, endedBy: asLine(found.endedBy ?? HUMAN, NAME_CHARACTERS) };
}

/** @throws Refusal `session_ended` where work would be begun in a session that has ended */
export function requireOngoing(world: World, session: string): void {
  const end = endOf(world, session);
  if (end !== null) throw refuse("session_ended", { session_id: session, ended_at: end.endedAt, ended_by: end.endedBy });
}

/** What to say where something was changed in a session that has ended. */
export function endedWarning(world: World, session: string): { warning?: string } {
  const end = endOf(world, session);
  if (end === null) return {};
  return {
    warning: `session ${session} ended at ${end.endedAt}, by ${end.endedBy}; to reopen it: relay session reopen ${session}`,
  };
}
