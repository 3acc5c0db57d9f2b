/** The board, as a package: sessions, tasks, claims, artifacts, reviews, memory. */

import type { AnyOperation } from "../core/operation.ts";
import type { Call, Follower, Package } from "../core/package.ts";
import type { World } from "../core/world.ts";
import { stopRenewing } from "./files/claim-task.ts";
import { finishRequest, finishResult } from "./files/finish-review.ts";
import { finishClaiming, finishMoving } from "./files/hand-over.ts";
import { learn } from "./files/memories.ts";
import { currentSession, hasSession, openSession, sessionWarning, turnOf } from "./files/sessions.ts";
import { withdrawOfDone } from "./files/withdraw-reviews.ts";
import { MEMORY_PATH } from "./nouns/memory.ts";
import { isSessionId } from "./nouns/session.ts";

/** What the board gives to the core and to mail. */
export const board: Package = {
  replaces: () => [MEMORY_PATH],
  finishers: {
    claim: (world, session = "", task = "", nonce) =>
      finishClaiming(world, session, task, nonce).then(() => withdrawOfDone(world, session, task)),
    assign: (world, session = "", task = "", atMs) => finishMoving(world, session, task, Number(atMs)),
    review: (world, session = "", review = "") => finishRequest(world, session, review),
    result: (world, session = "", review = "") => finishResult(world, session, review),
  },
  follow: followCall,
  enterSession(world, given, part) {
    const session = given ?? currentSession(world, undefined);
    openSession(world, session, part);
    return session;
  },
  isSessionOver: (store, session) => turnOf(store, session).ended,
  learn: (world, day, lesson, thread) => learn(world, day, lesson, thread),
  disconnect: (connection) => stopRenewing(connection),
};

/** Warns of a session that is not there, and of one that the call began. */
function followCall({ world, operation, input }: Call): Follower {
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
