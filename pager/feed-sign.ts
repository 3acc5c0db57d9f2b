/** Whether the home's feed has a new event, for callers that work only then. */
import type { World } from "../protocol/index.ts";
import { FEED_FOLDER, facts, names } from "../protocol/internal.ts";

/** Changes whenever an operation told the feed of something. */
export function feedSign(world: World): string {
  const { store } = world.home();
  const last = names(store, FEED_FOLDER).sort().at(-1);
  const fact = last === undefined ? null : facts(store, `${FEED_FOLDER}/${last}`);
  return fact === null ? "" : `${last} ${fact.size}`;
}
