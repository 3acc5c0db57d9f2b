/** What calls cost, in one line: of this machine today, and of a session. spec/usage.md, "Tables". */
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { names } from "../../store/read/list-folder.ts";
import { type Meant, sumUsage, type UsageSum } from "../nouns/sum-usage.ts";
import { fileSums } from "./file-sums.ts";
import { readSums } from "./read-usage.ts";
import { monthsAround, SPENT } from "./spent-lines.ts";
import { tariffOf } from "./tariff.ts";

/** How many calls there were, what they cost in US dollars, and how many calls that is without. */
export type ShortUsage = Pick<UsageSum, "calls" | "usd" | "unknown">;

const short = ({ calls, usd, unknown }: UsageSum): ShortUsage | null => (calls === 0 ? null : { calls, usd, unknown });

/** What this machine collected of the day that it is; null where that is nothing. Reads the sums of this month's lines. */
export function usageToday(world: World): ShortUsage | null {
  const { store } = world.home();
  const months = monthsAround(world.now());
  const files = names(store, SPENT).filter((name) => months.has(name.slice(0, -".jsonl".length)));
  if (files.length === 0) return null;
  const tariff = tariffOf(world);
  const today = tariff.dayOf(new Date(world.now()).toISOString());
  const all = files.flatMap((name): Meant[] => {
    const sums = fileSums(store, `${SPENT}/${name}`, tariff);
    return sums === null ? [] : [{ cells: sums.cells, day: (day) => day === today }];
  });
  return short(sumUsage(all, "day", () => true).total);
}

/** What the calls of a session took, of all clones; null where there are none, or they cannot be read. */
export function usageOfSession(world: World, session: string): ShortUsage | null {
  return orElse(null, () => {
    const all = readSums(world, tariffOf(world)).cells.map((cells): Meant => ({ cells, day: () => true }));
    const sum = sumUsage(all, "session", () => true).rows.find(({ key }) => key === session);
    return sum === undefined ? null : short(sum);
  });
}
