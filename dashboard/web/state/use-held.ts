/** Rows that stay where they are while somebody reads them: what is new waits until it is asked for. */
import { useRef } from "preact/hooks";

/** Rows as they are shown, and how many are not shown yet. */
export interface Held<T> {
  rows: T[];
  waiting: number;
  /** Shows them from the next time on. */
  release: () => void;
}

/**
 * @param rows as they would be shown, the newest first
 * @param list what they are a list of: another list begins anew
 * @param isHeld whether somebody reads them now
 */
export function useHeld<T>(rows: readonly T[], keyOf: (row: T) => string, list: string, isHeld: boolean): Held<T> {
  const held = useRef<{ list: string; keys: string[] }>({ list, keys: [] });
  const release = (): void => {
    held.current = { list, keys: [] };
  };
  if (!isHeld || held.current.list !== list) release();
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const known = new Set(held.current.keys);
  const last = rows.findLastIndex((row) => known.has(keyOf(row)));
  // What comes after the last one was asked for by scrolling; what comes before it is new.
  const shown = [...held.current.keys.flatMap((key) => byKey.get(key) ?? []), ...rows.slice(last + 1)];
  held.current = { list, keys: shown.map(keyOf) };
  return { rows: shown, waiting: rows.length - shown.length, release };
}
