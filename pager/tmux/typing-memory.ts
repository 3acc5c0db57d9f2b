/** The memory of a terminal from one ring to the next. */
import type { Pane } from "./pane.ts";
import type { Still } from "./stillness.ts";

/** What is kept from one ring to the next of the same part. */
export interface Memory {
  /** The terminal, where it is quiet and waits for nothing but a change of what it shows. */
  still: Still | null;
  /** The pane where the part was found last. */
  pane: Pane | null;
  /** Since when this wake finds the pane streaming. */
  streamingSince: { wakeId: string; atMs: number } | null;
  /** The wake whose right to be delivered was taken here and not used yet. */
  committed: string | null;
  /** What was typed here last, as it is marked on the pane, and who had pressed a key there until then. */
  pasted: { mark: string; persons: string } | null;
  /** The mark of what was entered here and is known to have come to nothing. */
  lost: string | null;
}

/** Where nothing was rung yet. */
export const newMemory = (): Memory => ({ still: null, pane: null, streamingSince: null, committed: null, pasted: null, lost: null });
