/** Which parts one connection shows as online. spec/messages.md, "Presence". */
import type { World } from "../../world.ts";
import { currentName } from "./members.ts";
import { type Heartbeat, startHeartbeat } from "./presence.ts";

/** One heartbeat for each part that a connection speaks as. */
export interface ShownPresence {
  /**
   * Shows the connection's own part as online, and one that a call named, each once; does nothing while there is no home, or
   * the part is none.
   */
  show(world: World, agent: { name: string; version: string }, named: string | null): void;
  /** Ends all of them. */
  stop(): void;
}

/** Shows nobody yet. */
export function shownPresence(): ShownPresence {
  const hearts = new Map<string, Heartbeat>();
  // The part that the connection is by itself: that of a worktree can become another.
  let own: string | null = null;
  const end = (part: string | null): void => {
    if (part === null) return;
    hearts.get(part)?.stop();
    hearts.delete(part);
  };
  return {
    show(world, agent, named) {
      const now = world.me.part;
      if (now !== own) end(own);
      own = now;
      const part = named ?? now;
      if (part === null || hearts.has(part)) return;
      try {
        const name = currentName(world, part);
        if (name === null) return;
        hearts.set(part, startHeartbeat(world, name, agent, part !== now));
      } catch {
        // Without a home there is nowhere to be online in; the first call says so.
      }
    },
    stop() {
      for (const heart of hearts.values()) heart.stop();
      hearts.clear();
    },
  };
}
