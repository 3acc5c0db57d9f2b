import * as z from "zod/mini";
import { partProblem } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { steps } from "../files/wake-chain.ts";

/** The part whose wake is leased. */
export const WokenPart = z.string().check(
  z.refine((part) => partProblem(part) === null, "a part id"),
  z.describe("the part to wake"),
);

/** The id of a leased wake. */
export const WakeId = z.string().check(z.regex(/^w-[0-9a-z]{8}$/), z.describe("the id of the wake, from its lease"));

/** The refusal for a lease that another pager holds by now, or that nobody holds. */
export const staleLease = (world: World, part: string, wakeId: string): Error =>
  refuse("stale_wake", { part, wakeId, state: steps(world, part).at(-1)?.state.kind ?? "idle" });
