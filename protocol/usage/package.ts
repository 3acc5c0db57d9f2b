/** Usage, as a package: calls of models, prices, budgets. */
import type { Package } from "../core/package.ts";
import { usageOfSession } from "./files/short-usage.ts";

/** What usage gives to the board. */
export const usage: Package = { usageOfSession: (world, session) => usageOfSession(world, session) };
