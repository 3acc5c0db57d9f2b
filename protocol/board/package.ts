/** The board, as a package: sessions, tasks, claims, artifacts, reviews, memory. */
import type { Package } from "../core/package.ts";
import { stopRenewing } from "./files/claim-task.ts";
import { finishRequest, finishResult } from "./files/finish-review.ts";
import { followCall } from "./files/follow-call.ts";
import { finishClaiming, finishMoving } from "./files/hand-over.ts";
import { learn } from "./files/memories.ts";
import { currentSession, openSession } from "./files/sessions.ts";
import { withdrawOfDone } from "./files/withdraw-reviews.ts";
import { MEMORY_PATH } from "./nouns/memory.ts";

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
  follow: (call) => followCall(call),
  enterSession(world, given, part) {
    const session = given ?? currentSession(world, undefined);
    openSession(world, session, part);
    return session;
  },
  learn: (world, day, lesson, thread) => learn(world, day, lesson, thread),
  disconnect: (connection) => stopRenewing(connection),
};
