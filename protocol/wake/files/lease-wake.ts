/** Leases a wake, commits its delivery, and reports the result. spec/waking.md, "The wake machine". */

import type { Suppression, WakePolicy } from "../../core/config/wake-policy.ts";
import type { World } from "../../core/world.ts";
import { markRung } from "../../mail/files/mail.ts";
import { thisProcess } from "../../store/process.ts";
import { place } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { doorbellLine, leaseOver } from "../nouns/wake.ts";
import { renewalPath, type WakeRecord } from "../nouns/wake-record.ts";
import type { OutcomeKind, RungName, WakeState } from "../nouns/wake-state.ts";
import { hold, newestUnread, newWakeId, updateWake, waitingFor } from "./drive-wake.ts";
import { refund, spend } from "./wake-budget.ts";
import { lastStep, moveWake } from "./wake-chain.ts";
import { ladderOf, liveWaiters, wakeMethodOf } from "./who-rings.ts";

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
    place(store, path, "");
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
