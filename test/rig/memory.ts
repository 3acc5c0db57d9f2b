/** A worker's memory: each start of a process copies the table of its pages, so that a large heap makes every start longer. */
import v8 from "node:v8";

/** So much is left to collect, in bytes: less would take longer to collect than the starts get shorter. */
const GROWTH = 40 * 2 ** 20;
let heldBytes = 0;

/** Collects what the tests before have left, once it is much. */
export function collectGarbage(): void {
  if (v8.getHeapStatistics().total_heap_size < heldBytes + GROWTH) return;
  globalThis.gc?.();
  heldBytes = v8.getHeapStatistics().total_heap_size;
}
