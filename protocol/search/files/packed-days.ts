/**
 * Days whose packs spoke for each of their threads when they were asked, and of which no change was seen since: what their packs rule
 * out need not be looked for, and a search of a rare word opens few days. spec/messages.md, "Search".
 */

import { isOfItsDay, newestMs } from "../../mail/files/late-days.ts";
import { keepState, type RecentState } from "../../mail/files/recent-state.ts";
import { recentState } from "../../mail/files/recent-threads.ts";
import type { Store } from "../../store/root.ts";
import { mayHold, packSign } from "./search-cache.ts";

/** What is known of days for one search. */
export interface Packed {
  /** Days in the order of their newest messages, the newest first, each with an instant after which none of its threads was written to. */
  newestFirst(days: readonly string[]): Generator<readonly [day: string, newestMs: number]>;
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
  const noted: RecentState["packed"] = {};
  return {
    *newestFirst(days) {
      const late = days.flatMap((day): [string, number][] => (isOfItsDay(state, day) ? [] : [[day, newestMs(state, day)]]));
      late.sort(([, one], [, other]) => (one === other ? 0 : other > one ? 1 : -1));
      let at = 0;
      for (const day of days) {
        if (!isOfItsDay(state, day)) continue;
        const ms = newestMs(state, day);
        for (; (late[at]?.[1] ?? 0) > ms; at += 1) yield late[at] as [string, number];
        yield [day, ms];
      }
      yield* late.slice(at);
    },
    rulesOut(day, needle) {
      const [ms, sign] = state.packed[day] ?? [Number.NEGATIVE_INFINITY, ""];
      if (ms < (state.changed[day] ?? 0) || packSign(store, day) !== sign) return false;
      return !mayHold(store, day, needle);
    },
    note(day, sinceMs) {
      const sign = packSign(store, day);
      const [ms, before] = noted[day] ?? state.packed[day] ?? [Number.NEGATIVE_INFINITY, null];
      if (sign === null || (before === sign && ms >= (state.changed[day] ?? 0))) return;
      noted[day] = [sinceMs, sign];
    },
    keep() {
      if (Object.keys(noted).length > 0) keepState(store, { ...state, packed: { ...state.packed, ...noted } });
    },
  };
}
