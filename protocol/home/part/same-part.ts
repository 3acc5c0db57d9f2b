/**
 * Whether two names mean one part: older files name a renamed part by its former names,
 * as long as no other part or guest has them. Whoever compares names on the board asks here. SPEC.md, "Parts".
 */
import type { World } from "../../world.ts";
import { currentName, formerNamesOf } from "./members.ts";

/** What a part is called now; a name that nobody has stays as it is. */
export const nameNow = (world: World, name: string): string => currentName(world, name) ?? name;

/** Every name that means the same part as the one given: its name now first, then its former ones, the newest first. */
export function namesOf(world: World, name: string): string[] {
  const now = nameNow(world, name);
  return [now, ...formerNamesOf(world, now).reverse()];
}

/** Whether two names mean one part. */
export const isSamePart = (world: World, one: string, other: string): boolean => one === other || namesOf(world, one).includes(other);
