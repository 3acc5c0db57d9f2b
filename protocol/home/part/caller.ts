/** The caller of an operation: who it is, what to say of the names it uses, and how a new one joins as a guest. SPEC.md, "Parts" and "Guest". */
import { formatGuest, guestPath } from "../../objects/part/nouns.ts";
import { HUMAN, nearest } from "../../objects/part/part.ts";
import { refuse } from "../../refusal.ts";
import { publish } from "../../store/files.ts";
import type { World } from "../../world.ts";
import { currentSession, openSession } from "../session/sessions.ts";
import { makeInbox } from "./inbox-files.ts";
import { currentName, guestRecord, isMember, members, renamedTo, requireMembers, requirePartId } from "./members.ts";
import { requireDistinct } from "./twins.ts";

/** Who is calling, and what to tell them about it. */
export interface Caller {
  part: string;
  /** What there is to say about the name. */
  warning?: string | undefined;
  /** Set when the id is no part or guest yet. */
  isNew?: boolean;
}

/**
 * Who a call is from: the part that the connection is bound to, or the id that the call names.
 * @param agentId what the call says; only a connection that is not bound may say another than its own
 * @param operation the operation's name, for the refusal
 * @throws Refusal `who_are_you`, `bound_elsewhere`, `part_contradicted`, `bad_part`; `unknown_part` for a bound part that does not exist;
 *   `part_exists` for an id that differs from a known one only in case, so that it can never join
 */
export function callerOf(world: World, agentId: string | undefined, operation: string): Caller {
  const { me } = world;
  if (me.said !== undefined) throw refuse("part_contradicted", me.said);
  if (agentId !== undefined) requirePartId(agentId);
  const own = me.part === null ? null : currentName(world, me.part);
  // A person types commands. An agent that a worktree made a part may lend its connection to other agents, and never to a person.
  const isPerson = me.how === "default" && world.connection.lasting && agentId === HUMAN;
  if ((me.how === "bound" || isPerson) && agentId !== undefined && agentId !== me.part && agentId !== own) {
    throw refuse("bound_elsewhere", { boundTo: me.part as string, given: agentId });
  }
  const part = agentId ?? me.part;
  if (part === null) throw refuse("who_are_you", { operation, parts: members(world).map((member) => member.part) });
  const renamed = isMember(world, part) ? null : renamedTo(world, part);
  if (renamed !== null) return { part: renamed, warning: renamedWarning(part, renamed) };
  if (agentId === undefined || me.how === "bound") requireMembers(world, [part]);
  if (isMember(world, part)) return { part };
  requireDistinct(world, part);
  return { part, isNew: true };
}

const renamedWarning = (former: string, now: string): string =>
  `${JSON.stringify(former)} is called ${JSON.stringify(now)} now; use that name`;

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
  if (!isMember(world, part)) enter(world, currentSession(world, undefined), part);
}

/** As `join`, into a session, which begins where it is not there yet: what a call of the board writes first. */
export function enter(world: World, session: string, part: string): void {
  openSession(world, session, part);
  makeGuest(world, part, session);
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
