/** Moves the wakes of a home: each scan, lease, commit and report adds a step to the part's chain. spec/waking.md, "The wake machine". */

import type { Spent } from "../../core/config/wake-policy.ts";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { compareNewest, type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { unreadIds, unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import {
  isFetched,
  isItself,
  isMailOf,
  isSilent,
  markFetched,
  markFetchedLater,
  markRung,
  notMarkedFetched,
  wasRung,
} from "../../mail/files/mail.ts";
import { namesOf } from "../../mail/files/members.ts";
import { readMessage, readParties } from "../../mail/files/read-message.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { facts } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { leaseOver } from "../nouns/wake.ts";
import { renewalPath, type WakeRecord, wakePath } from "../nouns/wake-record.ts";
import type { HolderFacts, WakeEvent, WakeState } from "../nouns/wake-state.ts";
import { permitFor } from "./wake-budget.ts";
import { lastStep, moveWake } from "./wake-chain.ts";

/** So many unread messages are read for one that is urgent, newest first. */
const LOOKED_INTO = 50;
/** So many of the newest unread messages have marks: whether the part saw them, and whether a doorbell rang. A flood has no more. */
const MARKED = 500;

/** A new wake's id, such as `w-4k7q2m9x`. */
export const newWakeId = (world: World): string => `w-${world.random(8)}`;

/** What is known of whoever holds a wake; who gave it back is gone. */
export function hold(world: World, part: string, { n, state }: WakeRecord): HolderFacts {
  if (state.kind !== "leased" && state.kind !== "typed") return { gone: false, renewedMs: 0 };
  const gone = state.holder === "" || (state.holder !== thisProcess() && lifeOf(state.holder) === "gone");
  const found: HolderFacts = { gone, renewedMs: facts(world.home().store, renewalPath(part, n))?.modifiedMs ?? 0 };
  // A clock that is wrong must not take a lease from whoever renews it.
  if (gone || !leaseOver(state, world.now(), found, world.home().config().wake)) return found;
  return { ...found, silentMs: world.unchangedMs([wakePath(part, n), renewalPath(part, n)]) };
}

/** For how long a wake that was delivered has stood, by the disk's own clock, where it seems time to ring again; else null. */
function ageOf(world: World, part: string, { n, state }: WakeRecord): number | null {
  if (state.kind !== "typed" && state.kind !== "noticed") return null;
  const { againMs, refireMs } = world.home().config().wake;
  const seemingMs = world.now() - state.atMs;
  return seemingMs >= 0 && seemingMs < Math.min(againMs, refireMs) ? null : world.unchangedMs([wakePath(part, n)]);
}

/** What waits for a part. */
interface Waiting {
  ids: string[];
  unseen: boolean;
  fresh: boolean;
  urgent: boolean;
}

/** The unread mail that may wake a part, newest first: whether it fetched all, was rung for all, and whether any is urgent. */
export function waitingFor(world: World, part: string): Waiting {
  const { store } = world.home();
  const newest = unreadIds(store, part).sort(compareNewest);
  // What somebody put into another's inbox wakes nobody.
  const ids = newest.filter((id, at) => at >= LOOKED_INTO || (isMailOf(world, part, id) && mayRing(world, part, id)));
  const marked = ids.slice(0, MARKED);
  const unseen = marked.some((id) => !isFetched(world, part, id));
  const urgent = unseen && ids.slice(0, LOOKED_INTO).some((id) => isUrgent(store, id));
  const fresh = unseen && marked.some((id) => !wasRung(world, part, id));
  return { ids, unseen, fresh, urgent };
}

/** Whether a message may wake a part: its sender waits for an answer, and it was not rung for and answered since. */
function mayRing(world: World, part: string, id: string): boolean {
  const location = parseMessageId(id) as MessageLocation;
  if (isSilent(world, id)) return false;
  if (!wasRung(world, part, id)) return true;
  const { store } = world.home();
  const own = namesOf(world, part);
  return !messageKeys(store, location).some((key) => key.n > location.n && own.includes(readParties(store, key, [])?.from ?? ""));
}

/** The newest unread messages, as many as have marks. */
export const newestUnread = (world: World, part: string): string[] =>
  unreadIds(world.home().store, part).sort(compareNewest).slice(0, MARKED);

function isUrgent(store: Store, id: string): boolean {
  const location = parseMessageId(id) as MessageLocation;
  return readMessage(store, location, messagePath(location), [])?.urgent === true;
}

/** Number of urgent messages among a part's newest unread ones. */
export function urgentUnread(world: World, part: string): number {
  const { store } = world.home();
  const newest = unreadIdsSeen(store, part).sort(compareNewest).slice(0, LOOKED_INTO);
  return newest.filter((id) => isMailOf(world, part, id) && isUrgent(store, id)).length;
}

/**
 * Reads a part's inbox and moves its wake as far as the disk and the clock say: owed, suppressed, noticed, expired,
 * settled. Any process may do so, any number of times.
 * @param spent gives what `spentWakes` gives, for a caller that scans many parts
 * @param heard whether the part itself reads or acks mail just now
 */
export function updateWake(world: World, part: string, spent?: () => readonly Spent[], heard = false): WakeRecord {
  const waiting = waitingFor(world, part);
  const scan = (last: WakeRecord): WakeEvent => ({
    kind: "scan",
    nowMs: world.now(),
    newId: newWakeId(world),
    unread: waiting.ids.length,
    unseen: waiting.unseen,
    fresh: waiting.fresh,
    heard,
    urgent: waiting.urgent,
    permit:
      asksPermit(last.state) && waiting.ids.length > 0 ? permitFor(world, part, waiting.urgent, spent?.()) : { ok: true, pot: "budget" },
    ageMs: ageOf(world, part, last),
    ...hold(world, part, last),
  });
  // An expired wake is owed again at once.
  for (;;) {
    const { last, moved } = moveWake(world, part, scan) ?? { last: lastStep(world, part), moved: false };
    if (!moved || last.state.kind !== "expired") return last;
  }
}

/**
 * Notes that a part saw messages, and that it therefore heard the doorbell; called by who showed them to it. Where a doorbell rang, later
 * would be too late: mail that comes meanwhile would be taken for the mail that was told. Else a server answers first. What cannot be
 * written now is done by the next scan.
 */
export function noteSeenBy(world: World, part: string, seen: readonly string[]): void {
  if (!isItself(world, part)) return;
  const { store } = world.home();
  const ids = notMarkedFetched(store, part, seen);
  if (ids.length === 0) return;
  const noteHeard = (): void => noteHeardBy(world, part);
  if (world.connection.lasting && !isRung(world, part)) markFetchedLater(store, part, ids, noteHeard);
  else if (markFetched(store, part, ids)) noteHeard();
}

/** Notes that a part was told of messages at a turn of its session: it heard of them, and mail after that is another batch. */
export function noteHeardAtTurn(world: World, part: string, ids: readonly string[]): void {
  markRung(world, part, ids, "noticed");
  noteHeardBy(world, part);
}

/** Notes that a part dealt with some of its mail, and so heard the doorbell. What was read was read, where that cannot be noted. */
export function noteHeardBy(world: World, part: string): void {
  quietly(() => {
    if (isRung(world, part)) updateWake(world, part, undefined, true);
  });
}

/** Whether a doorbell rang for a part, and nobody settled that yet; true where that cannot be read. */
const isRung = (world: World, part: string): boolean => orElse(true, () => ["typed", "noticed"].includes(lastStep(world, part).state.kind));

/** Makes a wake that waits for its next try due now: how the part is reached has changed. */
export function retryWake(world: World, part: string): void {
  moveWake(world, part, () => ({ kind: "retry", nowMs: world.now(), newId: newWakeId(world) }));
}

/**
 * Settles the wakes of parts that had nothing unread at some moment; called by who acked the last. Later would be too late:
 * mail that comes meanwhile would be taken for the mail that was told. What cannot be written now is done by the next scan.
 */
export function settleWakes(world: World, parts: readonly string[]): void {
  const nothing = {
    unread: 0,
    unseen: false,
    fresh: false,
    heard: false,
    urgent: false,
    permit: { ok: true, pot: "budget" } as const,
    gone: false,
    renewedMs: 0,
  };
  for (const part of new Set(parts)) {
    // Where it fails, an ack is an ack all the same.
    quietly(() => moveWake(world, part, () => ({ kind: "scan", nowMs: world.now(), newId: "", ...nothing })));
  }
}

/** Where what the policy says is of no consequence it is not asked, for it reads the ledger. */
const asksPermit = ({ kind }: WakeState): boolean => ["idle", "settled", "expired", "owed", "suppressed"].includes(kind);
