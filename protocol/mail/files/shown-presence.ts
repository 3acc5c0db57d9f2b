/** Clients of a server as others see them: online, by the parts that they speak as. */
import type { ShownPresence } from "../../core/package.ts";
import { ownName } from "./members.ts";
import { type Heartbeat, startHeartbeat } from "./presence.ts";

/** Makes one heartbeat for each part that a connection speaks as; shows nobody yet. */
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
        const name = ownName(world, part);
        if (name === null) return;
        hearts.set(part, startHeartbeat(world, name, agent, part === now ? {} : { named: true }));
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
