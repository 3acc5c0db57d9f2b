/** The wakes of a home: who looks, leases, commits and reports moves the part's chain. spec/waking.md, "The wake machine". */
import { compareNewest, type MessageKey, parseMessageId } from "../../objects/format/id.ts";
import { messagePath } from "../../objects/message/message.ts";
import { doorbellLine, leaseOver } from "../../objects/wake/wake.ts";
import type { Spent, Suppression, WakePolicy } from "../../objects/wake/wake-policy.ts";
import { renewalPath, type WakeRecord, wakePath } from "../../objects/wake/wake-record.ts";
import type { HolderFacts, OutcomeKind, RungName, WakeEvent, WakeState } from "../../objects/wake/wake-state.ts";
import { place, touch } from "../../store/files.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { facts } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { isFetched, markFetched, markRung, wasRung } from "../message/delivery-marks.ts";
import { isMailOf } from "../message/read-mail.ts";
import { unreadIds } from "../part/inbox-files.ts";
import { readMessage } from "../thread/read-message.ts";
import { permitFor, refund, spend } from "./wake-budget.ts";
import { lastStep, moveWake } from "./wake-chain.ts";
import { ladderOf, wakeMethodOf } from "./wake-method.ts";
import { liveWaiters } from "./wake-processes.ts";

/** So many unread messages are looked into for one that is urgent, newest first. */
const LOOKED_INTO = 50;
/** So many of the newest unread messages have marks: whether the part saw them, and whether a doorbell rang. A flood has no more. */
const MARKED = 500;

/** Why a wake could not be leased. spec/waking.md, "Why not". */
export type NotLeased = "not_owed" | "leased" | "delivered" | "later" | "tried" | "deliver" | "waiter" | Suppression;

/** A leased wake: what a rung needs to ring. */
export interface Lease {
  leased: true;
  wakeId: string;
  unread: number;
  urgent: boolean;
  /** The doorbell. */
  line: string;
  /** When the lease is over unless it is renewed, in milliseconds since the epoch. */
  until: number;
  /** When the mail began to wait. */
  since: number;
  /** An earlier holder had committed and was lost: what it left may be finished, and nothing may be begun. */
  resumed: boolean;
}

const newWakeId = (world: World): string => `w-${world.random(8)}`;

