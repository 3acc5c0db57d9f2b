/** How an id that is new joins as a guest, and what to say of names that are nobody's. SPEC.md, "Parts" and "Guest". */

import { type Caller, nearest } from "../../core/names.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { publish } from "../../store/write/publish.ts";
import { formatGuest, guestPath } from "../nouns/part-nouns.ts";
import { makeInbox } from "./inbox-files.ts";
import { currentName, guestRecord, isMember, members, renamedWarning, requireDistinct, requirePartId } from "./members.ts";

/**
 * The part that a filter names, by its name of now; a warning says that it is another, or nobody's.
 * @throws Refusal `bad_part`
 */
export function meantPart(world: World, given: string): { part: string; warning?: string } {
  requirePartId(given);
  const now = currentName(world, given);
  if (now === given) return { part: given };
  if (now !== null) return { part: now, warning: renamedWarning(given, now) };
  return { part: given, warning: `${JSON.stringify(given)} is not a part or a guest of this project${didYouMean(world, given, [])}` };
}

/** Says of some names that are nobody's, and near to somebody's, that they are; names of parts that are yet to come are not near. */
export const misspeltWarnings = (world: World, names: readonly (string | undefined)[], team: readonly string[]): string[] =>
  [...new Set(names)].flatMap((name) => {
    const isKnown = name === undefined || team.includes(name) || isMember(world, name);
    const near = isKnown ? "" : didYouMean(world, name, team);
    return near === "" ? [] : [`${JSON.stringify(name)} is not a part or a guest of this project${near}`];
  });

/**
 * What to tell an id that is not known yet; nothing to one whom the session's team file names.
 * @param team the ids of the team of the session that the call is about
 */
export function newcomerWarning(world: World, part: string, team: readonly string[]): string | undefined {
  if (team.includes(part)) return undefined;
  return `${JSON.stringify(part)} is not a part of this project; it joins as a guest when it first writes${didYouMean(world, part, team)}`;
}

/** What to tell who made an id a guest by naming it; nothing of one whom the session's team file names. */
export function madeGuestWarning(world: World, part: string, team: readonly string[]): string | undefined {
  if (team.includes(part)) return undefined;
  return `${JSON.stringify(part)} is new here, so it is a guest now${didYouMean(world, part, team)}`;
}

/** The nearest names to one that nobody has, as the end of a sentence. @param team names beside those of parts and guests */
function didYouMean(world: World, part: string, team: readonly string[]): string {
  const near = nearest(part, new Set([...team, ...members(world).map((member) => member.part)]));
  return near.length === 0 ? "" : `; did you mean ${near.map((name) => JSON.stringify(name)).join(" or ")}?`;
}

/** Lets an unknown id join as a guest of the current session by its first write. Called once nothing can refuse that write any more. */
export function join(world: World, { part }: Caller): void {
  if (!isMember(world, part)) enter(world, null, part);
}

/**
 * As `join`, into a session, which begins where it is not there yet: what a call of the board writes first.
 * @param session null for the current one
 */
export function enter(world: World, session: string | null, part: string): void {
  makeGuest(world, part, packageWith("enterSession").enterSession(world, session, part));
}

/**
 * Makes an id a guest of a session, with an inbox; nothing to do for one that is a part or guest already.
 * @throws Refusal `bad_part`; `part_exists` for one that differs from a known one only in case
 */
export function makeGuest(world: World, part: string, session: string): void {
  if (isMember(world, part)) return;
  requireDistinct(world, part);
  const { store, config } = world.home();
  makeInbox(store, part, config().inTree);
  const record = formatGuest({ part, session, joinedAt: new Date(world.now()).toISOString() });
  if (publish(store, guestPath(part), record) === "exists" && guestRecord(store, part) === null) {
    throw refuse("malformed_file", { path: guestPath(part), problem: "the record of a guest cannot be read; correct or remove it" });
  }
}
