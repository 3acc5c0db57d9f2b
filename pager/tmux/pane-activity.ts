/** When the panes of parts last showed something new: one call of tmux for each server, whatever the number of parts. */
import type { World } from "../../protocol/index.ts";
import { isOf } from "./pane.ts";
import { type Server, tmux } from "./tmux-command.ts";
import { targetOf } from "./tmux-rung.ts";

const LISTED = "#{window_activity}|#{@relay_part}|#{@relay_target}|#{@relay_home}";

/** The last change of each part's pane, in milliseconds since the epoch, true to the second; parts that have none are left out. */
export async function paneActivity(world: World, parts: readonly string[]): Promise<Map<string, number>> {
  const targets = parts.map((part) => targetOf(world, part));
  const servers = new Map(targets.flatMap(({ servers: each }) => each.map((server): [string, Server] => [JSON.stringify(server), server])));
  const changed = new Map<string, number>();
  for (const server of servers.values()) {
    const answer = await tmux(server, ["list-panes", "-a", "-F", LISTED]);
    for (const line of answer.ok ? answer.text.split("\n") : []) {
      const [seconds, part, named, ...home] = line.split("|");
      const found = targets.find((target) => isOf({ part, named, home: home.join("|") }, target));
      if (found !== undefined) changed.set(found.part, Math.max(changed.get(found.part) ?? 0, Number(seconds) * 1_000));
    }
  }
  return changed;
}
