/** What spares the pager work: parts that need nothing until a file changes or a time comes, and a feed without a new event. */
import type { World } from "../protocol/index.ts";
import { type FileFacts, isFresh } from "../protocol/store/read/facts.ts";
import type { WakeSigns } from "../protocol/wake/files/wake-chain.ts";
import { standsUntil } from "../protocol/wake/nouns/wake-record.ts";
import type { WakeState } from "../protocol/wake/nouns/wake-state.ts";

/** What no file and no clock tells, such as that a process is gone, is found by a scan this often all the same. */
const SELDOM_MS = 30_000;
/** The wall clock and the one that only runs may differ by this much from one scan to the next. */
const JUMP_MS = 1_000;

/** A part as it was at its last scan. */
interface Stood {
  inbox: FileFacts | null;
  /** Whether this process was ringing it. */
  isRung: boolean;
  /** Not asked of a part that has no mail. */
  around: string | null;
  /** An instant of the wall clock, and one of the clock that only runs. */
  untilMs: number;
  seldomMs: number;
  dueMs: number | null;
}

/** What a part hangs on, taken before it is read: what changes meanwhile shows at the next scan. */
export interface Seen {
  inbox: FileFacts | null;
  /** Whether another change of the inbox might not show yet. */
  isFresh: boolean;
  around: string | null;
  isRung: boolean;
}

/** Parts that stand. */
export interface Standing {
  /** Begins a scan: where the clock was set, nothing counts that was reckoned by it. */
  begin(): void;
  /**
   * Whether a part stands as it did, with when it is due, null for never; else what it is to be compared with later.
   * @param inbox what the folder of its unread mail is now
   */
  compare(
    part: string,
    inbox: FileFacts | null,
    signs: WakeSigns,
    isRung: boolean,
  ): { stands: true; dueMs: number | null } | { stands: false; seen: Seen };
  /** Keeps what a scan found; null for a part that is not to be rung. @param served whether there is anything to ring it by */
  keep(part: string, seen: Seen, state: WakeState | null, served: boolean, dueMs: number | null): void;
}

/** Makes an empty one. */
export function createStanding(world: World): Standing {
  const parts = new Map<string, Stood>();
  let ahead = world.now() - performance.now();
  const isAsItWas = (known: Stood, part: string, inbox: FileFacts | null, signs: WakeSigns): boolean => {
    if (known.inbox?.inode !== inbox?.inode || known.inbox?.modifiedMs !== inbox?.modifiedMs) return false;
    if (known.around === null) return true;
    return world.now() < known.untilMs && performance.now() < known.seldomMs && signs.around(part) === known.around;
  };
  return {
    begin() {
      const before = ahead;
      ahead = world.now() - performance.now();
      if (Math.abs(ahead - before) > JUMP_MS) parts.clear();
    },
    compare(part, inbox, signs, isRung) {
      const known = parts.get(part);
      const fresh = isFresh(inbox);
      if (!fresh && known?.isRung === isRung && isAsItWas(known, part, inbox, signs)) return { stands: true, dueMs: known.dueMs };
      parts.delete(part);
      return { stands: false, seen: { inbox, isFresh: fresh, around: signs.around(part), isRung } };
    },
    keep(part, { inbox, isFresh: mayChange, around, isRung }, state, served, dueMs) {
      // Whoever rings here says itself when that is over.
      const hasOwner = state === null || (isRung && state.kind === "leased");
      const untilMs = hasOwner ? Number.POSITIVE_INFINITY : standsUntil(state, served, world.home().config().wake, world.now());
      if (untilMs === null || mayChange) return;
      const isQuiet = state?.kind === "idle" || state?.kind === "settled";
      if (!isQuiet && around === null) return;
      parts.set(part, { inbox, isRung, around: isQuiet ? null : around, untilMs, seldomMs: performance.now() + SELDOM_MS, dueMs });
    },
  };
}
