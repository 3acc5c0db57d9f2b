/** Times that are ahead of this machine's clock: it is wrong, or the writer's is. */
import type { World } from "./world.ts";

/** A clock that is behind what was written by more than this is worth a word. */
export const CLOCK_SLACK_MS = 5 * 60_000;

/** Says how far ahead an instant is. @param atMs in milliseconds since the epoch */
export const inTheFuture = (world: World, atMs: number): string =>
  `written ${Math.round((atMs - world.now()) / 60_000)} minutes in this clock's future`;
