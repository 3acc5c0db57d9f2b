/** How long a wake keeps its state by itself, so that no process need look at it before. spec/waking.md, "The pager". */
import { dueAt } from "./wake.ts";
import type { WakePolicy } from "./wake-policy.ts";
import type { WakeState } from "./wake-state.ts";

/** What a deadline brings is looked for by a few more looks after it: two clocks may differ in when it was. */
const SETTLED_MS = 15_000;

/**
 * Until when a state stays as it is while nothing changes on the disk, in milliseconds since the epoch; null where any look
 * may find it moved, such as while somebody rings.
 * @param served whether there is anything to ring the part by
 */
export function standsUntil(state: WakeState, served: boolean, policy: WakePolicy, nowMs: number): number | null {
  const dueMs = dueAt(state, policy, nowMs);
  const ahead = dueMs !== null && dueMs > nowMs ? dueMs : null;
  switch (state.kind) {
    case "idle":
    case "settled":
      return Number.POSITIVE_INFINITY;
    case "owed": {
      const hasNothing = !served && state.tried.length === 0;
      return hasNothing && dueMs !== null && nowMs >= dueMs + SETTLED_MS ? Number.POSITIVE_INFINITY : ahead;
    }
    case "suppressed":
      return ahead;
    case "typed":
      return state.reported ? ahead : null;
    case "noticed": {
      const againMs = state.atMs + policy.againMs;
      return nowMs >= againMs && nowMs < againMs + SETTLED_MS ? null : ahead;
    }
    case "leased":
    case "expired":
      return null;
  }
}
