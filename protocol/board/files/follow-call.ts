/** Calls, as the board sees them: what to say of the session that a call names, or that it began. */
import type { AnyOperation } from "../../core/operation.ts";
import type { Call, Follower } from "../../core/package.ts";
import type { World } from "../../core/world.ts";
import { isSessionId } from "../nouns/session.ts";
import { hasSession, sessionWarning } from "./sessions.ts";

/** Warns of a session that is not there, and of one that the call began. */
export function followCall({ world, operation, input }: Call): Follower {
  const absent = absentSession(world, operation, input);
  return {
    warnings(isRefused) {
      // What was not found is often not there because its session is another.
      if (isRefused) return absent === null || !isSessionId(absent) ? [] : [sessionWarning(world, absent)];
      return [absent === null ? undefined : sessionWarning(world, absent), begunWarning(world, operation, absent !== null)];
    },
  };
}

/** The session that a call names and that does not exist, unless the call begins it. */
function absentSession(world: World, operation: AnyOperation, input: Readonly<Record<string, unknown>>): string | null {
  const named = input["session_id"];
  if (typeof named !== "string" || operation.beginsSession === true) return null;
  return hasSession(world, named) ? null : named;
}

/** What to say of a session that a call began because none was open: a caller who forgot to end one would wonder at two. */
function begunWarning({ connection }: World, { beginsSession }: AnyOperation, isNamed: boolean): string | undefined {
  const { begun } = connection;
  connection.begun = undefined;
  return begun === undefined || isNamed || beginsSession === true ? undefined : `no session was open, so session ${begun} began`;
}