/** What is known of whoever holds a wake; who gave it back is gone. */
function hold(world: World, part: string, { n, state }: WakeRecord): HolderFacts {
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

function waitingFor(world: World, part: string): Waiting {
  const { store } = world.home();
  const newest = unreadIds(store, part).sort(compareNewest);
  // What somebody put into another's inbox wakes nobody.
  const ids = newest.filter((id, at) => at >= LOOKED_INTO || isMailOf(world, part, id));
  const marked = ids.slice(0, MARKED);
  const unseen = marked.some((id) => !isFetched(world, part, id));
  const urgent = unseen && ids.slice(0, LOOKED_INTO).some((id) => isUrgent(store, parseMessageId(id) as MessageKey));
  const fresh = unseen && marked.some((id) => !wasRung(world, part, id));
  return { ids, unseen, fresh, urgent };
}

/** The newest of what is unread, as many as have marks. */
const newestUnread = (world: World, part: string): string[] => unreadIds(world.home().store, part).sort(compareNewest).slice(0, MARKED);

const isUrgent = (store: Store, key: MessageKey): boolean => readMessage(store, key, messagePath(key), [])?.urgent === true;

/**
 * Looks at a part's inbox and moves its wake as far as the disk and the clock say: owed, suppressed, noticed, expired,
 * settled. Anybody may look, any number of times.
 * @param spent gives what `spentWakes` gives, for a caller that looks at many parts
 * @param heard whether the part itself looks at its mail just now
 */
export function updateWake(world: World, part: string, spent?: () => readonly Spent[], heard = false): WakeRecord {
  const waiting = waitingFor(world, part);
  const look = (last: WakeRecord): WakeEvent => ({
    kind: "look",
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
    const { last, moved } = moveWake(world, part, look) ?? { last: lastStep(world, part), moved: false };
    if (!moved || last.state.kind !== "expired") return last;
  }
}

/**
 * Notes that a part saw messages, and that it therefore heard the doorbell; called by who showed them to it. Later would be
 * too late: mail that comes meanwhile would be taken for the mail that was told. What cannot be written now is done by the next look.
 */
export function noteSeenBy(world: World, part: string, seen: readonly string[]): void {
  if (markFetched(world, part, seen)) noteHeardBy(world, part);
}

/** Notes that a part was told of messages at a turn of its session: it heard of them, and mail after that is another batch. */
export function noteHeardAtTurn(world: World, part: string, ids: readonly string[]): void {
  markRung(world, part, ids, "noticed");
  noteHeardBy(world, part);
}

/** Notes that a part dealt with some of its mail, and so heard the doorbell. */
export function noteHeardBy(world: World, part: string): void {
  try {
    const { state } = lastStep(world, part);
    if (state.kind === "typed" || state.kind === "noticed") updateWake(world, part, undefined, true);
  } catch {
    // What was read was read all the same.
  }
}

/** Makes a wake that waits for its next try due now: how the part is reached has changed. */
export function retryWake(world: World, part: string): void {
  moveWake(world, part, () => ({ kind: "retry", nowMs: world.now(), newId: newWakeId(world) }));
}

/**
 * Settles the wakes of parts that had nothing unread at some moment; called by who acked the last. Later would be too late:
 * mail that comes meanwhile would be taken for the mail that was told. What cannot be written now is done by the next look.
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
    try {
      moveWake(world, part, () => ({ kind: "look", nowMs: world.now(), newId: "", ...nothing }));
    } catch {
      // An ack is an ack all the same.
    }
  }
}

/** Where what the policy says is of no consequence it is not asked, for it reads the ledger. */
const asksPermit = ({ kind }: WakeState): boolean => ["idle", "settled", "expired", "owed", "suppressed"].includes(kind);

/**
 * Takes the wake that is owed to a part, if it is owed, free, and the policy permits.
 * @param rung by which it would be rung
 * @param holder a process as `store/process.ts` writes it; when it is gone the lease is over
 */
export function leaseWake(
  world: World,
  part: string,
  rung: RungName,
  holder: string = thisProcess(),
): Lease | { leased: false; reason: NotLeased } {
  if (!ladderOf(wakeMethodOf(world, part)).includes(rung)) return { leased: false, reason: "deliver" };
  const last = updateWake(world, part);
  const reason = whyNot(world, part, rung, holder, last);
  if (reason !== null) return { leased: false, reason };
  const { ids, urgent } = waitingFor(world, part);
  const lease = { kind: "lease" as const, nowMs: world.now(), rung, holder, unread: ids.length, urgent };
  const taken = moveWake(world, part, (last) => ({ ...lease, ...hold(world, part, last) }));
  if (taken === null) return { leased: false, reason: whyNot(world, part, rung, holder, updateWake(world, part)) ?? "leased" };
  return leaseOf(part, taken.last.state as Held, world.home().config().wake);
}

type Held = Extract<WakeState, { kind: "leased" | "typed" }>;

function leaseOf(part: string, state: Held, policy: WakePolicy): Lease {
  const { wakeId, unread, urgent, leasedMs, sinceMs } = state;
  const line = doorbellLine(part, unread, wakeId);
  return { leased: true, wakeId, unread, urgent, line, until: leasedMs + policy.leaseMs, since: sinceMs, resumed: state.kind === "typed" };
}

/** Why a wake cannot be had; null when it can be tried. */
function whyNot(world: World, part: string, rung: RungName, holder: string, last: WakeRecord): NotLeased | null {
  const { state } = last;
  const policy = world.home().config().wake;
  switch (state.kind) {
    case "idle":
    case "settled":
    case "expired":
      return "not_owed";
    case "suppressed":
      return state.reason;
    case "noticed":
      return "delivered";
    case "leased":
      return "leased";
    case "typed": {
      if (state.reported || state.rung !== "tmux" || rung !== "tmux") return "delivered";
      return leaseOver(state, world.now(), hold(world, part, last), policy) ? null : "leased";
    }
    case "owed": {
      if (state.tried.includes(rung)) return "tried";
      if (world.now() < state.notBeforeMs) return "later";
      // Who waits for this part alone goes first.
      const first = world.now() < state.atMs + policy.waiterGraceMs && !isWaiter(world, part, rung, holder);
      const waiters = first ? liveWaiters(world, part).filter((waiter) => !state.tried.includes(waiter.rung)) : [];
      return waiters.length > 0 ? "waiter" : null;
    }
  }
}

const isWaiter = (world: World, part: string, rung: RungName, holder: string): boolean =>
  liveWaiters(world, part).some((waiter) => waiter.rung === rung && waiter.process === holder);

/** Whether a wake is the part's active one, held by a lease. */
function held(world: World, part: string, wakeId: string): WakeRecord | null {
  const last = lastStep(world, part);
  const { state } = last;
  return (state.kind === "leased" || state.kind === "typed") && state.wakeId === wakeId ? last : null;
}

/** Makes a lease hold for its time from now on. @returns false when the wake is no longer the active one */
export function renewWake(world: World, part: string, wakeId: string): boolean {
  const last = held(world, part, wakeId);
  if (last === null) return false;
  const { store } = world.home();
  const path = renewalPath(part, last.n);
  if (!touch(store, path, world.now())) {
    place({ ...store, durable: false }, path, "");
    touch(store, path, world.now());
  }
  return true;
}

/**
 * Takes a leased wake's one right to be delivered, and counts it; called just before what cannot be taken back.
 * @returns `stale` when the wake is no longer the active one, was committed before, or nothing is unread any more;
 *   else why the policy forbids it now
 */
export function commitWake(world: World, part: string, wakeId: string): "committed" | "stale" | Suppression {
  const { state } = updateWake(world, part);
  if (state.kind !== "leased" || state.wakeId !== wakeId) return "stale";
  const permit = spend(world, part, wakeId, state.urgent);
  if (!permit.ok) return permit.reason;
  const rung = newestUnread(world, part);
  if (moveWake(world, part, () => ({ kind: "commit", nowMs: world.now(), wakeId })) !== null) {
    markRung(world, part, rung, "told");
    return "committed";
  }
  // Two who commit one wake both counted it, and one of them has it: what is taken back here is the other's or one's own.
  refund(world, wakeId);
  return "stale";
}

/** Says what a rung knows. @returns false when the wake is no longer the active one */
export function reportWake(world: World, part: string, wakeId: string, outcome: OutcomeKind, reason?: string, detail?: string): boolean {
  const report = { kind: "report" as const, newId: newWakeId(world), wakeId, outcome, reason, detail };
  const committed = lastStep(world, part).state.kind === "typed";
  const moved = moveWake(world, part, () => ({ ...report, nowMs: world.now() }));
  if (moved === null) return false;
  if (outcome === "waiting") renewWake(world, part, wakeId);
  if (outcome === "noticed" && moved.moved) markRung(world, part, newestUnread(world, part), "noticed");
  // The rung knows that nothing came of what it was allowed.
  if (committed && moved.moved && moved.last.state.kind === "owed") refund(world, wakeId);
  return true;
}
