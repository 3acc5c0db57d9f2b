/** By which rungs a part can be reached now. */

import type { World } from "../../core/world.ts";
import { ladderOf, liveWaiters, type WakeMethod } from "../files/who-rings.ts";
import type { RungName } from "../nouns/wake-state.ts";

/** The rungs of a part's ladder, and whether each is there now, as far as files tell. */
export function rungsNow(world: World, part: string, delivery: WakeMethod): { rung: RungName; now: boolean; detail: string }[] {
  const waiting = liveWaiters(world, part).map(({ rung }) => rung);
  const pane = typeof delivery.tmux?.["target"] === "string" || typeof delivery.tmux?.["process"] === "string";
  const known: Record<RungName, [now: boolean, detail: string]> = {
    channel: waiting.includes("channel") ? [true, "a session waits"] : [false, "no session waits"],
    hook: waiting.includes("hook") ? [true, "a session waits"] : [false, "no session waits"],
    tmux: pane ? [true, "a pane is known"] : [false, "no pane is known: `relay up`, or --target"],
    exec: [delivery.exec !== undefined, "a command is kept"],
  };
  return ladderOf(delivery).map((rung) => ({ rung, now: known[rung][0], detail: known[rung][1] }));
}
