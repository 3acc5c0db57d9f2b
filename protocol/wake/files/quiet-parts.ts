/** Parts that hold a claim and show no sign of life. Asked of the disk alone, so that it is known where no pager runs. spec/waking.md, "Stuck agents". */

import { heldTasks } from "../../board/files/held-tasks.ts";
import { openSessionsSeen } from "../../board/files/open-sessions.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { lifeMs, limitedUntil, MARK_MS, partsWithLife } from "../../mail/files/presence.ts";
import { askers } from "../../mail/files/questions.ts";
import { type Quiet, quietOf } from "../../mail/nouns/quiet.ts";

/** What there is to know of parts that were silent for long. */
interface Silence {
  quiet: Quiet[];
  /** Parts that would be quiet if they did not wait for a person, or for their limit to end. */
  waiting: string[];
}

/** Who is quiet now. Reads one file for each part, and the board only where one of them is silent. */
export function silence(world: World): Silence {
  const { quietMinutes } = world.home().config().health;
  if (quietMinutes === 0 || world.past !== undefined) return { quiet: [], waiting: [] };
  // A mark may be younger by what it is moved on at the most: nobody is called quiet too early.
  const limitMs = quietMinutes * 60_000 + MARK_MS;
  const now = world.now();
  const silent = new Map(
    partsWithLife(world)
      // People come and go.
      .filter((part) => part !== HUMAN)
      .map((part): [string, number] => [part, lifeMs(world, part)])
      .filter(([, lastMs]) => now - lastMs >= limitMs),
  );
  if (silent.size === 0) return { quiet: [], waiting: [] };
  const held = heldTasks(world, silent, openSessionsSeen(world.home().store));
  const quiet = [...silent].flatMap(([part, lastMs]) => quietOf(part, lastMs, held.get(part) ?? [], now, limitMs) ?? []);
  if (quiet.length === 0) return { quiet, waiting: [] };
  const asked = askers(world);
  const waits = ({ part }: Quiet): boolean => asked.has(part) || limitedUntil(world, part) !== null;
  return { quiet: quiet.filter((each) => !waits(each)), waiting: quiet.filter(waits).map(({ part }) => part) };
}
