/** The pace of operations that look at much: other work of the process gets its turn meanwhile. */
import { refuse } from "./refusal.ts";
import type { World } from "./world.ts";

/** So long a search or a list holds up other work at the most, but for one file. */
const SLICE_MS = 10;

/**
 * Counts what was scanned; gives something to wait for when other work should get its turn.
 * @returns what throws Refusal `interrupted` where the call was cancelled
 */
export function pacer(world: World, noun: string): () => Promise<void> | null {
  let looked = 0;
  let turnMs = performance.now();
  return () => {
    looked += 1;
    if (performance.now() - turnMs < SLICE_MS) return null;
    world.progress?.(`${looked} ${noun}`);
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        turnMs = performance.now();
        if (world.signal?.aborted === true) reject(refuse("interrupted", { state: `not all ${noun} had been looked at` }));
        else resolve();
      });
    });
  };
}
