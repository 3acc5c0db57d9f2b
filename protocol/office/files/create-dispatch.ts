/** Makes dispatches: of work that a position or a person gives, and of mail that somebody sent to a position. spec/office.md, "Dispatches". */

import { acted } from "../../core/act.ts";
import { dayOf, parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { cloneName } from "../../core/home/feed.ts";
import { HUMAN } from "../../core/names.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { post } from "../../mail/files/post.ts";
import type { Message } from "../../mail/nouns/message.ts";
import { randomBytes, sha256 } from "../../store/digest.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { publish } from "../../store/write/publish.ts";
import { contextOf, DISPATCHES, type Dispatch, dispatchPath, formatDispatch, randomOf, uuidOf } from "../nouns/dispatch.ts";
import { slugOf } from "../nouns/name.ts";
import type { Office, Position } from "../nouns/positions.ts";
import { deriveRoster } from "../nouns/roster.ts";
import { addChild, type Child } from "./children.ts";
import { ringDispatch } from "./dispatch-acts.ts";
import { amidNote, markOwn, unmarkOwn } from "./local-files.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";
import { officeLimits } from "./office-limits.ts";
import { publishOwn, shareRecord } from "./own-files.ts";
import { type DispatchState, openOf, readDispatch, readDispatchFiles } from "./read-dispatch.ts";
import { inspectOffice } from "./read-office.ts";
import { requireTrustedOffice } from "./trusted-office.ts";

/** The turn that gives work. */
export interface GivenIn {
  dispatch: Dispatch;
  turn: number;
  /** Which start of its program in that turn it is; the first one where it is not given. */
  attempt?: number;
}

/** Where the id of a dispatch of this clone lies, by its context. */
const contextPath = (context: string): string => `${OFFICE}/contexts/${sha256(context).slice(0, 32)}`;

/**
 * Gives work to a position: makes the dispatch, and sends the text as the first message of its thread. The dispatch is there first for this
 * clone, so that no mail is ever without one; a process that is killed in between has given nothing, and nobody else sees any of it.
 * @param recipient the id of a position
 * @param parent the turn in which it is given; null where a person or an interactive agent gives it
 * @returns the dispatch; an equal one of an earlier start of the program that is still at work, in place of a second one
 * @throws Refusal `roster_unavailable`, `office_untrusted`, `routing`, `slot_limit`
 */
export function createDispatch(
  world: World,
  given: { initiator: string; recipient: string; text: string; parent: GivenIn | null },
): { dispatch: Dispatch; message: Message | null } {
  const { initiator, recipient, text, parent } = given;
  const { office } = requireTrustedOffice(world);
  const position = requireRoute(office, world, initiator, recipient, parent);
  const { store } = world.home();
  const [context, key] = newContext(initiator, recipient, dayOf(world.now()));
  const id = threadId(key);
  markOwn(store, id);
  return amidNote(store, id, () => {
    if (parent !== null) {
      const child: Child = { id, digest: sha256(text), recipient, turn: parent.turn, attempt: parent.attempt ?? 1 };
      const added = addToParent(world, parent, child);
      const equal = added.id === id ? null : readDispatch(world, added.id);
      if (equal !== null) {
        unmarkOwn(store, id);
        return { dispatch: equal.dispatch, message: null };
      }
    }
    const dispatch = publishDispatch(world, key, context, { initiator, position, office, parent });
    const message = post(world, key, { from: initiator, to: [recipient], subject: text.trim() || "(no subject)", body: text });
    showDispatch(world, dispatch);
    ringDispatch(world, id);
    return { dispatch, message };
  });
}

/** Adds a dispatch that was marked to those of its parent; of one that is refused nothing stays. @throws Refusal `slot_limit` */
function addToParent(world: World, { dispatch }: GivenIn, child: Child): Child {
  const { store } = world.home();
  try {
    return addChild(store, dispatch.id, (others) => slotFor(world, child, others));
  } catch (error) {
    if (error instanceof Refusal) unmarkOwn(store, child.id);
    throw error;
  }
}

/** A context that nobody has, and the thread that goes with it. */
function newContext(initiator: string, recipient: string, day: string): [string, ThreadLocation] {
  const context = contextOf(initiator, recipient, uuidOf(Buffer.from(randomBytes(16)).toString("hex")));
  return [context, { day, random: randomOf(context, sha256) }];
}

/** Shows all clones a dispatch that has its first message. */
export function showDispatch(world: World, { id }: Dispatch): void {
  shareRecord(world.home().store, id);
  acted(world, { paths: [dispatchPath(parseThreadId(id) as ThreadLocation)] });
}

/** Writes a dispatch for this clone, and where its context is found. @throws Refusal `busy` where the thread is another's */
export function publishDispatch(
  world: World,
  key: ThreadLocation,
  context: string,
  { initiator, position, office, parent }: { initiator: string; position: Position; office: Office; parent: GivenIn | null },
): Dispatch {
  const { store } = world.home();
  const isPositions = office.positions.has(initiator) && position.parent === initiator;
  const dispatch: Dispatch = {
    id: threadId(key),
    context,
    initiator,
    recipient: position.id,
    ...(parent === null ? {} : { parent: parent.dispatch.id, parentTurn: parent.turn }),
    depth: parent === null ? 0 : parent.dispatch.depth + 1,
    clone: cloneName(world),
    at: new Date(world.now()).toISOString(),
    agent: position.agent,
    // A leaf has nobody; whoever gave the work is asked where it was a position.
    roster: position.leads === null ? {} : deriveRoster(office, position.id, isPositions ? initiator : undefined),
  };
  // Where the disk forgets it, the context itself says the end of the id.
  publish({ ...officeToWrite(store), durable: false }, contextPath(context), `${dispatch.id}\n`);
  publishOwn(store, dispatchPath(key), formatDispatch(dispatch));
  const made = readDispatchFiles(store, dispatch.id)?.dispatch;
  if (made?.context !== context) throw refuse("busy", { path: dispatchPath(key) });
  return made;
}

/** Which dispatch a text leads to: a new one where a slot is free, or one of an earlier start of the program that is equal and still at work. */
function slotFor(world: World, child: Child, others: readonly Child[]): Child {
  const open = openOf(world, others).map(({ child: each }) => each);
  // An agent's program forgets a call that it was killed in, and would send the same again.
  const isEarlier = ({ turn, attempt }: Child): boolean => turn < child.turn || (turn === child.turn && attempt < child.attempt);
  // One that its maker has not written yet may never be: it holds its slot, and stands in for nothing.
  const isMade = ({ id }: Child): boolean => readDispatchFiles(world.home().store, id) !== null;
  const isSame = (other: Child): boolean => other.digest === child.digest && other.recipient === child.recipient;
  const equal = open.find((other) => isSame(other) && isEarlier(other) && isMade(other));
  if (equal !== undefined) return equal;
  const { openChildren } = officeLimits(world);
  if (open.length < openChildren) return child;
  const { store } = world.home();
  const named = open.map(({ id, recipient }) => `${recipient} (${readDispatchFiles(store, id)?.dispatch.context ?? id})`);
  throw refuse("slot_limit", { most: openChildren, open: named });
}

/**
 * The position that is given work, where it may be given it: a position gives it to its members, people and agents that are no position
 * to leads, and those who are only informed to nobody.
 * @throws Refusal `routing`, `not_permitted`
 */
export function requireRoute(office: Office, world: World, initiator: string, recipient: string, parent: GivenIn | null): Position {
  const position = office.positions.get(recipient);
  const isAllowed = office.positions.has(initiator)
    ? parent !== null && position?.parent === initiator
    : position !== undefined && position.leads !== null;
  if (position === undefined || !isAllowed) {
    const member = parent === null && position?.parent === initiator ? { member: position.name } : {};
    throw refuse("routing", { from: initiator, to: recipient, ...member });
  }
  if (parent === null) refuseInformed(world, initiator);
  return position;
}

/** @throws Refusal `not_permitted` for somebody whom the office only informs */
export function refuseInformed(world: World, who: string): void {
  const office = inspectOffice(world.home().store).files.find(({ place }) => place.kind === "office")?.value;
  const informed = office !== null && office !== undefined && "humans" in office ? office.humans.inform : [];
  if (informed.some((name) => slugOf(name) === slugOf(who)))
    throw refuse("not_permitted", { who, problem: "org/office.yml lists it under humans.inform. Ask one of its decider and advisors" });
}

/** The id of the dispatch that a context, or the id of a thread, names; null where none is known. */
export function findDispatch(world: World, given: string): string | null {
  const { store } = world.home();
  if (parseThreadId(given) !== null) return readDispatchFiles(store, given) === null ? null : given;
  const kept = inOffice(store, null, (office) => readText(office, contextPath(given), 64))?.trim() ?? "";
  const found = readDispatchFiles(store, kept) === null ? searched(store, given) : kept;
  return found;
}

/** The dispatch of a context of which nothing is kept here: that of another clone, or of before a loss of power. Asks each day. */
function searched(store: Store, context: string): string | null {
  const random = randomOf(context, sha256);
  const ids = names(store, DISPATCHES).map((day) => `t-${day.replaceAll("-", "")}-${random}`);
  return ids.find((id) => readDispatchFiles(store, id)?.dispatch.context === context) ?? null;
}

/** A dispatch that must be there. @throws Refusal `not_found` */
export function requireDispatch(world: World, given: string): DispatchState {
  const id = findDispatch(world, given);
  const state = id === null ? null : readDispatch(world, id);
  if (state === null) throw refuse("not_found", { context_id: given });
  return state;
}

/**
 * Checks that mail to positions gives work to one whom its sender may give it to, before it is sent.
 * @throws Refusal `invalid_argument` where a position is one of several recipients; `roster_unavailable`, `office_untrusted`, `routing`,
 *   `not_permitted`
 */
export function requireWork(world: World, from: string, to: readonly string[], positions: readonly string[]): void {
  const [position = ""] = positions;
  if (to.length > 1)
    throw refuse("invalid_argument", {
      argument: "to",
      expected: "a position of the office alone, because the thread becomes its work",
      given: to,
      example: [position],
    });
  const { office } = requireTrustedOffice(world);
  requireRoute(office, world, from, position, null);
}

/**
 * Checks that somebody may write to a position in a thread that is there: who gave its work, the position itself, and people.
 * @throws Refusal `not_permitted` for somebody else, and for who is only informed; `conversation_closed` where the dispatch was closed
 */
export function requireOpen(world: World, thread: string, from: string): void {
  refuseInformed(world, from);
  const files = readDispatchFiles(world.home().store, thread);
  if (files === null) return;
  const { context, initiator, recipient } = files.dispatch;
  if (files.closed !== null) throw refuse("conversation_closed", { context_id: context });
  if (![initiator, recipient, HUMAN, "main"].includes(from))
    throw refuse("not_permitted", { who: from, problem: `it takes no part in ${context}` });
}
