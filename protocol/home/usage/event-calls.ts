/** Keeps what parts say themselves that their calls took. spec/usage.md, "Records". */
import { eventUsage } from "../../objects/usage/event-usage.ts";
import type { World } from "../../world.ts";
import { codeRepository, realFolder } from "../find-home.ts";
import { warnOfBudget } from "./budget.ts";
import { keep } from "./collect-usage.ts";
import { whoseCalls } from "./whose-calls.ts";

/** Keeps the usage of an event as a call, where it says any count. @param event its id says which call it is */
export async function keepEventUsage(
  world: World,
  part: string,
  { id, at, usage }: { id: string; at: string; usage?: Record<string, unknown> | undefined },
): Promise<void> {
  const said = usage === undefined ? null : eventUsage(usage);
  if (said === null) return;
  keep(world, [
    { id: `event:${id}`, at, agent: "event", ...said, ...whoseCalls(world, part, codeRepository(world.cwd)?.top ?? realFolder(world.cwd)) },
  ]);
  await warnOfBudget(world, part);
}
