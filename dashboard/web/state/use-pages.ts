/** A list by pages: the newest one is asked again on hints, older ones are asked for as somebody comes to them, and stay. */
import { useRef, useState } from "preact/hooks";
import { noPages, type Pages, withNewest, withOlder } from "./pages.ts";

/** One page. The rows of an answer are the same array each time. */
export interface PageOf<T> {
  rows: readonly T[];
  cursor: string | null;
}

/** The list as far as it was asked for. */
export interface Paged<T> {
  rows: T[];
  /** Whether there is an older page. */
  hasMore: boolean;
  /** How many rows the last page had. */
  came: number;
  /** Asks for the next older page. */
  more: () => void;
}

/**
 * @param list what it is a list of: another list begins anew
 * @param newest the newest page, as it is now; undefined while nobody knows
 * @param load asks for the page after a cursor
 */
export function usePages<T>(
  list: string,
  newest: PageOf<T> | undefined,
  keyOf: (row: T) => string,
  load: (cursor: string) => Promise<PageOf<T> | undefined>,
): Paged<T> {
  const held = useRef<{ list: string; pages: Pages<T>; came: number }>({ list, pages: noPages(), came: 0 });
  const isLoading = useRef(false);
  const [, showAgain] = useState(0);
  if (held.current.list !== list) {
    held.current = { list, pages: noPages(), came: 0 };
    isLoading.current = false;
  }
  if (newest !== undefined) held.current.pages = withNewest(held.current.pages, newest.rows, newest.cursor === null, keyOf);
  const { first, older, cursor: after, run } = held.current.pages;
  const cursor = after === undefined ? (newest?.cursor ?? null) : after;
  const more = async (): Promise<void> => {
    if (cursor === null || isLoading.current) return;
    isLoading.current = true;
    const page = await load(cursor);
    const { current } = held;
    if (current.list === list) isLoading.current = false;
    if (page !== undefined && current.list === list && current.pages.run === run)
      held.current = { list, pages: withOlder(current.pages, page.rows, page.cursor, keyOf), came: page.rows.length };
    showAgain((times) => times + 1);
  };
  const came = after === undefined ? (newest?.rows.length ?? 0) : held.current.came;
  return { rows: [...first, ...older], hasMore: cursor !== null, came, more: () => void more() };
}
