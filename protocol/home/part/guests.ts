/** How an unknown id becomes a guest: when it first writes, or when another part names it. spec/messages.md, "Guest". */
import { formatGuest, guestPath } from "../../objects/part/nouns.ts";
import { refuse } from "../../refusal.ts";
import { publish } from "../../store/files.ts";
import type { World } from "../../world.ts";
import { currentSession, openSession } from "../session/sessions.ts";
import type { Caller } from "./caller.ts";
import { makeInbox } from "./inbox-files.ts";
import { guestRecord, isMember } from "./members.ts";
import { requireDistinct } from "./twins.ts";

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
