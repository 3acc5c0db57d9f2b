/** Keeps what parts say themselves that their calls took. spec/usage.md, "Records". */

import { codeRepository, realFolder } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { eventUsage } from "../nouns/event-usage.ts";
import { warnOfBudget } from "./budget.ts";
import { keepCalls } from "./collect-usage.ts";
import { whoseCalls } from "./whose-calls.ts";

/**
 * Keeps the usage of an event as a call, where it says any count.
 * @param event its id says which call it is
 * @returns what the part should know of it; null where all of it is known
 */
export async function keepEventUsage(
  world: World,
  part: string,
  { id, at, usage }: { id: string; at: string; usage?: Record<string, unknown> | undefined },
): Promise<string | null> {
  const said = usage === undefined ? null : eventUsage(usage);
  if (usage === undefined) return null;
  if (said === null) return "it says no count of tokens, such as input or output, so no call is recorded";
  keepCalls(world, [
    { id: `event:${id}`, at, agent: "event", ...said, ...whoseCalls(world, part, codeRepository(world.cwd)?.top ?? realFolder(world.cwd)) },
  ]);
  await warnOfBudget(world, part);
  return said.model === undefined ? "it names no model, so the price of the call is not known" : null;
}
