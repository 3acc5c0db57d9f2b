/** Pages of a list whose newest rows come at its head, put together so that none is lost between them. */

/** What is known of a list. */
export interface Pages<T> {
  /** The newest page, as it was answered last. */
  first: readonly T[];
  /** The rows after it: those that newer ones moved out of it, and those of the pages that were asked for. */
  older: readonly T[];
  /** Continues after them; undefined while no older page was asked for, where the newest page's own does. */
  cursor: string | null | undefined;
  /** Another number where the list began anew: a page that was asked for before does not follow on it. */
  run: number;
}

/** Nothing yet. */
export const noPages = <T>(): Pages<T> => ({ first: [], older: [], cursor: undefined, run: 0 });

/** The list with the newest page as it is now. @param isWhole whether there is nothing after it */
export function withNewest<T>(pages: Pages<T>, first: readonly T[], isWhole: boolean, keyOf: (row: T) => string): Pages<T> {
  if (first === pages.first) return pages;
  // A page of a filter may have no row, and a cursor that goes on: nothing came, and nothing went.
  if (!isWhole && first.length + pages.first.length === 0) return { ...pages, first };
  const end = first.at(-1);
  const last = end === undefined ? "" : keyOf(end);
  const at = pages.first.findIndex((row) => keyOf(row) === last);
  // Where the page ends in nothing that is known, nobody knows what lies between.
  if (isWhole || (at === -1 && !pages.older.some((row) => keyOf(row) === last)))
    return { first, older: [], cursor: undefined, run: pages.run + 1 };
  const now = new Set(first.map(keyOf));
  const isOut = (row: T): boolean => !now.has(keyOf(row));
  const moved = at === -1 ? [] : pages.first.slice(at + 1).filter(isOut);
  const known = new Set(moved.map(keyOf));
  return { ...pages, first, older: [...moved, ...pages.older.filter((row) => isOut(row) && !known.has(keyOf(row)))] };
}

/** The list with one more page at its end. */
export function withOlder<T>(pages: Pages<T>, rows: readonly T[], cursor: string | null, keyOf: (row: T) => string): Pages<T> {
  const now = new Set(pages.first.map(keyOf));
  const fresh = rows.filter((row) => !now.has(keyOf(row)));
  const known = new Set(fresh.map(keyOf));
  return { ...pages, older: [...pages.older.filter((row) => !known.has(keyOf(row))), ...fresh], cursor };
}
