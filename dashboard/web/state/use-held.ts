/** Rows that stay where they are while somebody reads them: what is new waits until it is asked for. */
import { useRef } from "preact/hooks";

/** Rows as they are shown, and how many are not shown yet. */
export interface Held<T> {
  rows: T[];
  waiting: number;
  /** Shows them from the next time on. */
  release: () => void;
  /** Takes out rows with which the person is done, also those that the list no longer reaches. */
  drop: (keys: readonly string[]) => void;
}

interface Of<T> {
  /** What they are a list of: another list begins anew. */
  list: string;
  /** Whether somebody reads them now. */
  isHeld: boolean;
  /** Whether there are older rows than these: a row that is gone may only have been pushed out by new ones. */
  isCut: boolean;
  keyOf: (row: T) => string;
}

/** @param rows as they would be shown, the newest first */
export function useHeld<T>(rows: readonly T[], { list, isHeld, isCut, keyOf }: Of<T>): Held<T> {
  const held = useRef<{ list: string; rows: readonly T[] }>({ list, rows: [] });
  const release = (): void => {
    held.current = { list, rows: [] };
  };
  if (!isHeld || held.current.list !== list) release();
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const before = held.current.rows;
  const known = new Set(before.map(keyOf));
  // New rows push out the oldest ones. Of all others, the one that is gone was taken out.
  const reach = before.findLastIndex((row) => now.has(keyOf(row)));
  const kept = before.flatMap((row, at) => now.get(keyOf(row)) ?? (isCut && at > reach ? row : []));
  const isPushed = kept.length > 0 && !now.has(keyOf(kept.at(-1) as T));
  const last = rows.findLastIndex((row) => known.has(keyOf(row)));
  // What comes after the last one was asked for by scrolling; what comes before it is new.
  const shown = isPushed ? kept : [...kept, ...rows.slice(last + 1)];
  held.current = { list, rows: shown };
  const there = new Set(shown.map(keyOf));
  return {
    rows: shown,
    waiting: rows.filter((row) => !there.has(keyOf(row))).length,
    release,
    drop: (keys) => {
      held.current = { list, rows: held.current.rows.filter((row) => !keys.includes(keyOf(row))) };
    },
  };
}
