/** The pager's watch over terminals that ask something. spec/waking.md, "Telling a person". */

import { withOwnHome } from "../protocol/core/world.ts";
import type { World } from "../protocol/index.ts";
import { unreadIdsSeen } from "../protocol/mail/files/inbox-files.ts";
import { members } from "../protocol/mail/files/members.ts";
import { endBlocked, tellBlocked } from "../protocol/wake/files/blocked-parts.ts";
import { notifies } from "../protocol/wake/files/notify-list.ts";
import type { Tell } from "./ring-part.ts";
import { questionsOf } from "./tmux/asking.ts";

/** Looks after terminals while a pager runs. */
export interface BlockedWatch {
  /** Checks whether a look is due, and begins it; called at each scan of the pager, with the world of that scan. */
  check(seen: World): void;
  /** Waits until no look runs. */
  close(): Promise<void>;
}

/** Terminals are read this often, where a person wants to be told. */
const BEAT_MS = 5_000;
/** A look may cost one part in so many of the time until the next. */
const COST_SHARE = 20;
/** A question that stands for so long is told. */
const BLOCKED_MS = 15_000;

/** Makes a watch. @param parts only these; all for null @param runningMs a clock that only runs */
export function createBlockedWatch(
  shared: World,
  parts: readonly string[] | null,
  tell: Tell,
  runningMs = () => performance.now(),
): BlockedWatch {
  let running: Promise<void> | null = null;
  let nextMs = runningMs();
  /** What each part asks, and since when. */
  const asking = new Map<string, { key: string; sinceMs: number; isTold: boolean }>();

  const look = async (): Promise<void> => {
    const world = withOwnHome(shared);
    if (!notifies(world).some(({ on }) => on.includes("blocked"))) return;
    const all = members(world).flatMap(({ part }) => (parts === null || parts.includes(part) ? [part] : []));
    const asked = await questionsOf(world, all);
    for (const part of all) {
      const question = asked.get(part);
      // What a program without a profile shows may be a question: it matters where mail waits for the answer.
      const isOne = question !== undefined && (question.isSure || unreadIdsSeen(world.home().store, part).length > 0);
      const before = asking.get(part);
      if (before?.key !== question?.key) endBlocked(world, part, question?.key ?? null);
      if (!isOne) {
        asking.delete(part);
        continue;
      }
      const now = runningMs();
      const known = before?.key === question.key ? before : { key: question.key, sinceMs: now, isTold: false };
      asking.set(part, known);
      if (now - known.sinceMs < BLOCKED_MS) continue;
      if (tellBlocked(world, part, question.key, question.words, known.isTold)) tell("blocked", { part });
      known.isTold = true;
    }
  };

  return {
    check(seen) {
      if (running !== null || runningMs() < nextMs || seen.home().store.foreign !== null) return;
      const begunMs = performance.now();
      running = look()
        .catch((error: Error) => tell("fault", { what: "blocked", problem: error.message }))
        .finally(() => {
          running = null;
          nextMs = runningMs() + Math.max(BEAT_MS, (performance.now() - begunMs) * COST_SHARE);
        });
    },
    async close() {
      await running;
    },
  };
}
