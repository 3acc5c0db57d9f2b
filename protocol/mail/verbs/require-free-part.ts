import { partProblem } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { twinOf } from "../files/members.ts";

/** Refuses an id that is malformed, or that exists but for its case. */
export function requireFreePart(world: World, part: string, allowed: string | null): void {
  const problem = partProblem(part);
  if (problem !== null) throw refuse("bad_part", { given: part, problem });
  const config = world.home().config();
  const now = [...config.parts].find(([other, { formerly }]) => other !== allowed && formerly.includes(part))?.[0];
  if (now !== undefined && !config.parts.has(part)) {
    throw refuse("part_protected", { part, reason: `it is the former name of "${now}", and older messages carry it. Choose another name` });
  }
  // A guest that is added under its own name becomes a part.
  const existing = config.parts.has(part) && part !== allowed ? part : twinOf(world, part, allowed);
  if (existing !== null) throw refuse("part_exists", { given: part, existing });
}
