/** The sessions that go on, for what may be a minute behind: which one a call means is asked of the disk each time (`sessions.ts`). */
import { changedMs } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { openSessionNames, turnOf } from "./sessions.ts";

/** What was seen of a home, by its root. */
const seen = new Map<string, { atMs: number; changedMs: number; open: readonly string[] }>();
const SEEN_MS = 60_000;

/**
 * The sessions that have not ended, by name, in no order. A process asks each session once a minute, and all of them when one came or
 * went: one that is opened again may be missing until then.
 */
export function openSessionsSeen(store: Store): readonly string[] {
  if (store.recorded !== undefined) return openSessionNames(store);
  const known = seen.get(store.root);
  const now = { atMs: performance.now(), changedMs: changedMs(store, "sessions") };
  if (known !== undefined && known.changedMs === now.changedMs && now.atMs - known.atMs < SEEN_MS)
    return known.open.filter((session) => !turnOf(store, session).ended);
  const open = openSessionNames(store);
  seen.set(store.root, { ...now, open });
  return open;
}
