/**
 * Days whose packs spoke for each of their threads when they were asked, and of which no change was seen since: what their packs rule
 * out need not be looked for, and a search of a rare word opens few days. spec/messages.md, "Search".
 */
import type { Store } from "../../store/root.ts";
import { keepState } from "../thread/recent-state.ts";
import { newestMs, recentState } from "../thread/recent-threads.ts";
import { mayHold, packSign } from "./search-cache.ts";

/** What is known of days for one search. */
export interface Packed {
  /** No message of a day's threads is newer, in milliseconds since the epoch. */
  newestMs(day: string): number;
  /** Whether no message of a day's threads holds a needle. */
  rulesOut(day: string, needle: string): boolean;
  /** Notes that a day's pack spoke for each of its threads. @param sinceMs from when on they were looked at */
  note(day: string, sinceMs: number): void;
  /** Keeps what was noted for the next search. */
  keep(): void;
}

/** Makes it; null in a home whose recent threads are not known, so that each thread is looked at. @param state what is known of them */
export function createPacked(store: Store, state = recentState(store)): Packed | null {
  if (state === null) return null;
  const packed = { ...state.packed };
  let isNew = false;
  return {
    newestMs: (day) => newestMs(state, day),
    rulesOut(day, needle) {
      const [ms, sign] = state.packed[day] ?? [Number.NEGATIVE_INFINITY, ""];
      if (ms < (state.changed[day] ?? 0) || packSign(store, day) !== sign) return false;
      return !mayHold(store, day, needle);
    },
    note(day, sinceMs) {
      const sign = packSign(store, day);
      const [ms, before] = packed[day] ?? [Number.NEGATIVE_INFINITY, null];
      if (sign === null || (before === sign && ms >= (state.changed[day] ?? 0))) return;
      packed[day] = [sinceMs, sign];
      isNew = true;
    },
    keep() {
      if (isNew) keepState(store, { ...state, packed });
    },
  };
}
